/**
 * One contract per route of the simulator, so that they can be listed in one table. They belong to a
 * project and run in one transaction, as those of the API do; but nobody signs in for them, and no
 * audit entry tells of what a store did.
 *
 * @module
 */

import { z } from "zod";
import type { Delivery } from "../events/mod.ts";
import type { Call, NamesIn } from "../contract/route.ts";
import type { Clock } from "../clock.ts";
import type { Progress, Settler } from "../ledger/settle.ts";
import type { OAuth } from "../oauth/mod.ts";
import type { Store } from "../store/mod.ts";
import type { RequestFaults } from "./faults.ts";

/** One request in the hands of a route. */
export interface SimCall<Params extends string = string, Query = unknown, Body = unknown>
  extends Omit<Call<Params, Query, Body>, "actor" | "expand" | "userAgent"> {
  /** How far the project is while it is being brought to its present. */
  readonly progress: Progress | undefined;
}

/** What a route promises. */
export interface SimContract<
  P extends string,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Done,
  Told,
> {
  /** One sentence that says what it does. */
  summary: string;
  /** The HTTP method. */
  method: "GET" | "POST" | "DELETE";
  /** The path below `/_sim/projects/{project_id}`. */
  path: P;
  /** The query. Default: none. */
  query?: Query;
  /** The body. Without it the route takes none, or an empty one. */
  body?: Body;
  /** The status of a success. Default 200. */
  status?: 200 | 201;
  /** Looks at the project, or acts on it, as it is, without letting pass what is due. */
  still?: true;
  /** Lets pass what is due afterwards, for which the answer does not wait. */
  settles?: true;
  /** Goes on outside of any transaction with what the first one has returned, and returns more. */
  outside?: (done: Done, delivery: Omit<Delivery, "store">) => Promise<Told>;
  /**
   * Makes the answer in a second transaction, once time has passed that the first one has let pass,
   * out of what was returned before.
   */
  then?: (call: SimCall, told: Told) => Promise<unknown>;
}

/** A route, its types forgotten. */
export interface SimRoute
  extends Omit<SimContract<string, z.ZodObject, z.ZodType, unknown, unknown>, "body"> {
  /** The query, empty where the contract names none. */
  readonly query: z.ZodObject;
  /** The body, empty where the contract names none. */
  readonly body: z.ZodType;
  /** The status of a success. */
  readonly status: 200 | 201;
  /** Does what the contract says. */
  handle(call: SimCall): Promise<unknown>;
}

/** Declares a route. */
export function simRoute<
  P extends string,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodType<Record<never, never>>,
  Done = unknown,
  Told = Done,
>(
  contract: SimContract<P, Query, Body, Done, Told>,
  handle: (call: SimCall<NamesIn<P>, z.infer<Query>, z.infer<Body>>) => Promise<Done>,
): SimRoute {
  const { outside, then, ...rest } = contract;
  return {
    ...rest,
    ...outside && { outside: outside as NonNullable<SimRoute["outside"]> },
    ...then && { then: then as NonNullable<SimRoute["then"]> },
    query: contract.query ?? z.strictObject({}),
    body: contract.body ?? z.strictObject({}),
    status: contract.status ?? 200,
    // The server hands a route only calls that it has validated against this very contract, and its
    // own result.
    handle: handle as SimRoute["handle"],
  };
}

/** What the routes work on that belong to no project. */
export interface AdminParts {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock: Clock;
  /** Lets time pass in projects. */
  settler: Settler;
  /** Makes tokens. */
  oauth: OAuth;
  /** Lets requests to the API go wrong. */
  faults: RequestFaults;
}

/** One request in the hands of a route that belongs to no project. */
export interface AdminCall<Params extends string = string, Body = unknown> extends AdminParts {
  /** The values in the path, decoded. */
  readonly params: Readonly<Record<Params, string>>;
  /** The request's address, for the links in lists. */
  readonly url: URL;
  /** Validates the body. */
  body(): Body;
}

/** A route that belongs to no project: it opens transactions where it needs one. */
export interface AdminRoute extends Pick<SimRoute, "summary" | "method" | "path" | "status"> {
  /** The body, empty where the contract names none. */
  readonly body: z.ZodType;
  /** Does what the contract says. */
  administer(call: AdminCall): Promise<unknown>;
}

/** What a route promises that belongs to no project. */
export type AdminContract<P extends string, Body extends z.ZodType> =
  & Pick<SimContract<P, z.ZodObject, Body, unknown, unknown>, "summary" | "method" | "status">
  & {
    /** The path from the root. */
    path: P;
    /** The body. Without it the route takes none, or an empty one. */
    body?: Body;
  };

/** Declares a route that belongs to no project. */
export function adminRoute<
  P extends string,
  Body extends z.ZodType = z.ZodType<Record<never, never>>,
>(
  contract: AdminContract<P, Body>,
  administer: (call: AdminCall<NamesIn<P>, z.infer<Body>>) => Promise<unknown>,
): AdminRoute {
  return {
    ...contract,
    body: contract.body ?? z.strictObject({}),
    status: contract.status ?? 200,
    // The server hands a route only calls that it has validated against this very contract.
    administer: administer as AdminRoute["administer"],
  };
}

/** The whole path of a route. */
export function simPath({ path }: Pick<SimRoute, "path">): string {
  return path.startsWith("/_sim/") ? path : `/_sim/projects/{project_id}${path}`;
}
