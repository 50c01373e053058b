/**
 * Where a scenario runs: a service of its own, as far as a scenario has to do with one.
 *
 * @module
 */

import type { Client } from "../../client.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import type { DeedRequest } from "../deeds/deed.ts";
import type { Signed } from "../deeds/made_up.ts";
import type { Json } from "../values/tree.ts";

/** What the service says to a request that it refuses. */
export interface Refused {
  /** The HTTP status. */
  readonly status: number;
  /** The type of the error, such as `unprocessable_entity_error`. */
  readonly type: string;
  /** The sentence. */
  readonly message: string;
  /** The field at fault, or null. */
  readonly param: string | null;
}

/** An answer of the service. */
export type Answer = { readonly done: Json } | { readonly refused: Refused };

/** An answer of the program under test. */
export interface HandlerAnswer {
  /** The HTTP status; 0 when nobody answered. */
  readonly status: number;
  /** The body as JSON, or as text where it is no JSON. */
  readonly body: Json;
  /** Whether the request was not sent, and never will be. */
  readonly refused?: true;
  /** How long it took, in milliseconds. Default: no time. */
  readonly ms?: number | undefined;
}

/** A request to the program under test. */
export interface HandlerRequest {
  /** The method. */
  readonly method: string;
  /** The address. */
  readonly url: string;
  /** Its headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A delivery to the program under test that the service does not make itself. */
export interface Post {
  /** The address. */
  readonly url: string;
  /** The id of the event. */
  readonly id: string;
  /** The body. */
  readonly body: string;
  /** What it is signed with. */
  readonly secret: string;
  /** How it is signed. */
  readonly signed: Signed;
  /** Sent as `Authorization`. */
  readonly authorization_header?: string | undefined;
}

/** The answer to a delivery. */
export interface Posted {
  /** The status; 0 when there was no answer. */
  readonly status: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** Why there was no connection, with the address; absent if there was one. */
  readonly unreached?: string | undefined;
}

/** An event that the webhook did not take. */
export interface Undelivered {
  /** The event's id. */
  readonly event_id: string;
  /** The event's type. */
  readonly event_type: string;
  /** The status of the last answer, or null where there was none. */
  readonly last_status: number | null;
  /** Why there was no good answer. */
  readonly last_error: string | null;
}

/** A service of its own, with a project that is empty or a copy of a snapshot. */
export interface Stage {
  /** The project. */
  readonly project: string;
  /** The simulator of the project. */
  readonly simulator: Simulator;
  /** The API, signed in to the project. */
  readonly client: Client;
  /** Sends a request. */
  send(request: DeedRequest): Promise<Answer>;
  /** Waits until all deliveries to a webhook were made, but not for long. Returns those that fail. */
  delivered(webhook: string): Promise<readonly Undelivered[]>;
  /** Makes a delivery that the service does not make itself. */
  post(delivery: Post): Promise<Posted>;
  /** Sends a request to the program under test. */
  ask(request: HandlerRequest): Promise<HandlerAnswer>;
  /** Waits so many milliseconds of real time. */
  pause(ms: number): Promise<void>;
}
