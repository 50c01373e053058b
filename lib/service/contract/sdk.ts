/**
 * The contracts of the routes for apps, under `/v1` and `/rcbilling/v1`: an app's SDK sends a
 * public key of the app. Errors have the form of version 1, `{code, message}`.
 *
 * Gap: these requests have no rate limits. All users of an app share its key, so a limit on the key
 * would limit all of them together.
 *
 * @module
 */

import { z } from "zod";
import type { Call, Method, NamesIn, Operation } from "./route.ts";
import type { SdkCode } from "./sdk_errors.ts";
import type { Dialect } from "./spelling.ts";
import type { Row } from "../store/tables.ts";

/** The call of a route for apps. */
export interface SdkCall<Params extends string = string, Query = unknown, Body = unknown>
  extends Pick<Call<Params, Query, Body>, "tx" | "project" | "params" | "query" | "now" | "wall"> {
  /** The app of the key. */
  readonly app: Row<"apps">;
  /** The body, validated. */
  readonly body: Body;
  /** The platform in `X-Platform`, in lower case, or null. */
  readonly platform: string | null;
  /** The dialect of the answer. */
  readonly dialect: Dialect;
  /** Milliseconds from the project's time to that of the app's device. */
  readonly shift: number;
}

const ANSWER = Symbol("answer");

/** An answer with a status of its own. */
export interface SdkAnswer<T> {
  /** Distinguishes it from a body. */
  readonly kind: typeof ANSWER;
  /** The status. */
  readonly status: number;
  /** The body. */
  readonly body: T;
}

/** Makes an answer with a status of its own. */
export function answerAs<T>(status: number, body: T): SdkAnswer<T> {
  return { kind: ANSWER, status, body };
}

/** Whether a result is an answer with a status of its own. */
export function isAnswer(result: unknown): result is SdkAnswer<unknown> {
  return typeof result === "object" && result !== null && "kind" in result &&
    result.kind === ANSWER;
}

/** The contract of a route for SDKs. */
interface SdkContract<
  P extends string,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Response,
> {
  /** The operation's name, the same as the library's function. */
  name: string;
  /** One sentence for the OpenAPI document. */
  summary: string;
  /** Rules beyond the schemas, for the OpenAPI document. */
  description?: string;
  /** The HTTP method. */
  method: Extract<Method, "GET" | "POST">;
  /** The whole path. */
  path: P;
  /** The query. A field that is an array takes every value of its parameter. */
  query?: Query;
  /** The body. Default: none. */
  body?: Body;
  /** The error code for an invalid body. Default: a bad request. */
  bodyCode?: SdkCode;
  /** The answer of a success. */
  response: z.ZodType<Response>;
  /** Whether its transaction can write. */
  changes?: true;
  /** Whether it answers 201 where it has created something. */
  creates?: true;
  /** The part of an answer that its ETag covers. Default: all of it. */
  lasting?: (answer: Response) => unknown;
}

/** A route for SDKs without its types. */
export interface SdkRoute extends Operation {
  /** Whether its transaction can write. */
  readonly changes: boolean;
  /** The error code for an invalid body. */
  readonly bodyCode: SdkCode;
  /** The part of an answer that its ETag covers. */
  lasting(answer: unknown): unknown;
  /** Handles a request. */
  handle(call: SdkCall): Promise<unknown>;
}

/** Declares a route for SDKs. */
export function sdkRoute<
  P extends string,
  Response,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodType<undefined>,
>(
  contract: SdkContract<P, Query, Body, Response>,
  handle: (
    call: SdkCall<NamesIn<P>, z.infer<Query>, z.infer<Body>>,
  ) => Promise<Response | SdkAnswer<Response>>,
): SdkRoute {
  const { changes = false, bodyCode = "bad_request", lasting = (answer) => answer } = contract;
  return {
    ...contract,
    scopes: [],
    query: contract.query ?? z.object({}),
    expand: new Map(),
    body: contract.body,
    status: 200,
    changes,
    bodyCode,
    // The server validates every call against this contract first, and passes only answers of this
    // route.
    lasting: lasting as SdkRoute["lasting"],
    handle: handle as SdkRoute["handle"],
  };
}
