/**
 * One contract per route of the simulator, so that they can be listed in one table. They belong to
 * a project and run in one transaction, like those of the API, but without a sign-in and without
 * audit entries.
 *
 * @module
 */

import { z } from "zod";
import type { Delivery } from "../events/mod.ts";
import type { Call, NamesIn, Operation } from "../contract/route.ts";
import type { Clock } from "../time/clock.ts";
import type { CatchUp } from "../ledger/catch_up.ts";
import type { Progress } from "../ledger/progress.ts";
import type { OAuth } from "../oauth/mod.ts";
import type { Store } from "../store/mod.ts";
import type { RequestFaults } from "./faults.ts";
import type { Populations } from "./people/populations.ts";

/** The call of a route. */
export interface SimCall<Params extends string = string, Query = unknown, Body = unknown>
  extends Omit<Call<Params, Query, Body>, "actor" | "expand" | "userAgent"> {
  /** The progress of the project while it catches up. */
  readonly progress: Progress | undefined;
}

/** The parts that an action of the simulator needs, for any caller. */
export type Doing = Pick<Call, "tx" | "project" | "now">;

/** The contract of every route under `/_sim`. */
interface Promised<P extends string, Body extends z.ZodType, Answer> {
  /** The operation's name, the same as the library's function. */
  name: string;
  /** Its description in one sentence. */
  summary: string;
  /** The HTTP method. */
  method: "GET" | "POST" | "DELETE";
  /** The path: from the root, or below `/_sim/projects/{project_id}`. */
  path: P;
  /** The body. Default: none, or an empty one. */
  body?: Body;
  /** The answer of a success. */
  response: z.ZodType<Answer>;
  /** The status of a success. Default 200. */
  status?: 200 | 201;
}

/** The contract of a route of a project. */
interface SimContract<
  P extends string,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer,
> extends Promised<P, Body, Answer> {
  /** The query. Default: none. */
  query?: Query;
  /** Runs on the project as it is, without running due steps first. */
  still?: true;
  /** Runs due steps afterwards. The answer does not wait for them. */
  catchesUp?: true;
}

/** The work after a route's transaction. */
interface Afterwards<Done, Told, Answer> {
  /** Continues outside of transactions with the result of the first one, and returns more. */
  outside: (done: Done, delivery: Omit<Delivery, "store">) => Promise<Told>;
  /**
   * Makes the answer in a second transaction, after the project has caught up, from the results so
   * far.
   */
  then: (call: SimCall, told: Told) => Promise<Answer>;
}

/** A route under `/_sim` without its types. */
interface DeclaredRoute extends Operation {
  /** The HTTP method. */
  readonly method: "GET" | "POST" | "DELETE";
  /** The status of a success. */
  readonly status: 200 | 201;
}

/** A route of a project without its types. */
export interface SimRoute extends DeclaredRoute, Partial<Afterwards<unknown, unknown, unknown>> {
  /** Whether it runs on the project as it is, without due steps. */
  readonly still?: true;
  /** Whether due steps run afterwards. */
  readonly catchesUp?: true;
  /** Handles a request. */
  handle(call: SimCall): Promise<unknown>;
}

/**
 * Declares a route of a project. With `outside` it continues outside of the transaction, and with `then`
 * it makes its answer in a second one.
 */
export function simRoute<
  P extends string,
  Answer,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodType<Record<never, never>>,
>(
  contract: SimContract<P, Query, Body, Answer> & { outside?: undefined; then?: undefined },
  handle: (call: SimCall<NamesIn<P>, z.infer<Query>, z.infer<Body>>) => Promise<Answer>,
): SimRoute;
export function simRoute<
  P extends string,
  Answer,
  Done,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodType<Record<never, never>>,
>(
  contract:
    & SimContract<P, Query, Body, Answer>
    & Pick<Afterwards<Done, Answer, Answer>, "outside">
    & { then?: undefined },
  handle: (call: SimCall<NamesIn<P>, z.infer<Query>, z.infer<Body>>) => Promise<Done>,
): SimRoute;
export function simRoute<
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
): SimRoute;
export function simRoute(
  contract:
    & SimContract<string, z.ZodObject, z.ZodType, unknown>
    & { outside?: unknown; then?: unknown },
  handle: unknown,
): SimRoute {
  const { outside, then } = contract;
  return {
    ...declared(contract),
    handle: handle as SimRoute["handle"],
    ...outside !== undefined && { outside: outside as NonNullable<SimRoute["outside"]> },
    ...then !== undefined && { then: then as NonNullable<SimRoute["then"]> },
  };
}

/**
 * A contract without its types. The server validates every call against this contract, and passes
 * only results of this route.
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

/** The parts for routes outside of projects. */
export interface AdminParts {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock: Clock;
  /** Lets projects catch up. */
  catchUp: CatchUp;
  /** Issues tokens. */
  oauth: OAuth;
  /** Makes populations. */
  populations: Populations;
  /** Injects faults into requests to the API. */
  faults: RequestFaults;
  /** The OpenAPI document of all routes under `/_sim`. */
  describe(): Record<string, unknown>;
}

/** The call of a route outside of projects. */
interface AdminCall<Params extends string = string, Body = unknown> extends AdminParts {
  /** The values in the path, decoded. */
  readonly params: Readonly<Record<Params, string>>;
  /** The request's address, for the links in lists. */
  readonly url: URL;
  /** Validates the body. */
  body(): Body;
}

/** A route outside of projects. It opens its own transactions. */
export interface AdminRoute extends DeclaredRoute {
  /** Handles a request. */
  administer(call: AdminCall): Promise<unknown>;
}

/** Declares a route outside of projects. */
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
