/**
 * The routes under `/v1`: what an app's SDK reads, with a public key of the app. Errors have the form
 * of version 1, `{code, message}`.
 *
 * Gap: these requests are not counted towards rate limits. A key is in the hands of every user of
 * the app, so any limit on it would be one on all of them together.
 *
 * @module
 */

import { z } from "zod";
import type { Method, NamesIn, Operation } from "./route.ts";
import type { ProjectTx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** A read of an app, in the hands of a route. */
export interface SdkCall<Params extends string = string> {
  /** The transaction: a snapshot. */
  readonly tx: ProjectTx;
  /** The app whose key was sent. */
  readonly app: Row<"apps">;
  /** The app's project. */
  readonly project: Row<"projects">;
  /** The values in the path, decoded. */
  readonly params: Readonly<Record<Params, string>>;
}

/** What a route for SDKs promises. */
interface SdkContract<P extends string, Response> {
  /** The operation's name, the same as the library's function. */
  name: string;
  /** One sentence for the OpenAPI document. */
  summary: string;
  /** The HTTP method. */
  method: Extract<Method, "GET">;
  /** The whole path. */
  path: P;
  /** The answer of a success. */
  response: z.ZodType<Response>;
}

/** A route for SDKs, its types forgotten. */
export interface SdkRoute extends Operation {
  /** Does what the contract says. */
  handle(call: SdkCall): Promise<unknown>;
}

/** Declares a route for SDKs. */
export function sdkRoute<P extends string, Response>(
  contract: SdkContract<P, Response>,
  handle: (call: SdkCall<NamesIn<P>>) => Promise<Response>,
): SdkRoute {
  return {
    ...contract,
    scopes: [],
    query: z.object({}),
    expand: new Map(),
    body: undefined,
    status: 200,
    // The server hands a route only the values of its own path.
    handle: handle as SdkRoute["handle"],
  };
}

/** The codes of version 1 that occur here. */
export const SDK_CODE = {
  invalid_platform: 7000,
  internal_error: 7110,
  empty_user: 7220,
  invalid_key: 7225,
  bad_request: 7226,
  secret_key: 7243,
  invalid_user: 7256,
  not_found: 7259,
} as const;

/** A request of an SDK that is answered with an error. */
export class SdkRefusal extends Error {
  /** HTTP status. */
  readonly status: number;
  /** The code by which SDKs know the error. */
  readonly code: number;
  /** Headers of the answer. */
  readonly headers: Record<string, string>;

  /** Builds a refusal of a status and code, with one sentence for people. */
  constructor(
    status: number,
    code: keyof typeof SDK_CODE,
    message: string,
    headers: Record<string, string> = {},
  ) {
    super(message);
    this.name = "SdkRefusal";
    this.status = status;
    this.code = SDK_CODE[code];
    this.headers = headers;
  }
}
