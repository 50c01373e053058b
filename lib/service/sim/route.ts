/**
 * One contract per route of the simulator, so that they can be listed in one table. They belong to a
 * project and run in one transaction, as those of the API do; but nobody signs in for them, and no
 * audit entry tells of what a store did.
 *
 * @module
 */

import { z } from "zod";
import type { Delivery } from "../events/mod.ts";
import type { Call, NamesIn, Operation } from "../contract/route.ts";
import type { Clock } from "../clock.ts";
import type { CatchUp, Progress } from "../ledger/catch_up.ts";
import type { OAuth } from "../oauth/mod.ts";
import type { Store } from "../store/mod.ts";
import type { RequestFaults } from "./faults.ts";

/** One request in the hands of a route. */
export interface SimCall<Params extends string = string, Query = unknown, Body = unknown>
  extends Omit<Call<Params, Query, Body>, "actor" | "expand" | "userAgent"> {
  /** How far the project is while it is being brought to its present. */
  readonly progress: Progress | undefined;
}

/** What a deed of the simulator needs, whoever lets it happen. */
export type Doing = Pick<Call, "tx" | "project" | "now">;

/** What every route under `/_sim` promises. */
interface Promised<P extends string, Body extends z.ZodType, Answer> {
  /** The operation's name, the same as the library's function. */
  name: string;
  /** One sentence that says what it does. */
  summary: string;
  /** The HTTP method. */
  method: "GET" | "POST" | "DELETE";
  /** The path: from the root, or below `/_sim/projects/{project_id}`. */
  path: P;
  /** The body. Without it the route takes none, or an empty one. */
  body?: Body;
  /** The answer of a success. */
  response: z.ZodType<Answer>;
  /** The status of a success. Default 200. */
  status?: 200 | 201;
}

/** What a route of a project promises. */
interface SimContract<
  P extends string,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer,
> extends Promised<P, Body, Answer> {
  /** The query. Default: none. */
  query?: Query;
  /** Looks at the project, or acts on it, as it is, without letting pass what is due. */
  still?: true;
  /** Lets pass what is due afterwards, for which the answer does not wait. */
  catchesUp?: true;
}

/** What comes after a route's transaction. */
interface Afterwards<Done, Told, Answer> {
  /** Goes on outside of any transaction with what the first one has returned, and returns more. */
  outside: (done: Done, delivery: Omit<Delivery, "store">) => Promise<Told>;
  /**
   * Makes the answer in a second transaction, once time has passed that the first one has let pass,
   * out of what was returned before.
   */
  then: (call: SimCall, told: Told) => Promise<Answer>;
}

/** What every route under `/_sim` is, its types forgotten. */
interface DeclaredRoute extends Operation {
  /** The HTTP method. */
  readonly method: "GET" | "POST" | "DELETE";
  /** The status of a success. */
  readonly status: 200 | 201;
}

/** A route of a project, its types forgotten. */
export interface SimRoute extends DeclaredRoute, Partial<Afterwards<unknown, unknown, unknown>> {
  /** Looks at the project, or acts on it, as it is. */
  readonly still?: true;
  /** Lets pass what is due afterwards. */
  readonly catchesUp?: true;
  /** Does what the contract says. */
  handle(call: SimCall): Promise<unknown>;
}

/** Declares a route of a project. */
export function simRoute<
  P extends string,
  Answer,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodType<Record<never, never>>,
>(
  contract: SimContract<P, Query, Body, Answer>,
  handle: (call: SimCall<NamesIn<P>, z.infer<Query>, z.infer<Body>>) => Promise<Answer>,
): SimRoute {
  return { ...declared(contract), handle: handle as SimRoute["handle"] };
}

/** Declares a route of a project that goes on outside of the transaction. */
export function simRouteOutside<
  P extends string,
  Answer,
  Done,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodType<Record<never, never>>,
>(
  contract:
    & SimContract<P, Query, Body, Answer>
    & Pick<Afterwards<Done, Answer, Answer>, "outside">,
  handle: (call: SimCall<NamesIn<P>, z.infer<Query>, z.infer<Body>>) => Promise<Done>,
): SimRoute {
  const { outside } = contract;
  return {
    ...declared(contract),
    handle: handle as SimRoute["handle"],
    outside: outside as NonNullable<SimRoute["outside"]>,
  };
}

/** Declares a route of a project that makes its answer in a second transaction. */
export function simRouteThen<
  P extends string,
  Answer,
  Done,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodType<Record<never, never>>,
>(
  contract:
    & SimContract<P, Query, Body, Answer>
    & Pick<Afterwards<Done, Done, Answer>, "then">
    & Partial<Pick<Afterwards<Done, Done, Answer>, "outside">>,
  handle: (call: SimCall<NamesIn<P>, z.infer<Query>, z.infer<Body>>) => Promise<Done>,
): SimRoute {
  const { outside, then } = contract;
  return {
    ...declared(contract),
    handle: handle as SimRoute["handle"],
    ...outside && { outside: outside as NonNullable<SimRoute["outside"]> },
    then: then as NonNullable<SimRoute["then"]>,
  };
}

/**
 * What a contract says, its types forgotten. The server hands a route only calls that it has validated
 * against this very contract, and its own results.
 */
function declared(
  contract: Promised<string, z.ZodType, unknown> & {
    query?: z.ZodObject;
    still?: true;
    catchesUp?: true;
  },
) {
  const { name, summary, method, response, body, query, status = 200, still, catchesUp } = contract;
  return {
    name,
    summary,
    method,
    path: simPath(contract.path),
    scopes: [],
    query: query ?? z.strictObject({}),
    expand: new Map(),
    body,
    response,
    status,
    ...still && { still },
    ...catchesUp && { catchesUp },
  };
}

/** What the routes work on that belong to no project. */
export interface AdminParts {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock: Clock;
  /** Lets time pass in projects. */
  catchUp: CatchUp;
  /** Makes tokens. */
  oauth: OAuth;
  /** Lets requests to the API go wrong. */
  faults: RequestFaults;
  /** The OpenAPI document of all routes under `/_sim`. */
  describe(): Record<string, unknown>;
}

/** One request in the hands of a route that belongs to no project. */
interface AdminCall<Params extends string = string, Body = unknown> extends AdminParts {
  /** The values in the path, decoded. */
  readonly params: Readonly<Record<Params, string>>;
  /** The request's address, for the links in lists. */
  readonly url: URL;
  /** Validates the body. */
  body(): Body;
}

/** A route that belongs to no project: it opens transactions where it needs one. */
export interface AdminRoute extends DeclaredRoute {
  /** Does what the contract says. */
  administer(call: AdminCall): Promise<unknown>;
}

/** Declares a route that belongs to no project. */
export function adminRoute<
  P extends `/_sim/${string}`,
  Answer,
  Body extends z.ZodType = z.ZodType<Record<never, never>>,
>(
  contract: Promised<P, Body, Answer>,
  administer: (call: AdminCall<NamesIn<P>, z.infer<Body>>) => Promise<Answer>,
): AdminRoute {
  return { ...declared(contract), administer: administer as AdminRoute["administer"] };
}

/** The whole path of a route. */
function simPath(path: string): string {
  return path.startsWith("/_sim/") ? path : `/_sim/projects/{project_id}${path}`;
}
