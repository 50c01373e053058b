/**
 * The routes under `/v1`: what an app's SDK reads, with a public key of the app. Errors have the form
 * of version 1, `{code, message}`.
 *
 * Gap: these requests are not counted towards rate limits. A key is in the hands of every user of
 * the app, so any limit on it would be one on all of them together.
 *
 * @module
 */

import { Hono } from "hono";
import { z } from "zod";
import { faultOf } from "./fault.ts";
import type { Method, NamesIn, Operation } from "./route.ts";
import { publicAnswer, spellingsOfKey } from "./spelling.ts";
import { respond, type ServerParts } from "../http/server.ts";
import { acrossProjects, inProject, type ProjectTx, type Tx } from "../store/mod.ts";
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
export interface SdkContract<P extends string, Response> {
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

type SdkParts = Pick<ServerParts, "store" | "report" | "authenticate" | "dialect">;

/** Answers requests under `/v1`. */
export function createSdkServer(
  routes: readonly SdkRoute[],
  parts: SdkParts,
): (request: Request) => Response | Promise<Response> {
  const app = new Hono();
  // An empty value matches no pattern; behind the key it is told apart from an unknown address.
  app.get("/v1/subscribers//offerings", (c) =>
    parts.store.read(async (tx) => {
      await appOf(c.req.raw, tx);
      throw new SdkRefusal(400, "empty_user", "An app user id must have at least 1 character");
    }));
  for (const route of routes) {
    const pattern = route.path.replace(/\{(\w+)\}/g, ":$1");
    app.on(route.method, pattern, (c) => answer(route, parts, c.req.raw, c.req.param()));
    app.all(pattern, (c) =>
      parts.store.read(async (tx) => {
        await appOf(c.req.raw, tx);
        const message = `${c.req.method} is not allowed here; use ${route.method}`;
        throw new SdkRefusal(405, "bad_request", message, { Allow: route.method });
      }));
  }
  app.notFound(async (c) => {
    // Whoever is signed in may know that there is nothing; a key of an app belongs elsewhere, too.
    const key = keyIn(c.req.raw);
    const known = key.startsWith("atk_") && await parts.authenticate(key) !== undefined;
    if (!known) await parts.store.read((tx) => appOf(c.req.raw, tx));
    throw nothingAt(c.req.raw);
  });
  app.onError((error) => refuse(error, parts));
  return (request) => app.fetch(request);
}

/** Takes a request through all checks and its handler. */
async function answer(
  route: SdkRoute,
  parts: SdkParts,
  request: Request,
  params: Record<string, string>,
): Promise<Response> {
  const result = await parts.store.read(async (whole) => {
    const call = await appOf(request, whole);
    checkPlatform(request.headers.get("X-Platform"));
    return await route.handle({ ...call, params: decoded(params, request) });
  });
  const answered = parts.dialect === "public" ? publicAnswer(result) : result;
  return respond(JSON.stringify(answered), route.status);
}

/** The credential that a request carries, with or without the word `Bearer`. */
function keyIn(request: Request): string {
  return (request.headers.get("Authorization") ?? "").replace(/^Bearer +/i, "").trim();
}

/** The app whose public key the request carries, with or without the word `Bearer`. */
async function appOf(
  request: Request,
  whole: Tx,
): Promise<Pick<SdkCall, "tx" | "app" | "project">> {
  const key = keyIn(request);
  if (/^(sk|atk|rtk|adm)_/.test(key)) {
    const message = "This credential is secret and must not be in an app; use a public SDK key";
    throw new SdkRefusal(403, "secret_key", message);
  }
  const row = await acrossProjects(whole).selectFrom("app_keys")
    .select(["project_id", "app_id"]).where("key", "in", spellingsOfKey(key)).executeTakeFirst();
  if (!row) {
    const message = key === ""
      ? "A public SDK key is required: send Authorization: Bearer <key>"
      : "The public SDK key is unknown";
    throw new SdkRefusal(401, "invalid_key", message, { "WWW-Authenticate": "Bearer" });
  }
  const tx = inProject(whole, row.project_id);
  const app = await tx.selectFrom("apps").selectAll().where("id", "=", row.app_id)
    .executeTakeFirstOrThrow();
  const project = await tx.selectFrom("projects").selectAll().executeTakeFirstOrThrow();
  return { tx, app, project };
}

const PLATFORMS = new Set(
  "ios ipados macos tvos watchos visionos android amazon stripe roku paddle web".split(" "),
);

/** Refuses a platform that there is none of. Otherwise it is the key that tells the app. */
function checkPlatform(platform: string | null): void {
  if (platform === null || PLATFORMS.has(platform.toLowerCase())) return;
  const message = `Unknown platform ${JSON.stringify(platform)}`;
  throw new SdkRefusal(400, "invalid_platform", message);
}

/** The values in the path, if every percent sign begins an escape of UTF-8. */
function decoded(params: Record<string, string>, request: Request): Record<string, string> {
  try {
    decodeURIComponent(new URL(request.url).pathname);
    return params;
  } catch {
    throw nothingAt(request);
  }
}

/** The refusal of an address that does not exist. */
function nothingAt(request: Request): SdkRefusal {
  const { pathname } = new URL(request.url);
  return new SdkRefusal(404, "not_found", `There is nothing at ${request.method} ${pathname}`);
}

/** Turns whatever was thrown into an error answer. */
function refuse(error: unknown, parts: SdkParts): Response {
  const refusal = error instanceof SdkRefusal ? error : failed(error, parts);
  const { code, message, status, headers } = refusal;
  return respond(JSON.stringify({ code, message }), status, headers);
}

/** The refusal that a failure amounts to. */
function failed(error: unknown, { report }: SdkParts): SdkRefusal {
  const { status, message, headers } = faultOf(error, report);
  return new SdkRefusal(status, "internal_error", message, headers);
}
