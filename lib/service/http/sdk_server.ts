/**
 * Answers requests of apps: the credential is a public key of an app, and errors have the form of
 * version 1.
 *
 * @module
 */

import type { z } from "zod";
import { Refusal } from "../contract/errors.ts";
import { faultOf } from "../contract/fault.ts";
import { isAnswer, type SdkCall, type SdkRoute } from "../contract/sdk.ts";
import { type SdkCode, SdkRefusal } from "../contract/sdk_errors.ts";
import { publicAnswer } from "../contract/spelling.ts";
import { IllegalStep } from "../domain/step.ts";
import { catchUpWithin } from "../ledger/batches.ts";
import { isBehind } from "../ledger/catch_up.ts";
import { sha256Hex } from "../records/ids.ts";
import { checkQuery } from "./query.ts";
import { isUnfit, type Tx } from "../store/mod.ts";
import { readBody, validate } from "./body.ts";
import { type Answerer, type Found, mount } from "./mount.ts";
import { ETAG } from "./origins.ts";
import { atPresent, behind, bringToPresent } from "./present.ts";
import { presentOf } from "./project.ts";
import { answerFailure, respond, respondEmpty, UNFIT } from "./respond.ts";
import { callerOf, dialectFor, keyIn, platformIn, type SdkCaller } from "./sdk_caller.ts";
import type { ServerParts } from "./server.ts";

type SdkParts = Pick<
  ServerParts,
  "store" | "clock" | "catchUp" | "report" | "authenticate" | "dialect" | "observe"
>;

/** The header that requests the project's own dates: `project`. */
const DATES = "X-Dates";

/** Answers requests of apps. */
export function createSdkServer(routes: readonly SdkRoute[], parts: SdkParts): Answerer {
  return mount(routes, {
    endpointOf: (route) => route,
    // With a key, an empty value differs from an unknown address.
    emptyValues: true,
    greet: (request, beside) => greet(request, beside, parts),
    answer: (route, found) => answer(route, parts, found),
    refuse: (error, _request, route) => refuseSdk(error, parts, route),
    observe: parts.observe,
  });
}

/** Checks the credential before a 404 or 405. */
async function greet(
  request: Request,
  beside: SdkRoute | undefined,
  { store, authenticate }: SdkParts,
): Promise<void> {
  // At an unknown address, a signed-in caller also gets a 404.
  const key = keyIn(request);
  const isSignedIn = !beside && key.startsWith("atk_") && await authenticate(key) !== undefined;
  if (!isSignedIn) await store.read((tx) => callerOf(request, tx));
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith("/rcbilling/v1/checkout/")) return;
  const message =
    "This service accepts no cards: configure the SDK with the key of a test store, " +
    "test_…, and buy there";
  throw new SdkRefusal(501, "bad_request", message);
}

/** Takes a request through all checks and its handler. */
async function answer(
  route: SdkRoute,
  parts: SdkParts,
  { request, params }: Found,
): Promise<Response> {
  const { store, catchUp, clock } = parts;
  const { project } = await store.read((tx) => callerOf(request, tx));
  if (Object.values(params).includes("")) {
    throw new SdkRefusal(400, "empty_user", "An app user id must have at least 1 character");
  }
  const read = { ...await readRequest(route, request), params };
  if (route.changes && isBehind(project, clock())) await bringToPresent(catchUp, project.id);
  const run = async (whole: Tx) => {
    const call = await callFor(route, parts, request, whole);
    const result = await route.handle({ ...call, ...read });
    const { status, body } = isAnswer(result) ? result : { status: route.status, body: result };
    const shown = call.dialect === "public" ? publicAnswer(body) : body;
    return { status, text: JSON.stringify(shown), tag: tagOf(route, shown) };
  };
  const done = route.changes
    ? await atPresent(catchUp, project.id, () => store.write(run, project.id))
    : await store.read(run);
  return tagged(request, done);
}

/** The content of a request, checked before any transaction. */
async function readRequest(
  route: SdkRoute,
  request: Request,
): Promise<Pick<SdkCall, "query" | "body" | "platform">> {
  const platform = platformIn(request);
  const url = new URL(request.url);
  const query = refusing("bad_request", () => {
    checkQuery(url.searchParams);
    return validate(route.query, queryOf(route, url));
  });
  if (!route.body) return { platform, query, body: undefined };
  const { value } = await readBody(request);
  return { platform, query, body: checked(route.bodyCode, route.body, value) };
}

/** Checks a value, and refuses it with a code of version 1. */
function checked(code: SdkCode, schema: z.ZodType, value: unknown): unknown {
  return refusing(code, () => validate(schema, value));
}

/** Runs a check, and refuses what it refuses with a code of version 1. */
function refusing<T>(code: SdkCode, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new SdkRefusal(error.status, code, error.message);
  }
}

/** The parameters of a query: all values of a repeated one, where the schema wants a list. */
function queryOf({ query }: SdkRoute, { searchParams }: URL): Record<string, unknown> {
  const given = new Set(searchParams.keys());
  return Object.fromEntries(
    Object.entries(query.shape).filter(([name]) => given.has(name)).map(([name, type]) => [
      name,
      isList(type) ? searchParams.getAll(name) : searchParams.getAll(name).at(-1),
    ]),
  );
}

function isList(type: z.core.$ZodType): boolean {
  return type._zod.def.type === "array";
}

/** The handler's call, besides the content of the request. */
async function callFor(
  route: SdkRoute,
  parts: SdkParts,
  request: Request,
  whole: Tx,
): Promise<SdkCaller & Pick<SdkCall, "now" | "wall" | "dialect" | "shift">> {
  const wall = parts.clock;
  let caller = await callerOf(request, whole);
  if (route.changes && isBehind(caller.project, wall())) {
    if (!await catchUpWithin(whole, caller.project.id, wall())) throw behind();
    caller = await callerOf(request, whole);
  }
  const at = wall();
  const now = presentOf(caller.project, at);
  const own = request.headers.get(DATES)?.toLowerCase() === "project";
  const dialect = dialectFor(request, parts.dialect);
  return { ...caller, now, wall, dialect, shift: own ? 0 : at - now };
}

/** The tag of an answer to a read. */
function tagOf(route: SdkRoute, shown: unknown): string | undefined {
  if (route.method !== "GET") return undefined;
  return sha256Hex(JSON.stringify(route.lasting(shown))).slice(0, 32);
}

/** A response with its tag; without a body if the caller already has it. */
function tagged(
  request: Request,
  { status, text, tag }: { status: number; text: string; tag: string | undefined },
): Response {
  if (tag === undefined) return respond(text, status);
  const headers = { [ETAG]: tag };
  if (request.headers.get(ETAG) !== tag || status !== 200) return respond(text, status, headers);
  return respondEmpty(304, headers);
}

/** Turns anything thrown into an error response. */
export function refuseSdk(
  error: unknown,
  reporter: Pick<ServerParts, "report">,
  route?: SdkRoute,
): Response {
  return answerFailure(reporter, (report) => {
    const { code, message, status, headers } = refusalOf(error, { report }, route);
    return respond(JSON.stringify({ code, message }), status, headers);
  });
}

function refusalOf(
  error: unknown,
  { report }: Pick<ServerParts, "report">,
  route: SdkRoute | undefined,
): SdkRefusal {
  if (error instanceof SdkRefusal) return error;
  if (isUnfit(error)) return new SdkRefusal(400, "bad_request", UNFIT);
  if (error instanceof IllegalStep) return new SdkRefusal(422, "bad_request", error.message);
  if (!(error instanceof Refusal)) {
    const { status, message, headers } = faultOf(error, report);
    return new SdkRefusal(status, "internal_error", message, headers);
  }
  const { status, message, details: { headers } } = error;
  if (status >= 500) return new SdkRefusal(status, "internal_error", message, headers);
  // Without a route, the error is the router's own.
  const code = status === 404 && !route ? "not_found" : "bad_request";
  return new SdkRefusal(status, code, message, headers);
}
