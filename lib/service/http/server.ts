/**
 * From request to response: the order of the checks, and the only place that runs handlers.
 *
 * Checks run in this order: credential 401, path 404, method 405, permission 403, rate 429, form of
 * body and query 400, object in the path 404, fields of the body 400, then the rules of the
 * operation.
 *
 * @module
 */

import { z } from "zod";
import { recordAudit } from "./audit.ts";
import { readBody, validate } from "./body.ts";
import type { Clock } from "../time/clock.ts";
import { Refusal } from "../contract/errors.ts";
import { rememberAnswer, type Remembered, rememberedAnswer } from "./idempotency.ts";
import type { Observation } from "./metrics.ts";
import { type Answerer, type Found, mount } from "./mount.ts";
import { atPresent, bringToPresent, refuseMoving } from "./present.ts";
import { caughtUpProject, presentOf, type PresentProject, projectFor } from "./project.ts";
import { checkPath, queryOf } from "./query.ts";
import { parsedPathAndQuery } from "./sent_address.ts";
import type { RateCounter } from "./rates.ts";
import { refuse, respond } from "./respond.ts";
import {
  type AccountCall,
  type Actor,
  type Call,
  fullPath,
  type Preparation,
  type Route,
} from "../contract/route.ts";
import { allows } from "../contract/scopes.ts";
import { type Dialect, publicAnswer, spellingsOfKey } from "../contract/spelling.ts";
import { type CatchUp, isBehind } from "../ledger/catch_up.ts";
import { acrossProjects, inProject, type Store, type Tx } from "../store/mod.ts";
import type { Targets } from "../outbound/targets.ts";

/** What the server needs to answer requests. */
export interface ServerParts {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock: Clock;
  /** Runs due steps before a request reads. */
  catchUp: CatchUp;
  /** Counts requests towards their limits. */
  rates: RateCounter;
  /** The check of webhook targets. */
  targets: Targets;
  /** Finds the account of a bearer token. Promises it where that must be looked up. */
  authenticate(token: string): Actor | undefined | Promise<Actor | undefined>;
  /** The dialect of answers. */
  dialect: Dialect;
  /** Called for internal errors. */
  report(error: unknown): void;
  /** Called after each answered request. Default: nothing. */
  observe?: ((observation: Observation) => void) | undefined;
}

/** Answers requests under `/v2`. */
export function createServer(routes: readonly Route[], parts: ServerParts): Answerer {
  return mount(routes, {
    endpointOf: (route) => ({ method: route.method, path: fullPath(route) }),
    async greet(request) {
      await callerOf(request, parts);
    },
    answer: (route, found) => answer(route, parts, found),
    refuse: (error) => refuse(error, parts),
    observe: parts.observe,
  });
}

/** Takes a request through all checks and its handler. */
async function answer(
  route: Route,
  parts: ServerParts,
  { request, params }: Found,
): Promise<Response> {
  const caller = callerOf(request, parts);
  // To await what is known takes longer than most of the checks.
  const actor = caller instanceof Promise ? await caller : caller;
  checkScope(actor, route);
  checkPath(params);
  const asked: Asked = { route, parts, request, actor, params, projectId: params["project_id"] };
  try {
    const run = route.method === "GET" ? read : change;
    const { status, text, replayed, location } = await run(asked);
    const response = respond(text, status, asked.limits);
    const { headers } = response;
    if (asked.time !== undefined) headers.set("Date", new Date(asked.time).toUTCString());
    if (replayed) headers.set("Idempotent-Replayed", "true");
    if (location !== undefined) headers.set("Location", location);
    return response;
  } catch (error) {
    return refuse(error, parts, asked.limits);
  }
}

/** A request that has passed the first checks. */
interface Asked {
  /** Its route. */
  route: Route;
  /** The parts of the server. */
  parts: ServerParts;
  /** The request itself. */
  request: Request;
  /** Its caller. */
  actor: Actor;
  /** The values in its path. */
  params: Record<string, string>;
  /** The project in its path. */
  projectId: string | undefined;
  /** The headers with the caller's limits, after the request was counted. */
  limits?: Record<string, string>;
  /** The project's time if it is simulated, for callers that must send a time. */
  time?: number;
}

/** An answer, whether it is a stored one, and the target of a redirect. */
type Answer = Remembered & { replayed?: boolean; location?: string | undefined };

/** Counts a request once towards its caller's limits. */
function count(asked: Asked): void {
  asked.limits ??= asked.parts.rates.count(asked.actor.account_id, asked.route.rate);
}

/** Checks the project and runs the handler on one snapshot. */
function read(asked: Asked): Promise<Answer> {
  return atPresent(asked.parts.catchUp, asked.projectId, () => readOnce(asked));
}

async function readOnce(asked: Asked): Promise<Answer> {
  const { route, parts, actor, projectId } = asked;
  for (let settled = false;; settled = true) {
    const answer = await parts.store.read(async (tx) => {
      const found = projectId === undefined ? undefined : projectFor(tx, projectId, actor);
      const project = found instanceof Promise ? await found : found;
      // Due steps cannot run on a snapshot; a reader sees the moment before them.
      if (project && !settled && isBehind(project, parts.clock())) return undefined;
      if (project) refuseMoving(project, parts.catchUp, parts.clock());
      count(asked);
      const result = await route.handle(callFor(asked, tx, project, {}));
      const location = route.location?.(result);
      return { status: route.status, text: textOf(asked, result), location };
    });
    if (answer) return answer;
    if (projectId !== undefined) await bringToPresent(parts.catchUp, projectId);
  }
}

/**
 * Checks the project, reads the body, and runs the handler in one transaction with its audit entry
 * and idempotency key.
 */
async function change(asked: Asked): Promise<Answer> {
  const { route, parts, request, actor, projectId } = asked;
  if (projectId !== undefined) await admit(parts, projectId, actor);
  count(asked);
  const body = await readBody(request);
  const key = request.headers.get("Idempotency-Key");
  const what = `${request.method} ${parsedPathAndQuery(request.url)}\n${body.text}`;
  const answered = async (tx: Tx) =>
    key === null ? undefined : await rememberedAnswer(tx, actor, key, what, parts.clock());
  if (route.prepare && !await parts.store.read(answered)) {
    await route.prepare(preparationFor(asked, body.value));
  }
  const write = async (tx: Tx): Promise<Answer> => {
    const earlier = await answered(tx);
    if (earlier) return { ...earlier, replayed: true };
    const project = projectId === undefined
      ? undefined
      : await caughtUpProject(tx, projectId, actor, parts.clock());
    const call = callFor(asked, tx, project, body.value);
    const result = await handle(route, call);
    if (route.audit) {
      const entry = route.audit(call, result);
      // A change outside of a project is the creation of one.
      await recordAudit(call, projectId ?? entry.target_identifier, entry);
    }
    const answer = { status: route.status, text: textOf(asked, result) };
    if (key !== null) await rememberAnswer(tx, actor, key, what, answer, parts.clock());
    return answer;
  };
  return await atPresent(parts.catchUp, projectId, () => parts.store.write(write, projectId));
}

/** A response, in the names of the dialect. */
function textOf({ parts: { dialect } }: Asked, result: unknown): string {
  return JSON.stringify(dialect === "public" ? publicAnswer(result) : result);
}

/** The request for a route's preparation. */
function preparationFor(asked: Asked, body: unknown): Preparation {
  const { parts, actor, projectId } = asked;
  return {
    targets: parts.targets,
    read: (work) =>
      parts.store.read(async (tx) => {
        const project = projectId === undefined
          ? undefined
          : await projectFor(tx, projectId, actor);
        return await work(callFor(asked, tx, project, body));
      }),
  };
}

/** Runs the handler. The body is valid, even if the handler does not read it. */
async function handle(route: Route, call: Call): Promise<unknown> {
  try {
    const result = await route.handle(call);
    call.body();
    return result;
  } catch (error) {
    // An invalid body is refused before the rules of the operation.
    if (error instanceof Refusal && error.status > 404) call.body();
    throw error;
  }
}

const noBody = z.strictObject({});

/** The call that a handler gets. */
function callFor(
  asked: Asked,
  tx: Tx,
  project: PresentProject | undefined,
  body: unknown,
): Call {
  const { route, parts, request, actor, params } = asked;
  const { query, expand } = queryOf(asked);
  const wall = parts.clock;
  const now = project ? presentOf(project, wall()) : wall();
  if (project && (project.clock_frozen_at ?? project.clock_offset) !== 0) asked.time = now;
  // The body is checked afterwards, even if the handler did not read it. One check is enough.
  let checked: { body: unknown } | undefined;
  const call: AccountCall & { project: PresentProject | undefined } = {
    // Without a project there are no objects in one.
    tx: inProject(tx, project?.id ?? ""),
    project,
    params,
    query,
    expand,
    get url() {
      return new URL(request.url);
    },
    actor,
    now,
    wall,
    get userAgent() {
      return request.headers.get("user-agent");
    },
    body: () => (checked ??= { body: validate(route.body ?? noBody, body) }).body,
  };
  // Only handlers of routes below a project read `project`, and their path has one.
  return call as Call;
}

/** The caller of the `Authorization` header, or 401. Promises it where that must be looked up. */
function callerOf(request: Request, parts: ServerParts): Actor | Promise<Actor> {
  const header = request.headers.get("authorization");
  const token = /^Bearer ([\x21-\x7e]+)$/i.exec(header ?? "")?.[1];
  const actor = token === undefined ? undefined : parts.authenticate(token);
  if (!actor) return refuseCaller(header, token, parts.store);
  if (!(actor instanceof Promise)) return actor;
  return actor.then((found) => found ?? refuseCaller(header, token, parts.store));
}

/** Refuses a request without a credential that counts. */
async function refuseCaller(
  header: string | null,
  token: string | undefined,
  store: Store,
): Promise<never> {
  if (token !== undefined) await refusePublicKey(token, store);
  const message = header === null
    ? "A credential is required: send Authorization: Bearer <access token>"
    : token === undefined
    ? "The Authorization header must be: Bearer <access token>"
    : "The credential is unknown, expired or revoked";
  const challenge = header === null ? "Bearer" : 'Bearer error="invalid_token"';
  throw new Refusal(401, "authentication_error", message, {
    headers: { "WWW-Authenticate": challenge },
  });
}

/** The message for a public SDK key at an address that needs a token. */
async function refusePublicKey(token: string, store: Store): Promise<void> {
  // All projects: public keys of each of them are refused.
  const key = await store.read((tx) =>
    acrossProjects(tx).selectFrom("app_keys").select("id").where("key", "in", spellingsOfKey(token))
      .executeTakeFirst()
  );
  if (!key) return;
  const message =
    "A public SDK key is for apps, under /v1 and /rcbilling/v1; send an access token here";
  throw new Refusal(403, "authorization_error", message);
}

/** A cache of the routes that callers may use. A caller's permissions never change. */
const permitted = new WeakMap<Actor, Set<Route>>();

/** Refuses a caller without all of the route's permissions, and names the missing ones. */
function checkScope(actor: Actor, route: Route): void {
  const known = permitted.get(actor) ?? new Set();
  if (known.has(route)) return;
  const missing = route.scopes.filter((scope) => !allows(actor.scope, scope));
  if (missing.length === 0) {
    known.add(route);
    permitted.set(actor, known);
    return;
  }
  const names = missing.map((scope) => `"${scope}"`).join(", ");
  const message = `The credential lacks the permission${missing.length > 1 ? "s" : ""} ${names}`;
  throw new Refusal(403, "authorization_error", message, { missing_scopes: missing });
}

/** Refuses a caller without access to the project, and lets the project catch up. */
async function admit(
  { store, catchUp, clock }: ServerParts,
  projectId: string,
  actor: Actor,
): Promise<void> {
  const project = await store.read(async (tx) => await projectFor(tx, projectId, actor));
  if (isBehind(project, clock())) await bringToPresent(catchUp, projectId);
}
