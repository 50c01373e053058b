/**
 * From request to response: the order in which a request is checked, the one place where a handler
 * runs, and the one place where a refusal becomes an answer.
 *
 * Checks run in this order: credential 401, path 404, method 405, permission 403, rate 429, form of
 * body and query 400, object in the path 404, fields of the body 400, then the rules of the operation.
 *
 * @module
 */

import { Hono } from "hono";
import { z } from "zod";
import { recordAudit } from "./audit.ts";
import { type RawBody, readBody, validate } from "./body.ts";
import { type Clock, projectTime } from "./clock.ts";
import { IllegalStep } from "./domain/step.ts";
import { invalid, Refusal, unprocessable } from "./errors.ts";
import { rememberAnswer, type Remembered, rememberedAnswer } from "./idempotency.ts";
import { newId } from "./ids.ts";
import type { RateCounter } from "./rates.ts";
import { type Actor, type Call, fullPath, type Route } from "./route.ts";
import { allows } from "./scopes.ts";
import { isBehind, nextDueAt, type Settler, settleWithin, type TimeOfProject } from "./settle.ts";
import { isStoreUnavailable, type Store, type Tx } from "./store/mod.ts";
import type { Row } from "./store/tables.ts";

/** What the server needs to answer requests. */
export interface ServerParts {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock: Clock;
  /** Lets pass what is due before anybody looks. */
  settler: Settler;
  /** Counts requests towards their limits. */
  rates: RateCounter;
  /** Who a bearer token stands for. */
  authenticate(token: string): Promise<Actor | undefined>;
  /** Told of errors that are our own fault. */
  report(error: unknown): void;
}

/** Answers requests under `/v2`. */
export function createServer(
  routes: readonly Route[],
  parts: ServerParts,
): (request: Request) => Response | Promise<Response> {
  const app = new Hono();
  const shapes = new Map<string, { pattern: string; methods: string[] }>();
  for (const route of routes) {
    const pattern = fullPath(route).replace(/\{(\w+)\}/g, ":$1");
    app.on(route.method, pattern, (c) => answer(route, parts, c.req.raw, c.req.param()));
    const shape = pattern.replace(/:\w+/g, ":");
    const known = shapes.get(shape) ?? { pattern, methods: [] };
    shapes.set(shape, { pattern, methods: [...known.methods, route.method] });
  }
  for (const { pattern, methods } of shapes.values()) {
    app.all(pattern, async (c) => {
      await callerOf(c.req.raw, parts);
      const message = `${c.req.method} is not possible here; use ${methods.join(" or ")}`;
      const headers = { Allow: methods.join(", ") };
      throw new Refusal(405, "invalid_request", message, { headers });
    });
  }
  app.notFound(async (c) => {
    await callerOf(c.req.raw, parts);
    throw nothingAt(c.req.raw);
  });
  app.onError((error) => refuse(error, parts));
  return (request) => app.fetch(request);
}

/** Turns whatever was thrown into an error answer. */
export function refuse(error: unknown, parts: Pick<ServerParts, "report">): Response {
  const refusal = error instanceof Refusal
    ? error
    : error instanceof IllegalStep
    ? unprocessable(error.message)
    : ourFault(error, parts);
  const headers = new Headers(refusal.details.headers);
  return respond(JSON.stringify(refusal.body), refusal.status, headers);
}

/** Takes a request through all checks and its handler. */
async function answer(
  route: Route,
  parts: ServerParts,
  request: Request,
  params: Record<string, string>,
): Promise<Response> {
  const actor = await callerOf(request, parts);
  if (!isEncoded(new URL(request.url).pathname)) throw nothingAt(request);
  const { project_id: projectId, ...values } = params;
  checkScope(actor, route);
  await checkProject(parts, projectId, actor);
  const limits = parts.rates.count(actor.account_id, route.rate);
  try {
    const body = request.method === "GET" ? { text: "", value: {} } : await readBody(request);
    const asked: Asked = { route, parts, request, actor, params: values, projectId, body };
    const { status, text, replayed } = await run(asked);
    const headers = new Headers(limits);
    if (replayed) headers.set("Idempotent-Replayed", "true");
    return respond(text, status, headers);
  } catch (error) {
    const response = refuse(error, parts);
    for (const [name, value] of Object.entries(limits)) response.headers.set(name, value);
    return response;
  }
}

/** A request that has passed the checks at the door. */
interface Asked {
  /** The route that it matches. */
  route: Route;
  /** What the server is made of. */
  parts: ServerParts;
  /** The request itself. */
  request: Request;
  /** Who sends it. */
  actor: Actor;
  /** The values in its path, without the project. */
  params: Record<string, string>;
  /** The project in its path. */
  projectId: string | undefined;
  /** Its body, read but not validated. */
  body: RawBody;
}

/** Runs the handler: a read on a snapshot, anything else in one transaction with its traces. */
async function run(asked: Asked): Promise<Remembered & { replayed?: boolean }> {
  const { route, parts, request, actor, body } = asked;
  if (route.method === "GET") {
    return await parts.store.read(async (tx) => {
      const result = await route.handle(await callFor(asked, tx));
      return { status: route.status, text: JSON.stringify(result) };
    });
  }
  const key = request.headers.get("Idempotency-Key");
  const url = new URL(request.url);
  const what = `${request.method} ${url.pathname}${url.search}\n${body.text}`;
  return await parts.store.write(async (tx) => {
    const earlier = key === null
      ? undefined
      : await rememberedAnswer(tx, actor, key, what, parts.clock());
    if (earlier) return { ...earlier, replayed: true };
    const call = await callFor(asked, tx);
    const result = await handle(route, call);
    if (route.audit) {
      const entry = route.audit(call, result);
      // Outside a project the change is the project's own creation.
      await recordAudit(call, asked.projectId ?? entry.target_identifier, entry);
    }
    const answer = { status: route.status, text: JSON.stringify(result) };
    if (key !== null) await rememberAnswer(tx, actor, key, what, answer, parts.clock());
    return answer;
  });
}

/** Runs the handler. Whether it looks at the body or not, the body is as it must be. */
async function handle(route: Route, call: Call): Promise<unknown> {
  try {
    const result = await route.handle(call);
    call.body();
    return result;
  } catch (error) {
    // No rule of the operation is looked at for a body that is not one.
    if (error instanceof Refusal && error.status > 404) call.body();
    throw error;
  }
}

const noBody = z.strictObject({});

/** The call that a handler gets. */
async function callFor(asked: Asked, tx: Tx): Promise<Call> {
  const { route, parts, request, actor, params, projectId, body } = asked;
  const url = new URL(request.url);
  const wall = parts.clock;
  const project = projectId === undefined ? undefined : await projectNow(asked, tx, projectId);
  const call: Omit<Call, "project"> = {
    tx,
    params,
    query: validate(route.query, Object.fromEntries(url.searchParams)),
    expand: expansions(url, route, actor),
    url,
    actor,
    now: project?.now ?? wall(),
    wall,
    userAgent: request.headers.get("User-Agent"),
    body: () => validate(route.body ?? noBody, body.value),
  };
  // Only the handlers of routes below a project look at `project`; the path gives them one.
  return { ...call, project } as Call;
}

/**
 * The project and its present, which nothing that is due has overtaken: a change lets it pass first;
 * a read, which cannot, sees the moment before it.
 */
async function projectNow(
  { route, parts, actor }: Asked,
  tx: Tx,
  projectId: string,
): Promise<Row<"projects"> & { now: number }> {
  const project = await projectFor(tx, projectId, actor);
  const wall = parts.clock();
  const now = projectTime(project, wall);
  if (!isBehind(project, wall)) return { ...project, now };
  if (route.method === "GET") {
    return { ...project, now: Math.min(now, (project.next_due_at ?? Infinity) - 1) };
  }
  await settleWithin(tx, projectId, wall);
  const settled = await projectFor(tx, projectId, actor);
  return { ...settled, now: projectTime(settled, wall) };
}

/** The caller that the `Authorization` header stands for, or 401. */
async function callerOf(request: Request, parts: ServerParts): Promise<Actor> {
  const header = request.headers.get("Authorization");
  const token = /^Bearer ([\x21-\x7e]+)$/i.exec(header ?? "")?.[1];
  const actor = token === undefined ? undefined : await parts.authenticate(token);
  if (actor) return actor;
  if (token !== undefined) await refusePublicKey(token, parts.store);
  const message = header === null
    ? "A credential is needed: send Authorization: Bearer <access token>"
    : "The credential is unknown, expired or revoked";
  const challenge = header === null ? "Bearer" : 'Bearer error="invalid_token"';
  throw new Refusal(401, "authentication_error", message, {
    headers: { "WWW-Authenticate": challenge },
  });
}

/** Tells the holder of a public SDK key what it is not for. */
async function refusePublicKey(token: string, store: Store): Promise<void> {
  const key = await store.read((tx) =>
    tx.selectFrom("app_keys").select("id").where("key", "=", token).executeTakeFirst()
  );
  if (!key) return;
  const message = "A public SDK key reads offerings under /v1 only; send an access token here";
  throw new Refusal(403, "authorization_error", message);
}

/** The refusal of an address that does not exist. */
function nothingAt(request: Request): Refusal {
  const { pathname } = new URL(request.url);
  return new Refusal(404, "resource_missing", `There is nothing at ${request.method} ${pathname}`);
}

/** Whether every percent sign of a path begins an escape, and the escapes are UTF-8. */
function isEncoded(pathname: string): boolean {
  try {
    decodeURIComponent(pathname);
    return true;
  } catch {
    return false;
  }
}

/** Refuses a caller without the route's permission, and names it. */
function checkScope(actor: Actor, route: Route): void {
  if (allows(actor.scope, route.scope)) return;
  const message = `The credential lacks the permission "${route.scope}"`;
  throw new Refusal(403, "authorization_error", message);
}

/** Refuses a caller who has no seat in the project, and brings the project to its present. */
async function checkProject(
  { store, settler, clock }: ServerParts,
  projectId: string | undefined,
  actor: Actor,
): Promise<void> {
  if (projectId === undefined) return;
  const project = await store.read((tx) => projectFor(tx, projectId, actor));
  if (isBehind(project, clock())) await settler.settle(projectId);
}

/** The project, if the caller has a seat in it. Whether it exists is not told to others. */
async function projectFor(
  tx: Tx,
  projectId: string,
  actor: Actor,
): Promise<Row<"projects"> & TimeOfProject> {
  const project = await tx.selectFrom("projects").selectAll("projects").select(nextDueAt)
    .innerJoin("collaborators", "collaborators.project_id", "projects.id")
    .where("projects.id", "=", projectId)
    .where("collaborators.account_id", "=", actor.account_id)
    .where("collaborators.accepted_at", "is not", null)
    .executeTakeFirst();
  if (project) return project;
  const message = `The credential has no access to the project ${JSON.stringify(projectId)}`;
  throw new Refusal(403, "authorization_error", message);
}

/** What `expand` asks for: repeated or comma-separated, each part known and permitted. */
function expansions(url: URL, route: Route, actor: Actor): ReadonlySet<string> {
  const asked = url.searchParams.getAll("expand").flatMap((value) => value.split(","));
  for (const part of asked) {
    const scopes = route.expand.get(part);
    if (scopes === undefined) {
      const known = [...route.expand.keys()].join(", ") || "nothing";
      throw invalid("expand", `'expand' cannot be ${JSON.stringify(part)} here; it takes ${known}`);
    }
    const scope = scopes.find((needed) => !allows(actor.scope, needed));
    if (scope !== undefined) {
      const message = `Expanding "${part}" needs the permission "${scope}"`;
      throw new Refusal(403, "authorization_error", message);
    }
  }
  return new Set(asked);
}

/** A failure that is no refusal: told to the operator, kept from the caller. */
function ourFault(error: unknown, parts: Pick<ServerParts, "report">): Refusal {
  parts.report(error);
  return isStoreUnavailable(error)
    ? new Refusal(503, "server_error", "The database cannot take the change now", {
      backoff_ms: 1000,
      headers: { "Retry-After": "1" },
    })
    : new Refusal(500, "server_error", "The service failed; its log says why");
}

/** A JSON answer. */
export function respond(text: string, status: number, headers: Headers): Response {
  headers.set("Content-Type", "application/json");
  headers.set("X-Request-Id", newId("request"));
  headers.set("Cache-Control", "no-store");
  return new Response(text, { status, headers });
}
