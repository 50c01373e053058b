/**
 * What a deed is: something that a step can do.
 *
 * @module
 */

import type { Client } from "../../client.ts";
import type { Path } from "../../path.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import type { Field, Made } from "../values/kinds.ts";
import type { AnswerFault, MadeUp } from "./made_up.ts";
import type { Json } from "../values/tree.ts";

/** A request to the service. Paths without `/_sim` belong to the project. */
export interface DeedRequest {
  /** The method. */
  readonly method: "GET" | "POST" | "DELETE";
  /** The path. */
  readonly path: Path;
  /** The body, where there is one. Fields that are undefined are left out. */
  readonly body?: object;
  /** The query, where there is one. */
  readonly query?: Readonly<Record<string, Json | undefined>>;
}

/** What a deed works with. */
export interface Given {
  /** The simulator of the project. */
  readonly simulator: Simulator;
  /** The API, signed in to the project. */
  readonly client: Client;
  /** The fields of the step. */
  readonly values: Readonly<Record<string, Json>>;
  /** The webhook that deliveries go to, if there is one. */
  readonly webhook: string | undefined;
  /** The id of what a name stands for. */
  id(name: Json | undefined): string;
  /** The id of an event, by its number in the story, from 1. */
  event(number: number): string;
  /** Delivers what is made of an event, by its number in the story, from 1. Returns what is wrong. */
  deliver(number: number, made: MadeUp): Promise<AnswerFault | undefined>;
  /** Lets events wait from now on. */
  hold(): Promise<void>;
  /** Delivers the events that wait, and those that come later. Returns what is wrong. */
  release(): Promise<readonly AnswerFault[]>;
  /** The moment after such a period from now, in milliseconds since 1970. */
  later(period: string): Promise<number>;
}

/** Something that a step can do. */
export interface Deed {
  /** What it does, for editors. */
  readonly brief: string;
  /** The field that a step means which gives one value in place of a map. */
  readonly short?: string;
  /** The fields. */
  readonly fields: Readonly<Record<string, Field>>;
  /** What `as` can name, where it makes something. */
  readonly makes?: Made;
  /** Fields of which exactly one, or at most one, is given. */
  readonly choice?: { readonly of: readonly string[]; readonly required: boolean };
  /** Whether it makes sense only while events wait for `deliver`, or only while they do not. */
  readonly when?: "held" | "not held";
  /** Does it. The answer is what `as` names. */
  perform(given: Given): Promise<object>;
}
