/**
 * A scenario, read from its file.
 *
 * @module
 */

import type { Catalogue } from "./catalogue.ts";
import type { Json, Node, Position } from "../values/tree.ts";

/** A scenario. */
export interface Scenario {
  /** Its name, in a few words. */
  readonly name: string;
  /** What it begins with. */
  readonly start: Start;
  /** Its steps, in order. */
  readonly steps: readonly Step[];
}

/** What a scenario begins with. */
export interface Start {
  /** The time, in milliseconds since 1970. */
  readonly at: number;
  /** The time zone of moments without one. */
  readonly zone: string;
  /** What is sold; undefined where the file is wrong. */
  readonly catalogue: Catalogue | undefined;
  /** The snapshot or backup that it begins with, if it does. */
  readonly data?: StartData | undefined;
  /** Where events are delivered. */
  readonly webhook: Webhook | undefined;
}

/** A snapshot or backup to begin with. */
export interface StartData {
  /** Its file. */
  readonly file: string;
  /** The time of its project, in milliseconds since 1970. */
  readonly at: number;
}

/** Where events are delivered. */
export interface Webhook {
  /** The address. */
  readonly url: string | undefined;
  /** Sent as `Authorization`. */
  readonly authorization_header: string | undefined;
  /** The secret that deliveries are signed with. Default: a new one. */
  readonly secret: string | undefined;
  /** The types that are delivered. Default: all. */
  readonly event_types: readonly string[] | undefined;
}

/** A step of a scenario. */
export interface Step {
  /** Where it stands. */
  readonly at: Position;
  /** Its number, from 1. */
  readonly number: number;
  /** What it is, for people: `cancel s`. */
  readonly title: string;
  /** What is done, if anything. */
  readonly action: Action | undefined;
  /** The expected refusal, where the deed is to be refused. */
  readonly refused: Node | undefined;
  /** What is expected afterwards. */
  readonly checks: readonly Check[];
}

/** What a step does. */
export type Action =
  | {
    readonly deed: string;
    readonly values: Readonly<Record<string, Json>>;
    readonly as: string | undefined;
  }
  | { readonly by: string }
  | { readonly to: number };

/** Something that is expected. */
export interface Check {
  /** What kind of thing it is: `events`, `access`, … */
  readonly kind: string;
  /** Where it stands. */
  readonly at: Position;
  /** What is expected. */
  readonly node: Node;
}
