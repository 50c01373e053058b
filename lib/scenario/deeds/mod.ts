/**
 * What a step can do: the fields of each deed, and the request that does it. `cli simulate` and
 * `cli clock` send the same requests.
 *
 * @module
 */

import { type Path, path } from "../../path.ts";
import type { Field, Made } from "../file/kinds.ts";
import { customerDeeds } from "./customers.ts";
import { faultDeeds } from "./faults.ts";
import { subscriptionDeeds } from "./subscriptions.ts";
import { purchase } from "./purchase.ts";
import type { Json } from "../file/tree.ts";

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
  /** The project. */
  readonly project: string;
  /** The fields of the step. */
  readonly values: Readonly<Record<string, Json>>;
  /** The webhook that deliveries go to, if there is one. */
  readonly webhook: string | undefined;
  /** The id of what a name stands for. */
  id(name: Json | undefined): string;
  /** Reads something of the service. */
  read<T>(request: DeedRequest): Promise<T>;
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
  /** The requests that do it, in order. The answer to the last one is what `as` names. */
  requests(given: Given): readonly DeedRequest[] | Promise<readonly DeedRequest[]>;
}

/** All deeds, by their names in a file. Moving the clock is no deed: the run does that itself. */
export const DEEDS: Readonly<Record<string, Deed>> = {
  purchase,
  ...subscriptionDeeds,
  ...customerDeeds,
  ...faultDeeds,
};

/** The request that moves the clock. */
export function clockRequest(project: string, body: { by: string } | { to: number }): DeedRequest {
  return {
    method: "POST",
    path: path`/_sim/projects/${project}/clock/advance`,
    body: { ...body, confirmed: true },
  };
}
