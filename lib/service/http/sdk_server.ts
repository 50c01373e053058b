/**
 * Answers requests under `/v1`: the credential is a public key of an app, and errors have the form of
 * version 1.
 *
 * @module
 */

import { Refusal } from "../contract/errors.ts";
import { faultOf } from "../contract/fault.ts";
import { type SdkCall, SdkRefusal, type SdkRoute } from "../contract/sdk.ts";
import { publicAnswer, spellingsOfKey } from "../contract/spelling.ts";
import { acrossProjects, inProject, type Tx } from "../store/mod.ts";
import { type Answerer, type Found, mount } from "./mount.ts";
import { respond } from "./respond.ts";
import type { ServerParts } from "./server.ts";

type SdkParts = Pick<ServerParts, "store" | "report" | "authenticate" | "dialect" | "observe">;

/** Answers requests under `/v1`. */
export function createSdkServer(routes: readonly SdkRoute[], parts: SdkParts): Answerer {
  return mount(routes, {
    placeOf: (route) => route,
    // Behind the key, an empty value is told apart from an unknown address.
    emptyValues: true,
    greet: (request, beside) => greet(request, beside, parts),
    answer: (route, found) => answer(route, parts, found),
    refuse: (error) => refuse(error, parts),
    observe: parts.observe,
  });
}

/** Checks who asks, before it says what is not there. */
async function greet(
  request: Request,
  beside: SdkRoute | undefined,
  { store, authenticate }: SdkParts,
): Promise<void> {
  // Whoever is signed in may know that there is nothing; a key of an app belongs elsewhere, too.
  const key = keyIn(request);
  const isSignedIn = !beside && key.startsWith("atk_") && await authenticate(key) !== undefined;
  if (!isSignedIn) await store.read((tx) => appOf(request, tx));
}

/** Takes a request through all checks and its handler. */
async function answer(
  route: SdkRoute,
  parts: SdkParts,
  { request, params }: Found,
): Promise<Response> {
  const result = await parts.store.read(async (whole) => {
    const call = await appOf(request, whole);
    if (Object.values(params).includes("")) throw emptyUser();
    checkPlatform(request.headers.get("X-Platform"));
    return await route.handle({ ...call, params });
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

function emptyUser(): SdkRefusal {
  return new SdkRefusal(400, "empty_user", "An app user id must have at least 1 character");
}

/** Turns whatever was thrown into an error answer. */
function refuse(error: unknown, parts: SdkParts): Response {
  const refusal = error instanceof SdkRefusal
    ? error
    : error instanceof Refusal
    ? inVersion1(error)
    : failed(error, parts);
  const { code, message, status, headers } = refusal;
  return respond(JSON.stringify({ code, message }), status, headers);
}

/** A refusal of the router, in the form of version 1. */
function inVersion1({ status, message, details: { headers } }: Refusal): SdkRefusal {
  return new SdkRefusal(status, status === 404 ? "not_found" : "bad_request", message, headers);
}

/** The refusal that a failure amounts to. */
function failed(error: unknown, { report }: SdkParts): SdkRefusal {
  const { status, message, headers } = faultOf(error, report);
  return new SdkRefusal(status, "internal_error", message, headers);
}
