/**
 * Answers requests to the simulator's routes.
 *
 * @module
 */

import { Hono } from "hono";
import { type RawBody, readBody, validate } from "../http/body.ts";
import { projectTime } from "../clock.ts";
import { Refusal } from "../contract/errors.ts";
import type { Delivery } from "../events/mod.ts";
import { refuse, type ServerParts } from "../http/server.ts";
import { atPresent, behind, bringToPresent } from "../http/present.ts";
import { settleWithin } from "../ledger/settle.ts";
import { inProject, type Tx } from "../store/mod.ts";
import { type SimCall, simPath, type SimRoute } from "./route.ts";

/** What the simulator works on. */
export interface SimServerParts
  extends Pick<ServerParts, "store" | "clock" | "settler" | "report"> {
  /** What happens to events on their way to webhooks. */
  delivery: Omit<Delivery, "store">;
}

/** What answers requests. */
export interface SimServer {
  /**
   * Answers a request.
   *
   * @throws {Refusal} what it refuses.
   */
  answer(request: Request): Promise<Response>;
  /** Lets the requests that are under way end: they read what came of what they have waited for. */
  stop(): Promise<void>;
}

/** Makes what answers requests. */
export function createSimServer(routes: readonly SimRoute[], parts: SimServerParts): SimServer {
  const app = new Hono();
  const methods = new Map<string, string[]>();
  for (const route of routes) {
    const pattern = simPath(route).replace(/\{(\w+)\}/g, ":$1");
    methods.set(pattern, [...methods.get(pattern) ?? [], route.method]);
    app.on(route.method, pattern, (c) => answer(route, parts, c.req.raw, c.req.param()));
  }
  for (const [pattern, known] of methods) {
    app.all(pattern, (c) => {
      const message = `${c.req.method} is not allowed here; use ${known.join(" or ")}`;
      throw new Refusal(405, "invalid_request", message, { headers: { Allow: known.join(", ") } });
    });
  }
  app.notFound((c) => {
    throw new Refusal(404, "resource_missing", `There is nothing at ${c.req.method} ${c.req.path}`);
  });
  app.onError((error) => refuse(error, parts));
  const open = new Set<Promise<Response>>();
  return {
    answer(request) {
      const answered = Promise.resolve(app.fetch(request)).finally(() => open.delete(answered));
      open.add(answered);
      return answered;
    },
    async stop() {
      await Promise.allSettled(open);
    },
  };
}

/** A request that has found its route. */
interface Asked {
  /** The route. */
  route: SimRoute;
  /** What the simulator works on. */
  parts: SimServerParts;
  /** The request itself. */
  request: Request;
  /** The project in its path. */
  projectId: string;
  /** The other values in its path. */
  params: Record<string, string>;
  /** Its body, read but not validated. */
  body: RawBody;
}

async function answer(
  route: SimRoute,
  parts: SimServerParts,
  request: Request,
  { project_id: projectId = "", ...params }: Record<string, string>,
): Promise<Response> {
  const { store, settler } = parts;
  const body = route.method === "GET" ? { text: "", value: {} } : await readBody(request);
  const asked: Asked = { route, parts, request, projectId, params, body };
  if (!route.still) await bringToPresent(settler, projectId);
  const run = (handle: SimRoute["handle"]) => async (tx: Tx) => {
    return await handle(await callFor(asked, tx));
  };
  let result = await atPresent(
    settler,
    projectId,
    () => route.method === "GET" ? store.read(run(route.handle)) : store.write(run(route.handle)),
  );
  const { outside, then } = route;
  if (route.settles) settler.settle(projectId).catch(parts.report);
  if (outside) result = await outside(result, parts.delivery);
  if (then) {
    await settler.settle(projectId);
    const done = result;
    const show = run((call) => then(call, done));
    result = await atPresent(settler, projectId, () => store.read(show));
  }
  return Response.json(result, { status: route.status, headers: { "Cache-Control": "no-store" } });
}

/** The call that a handler gets. */
async function callFor(asked: Asked, whole: Tx): Promise<SimCall> {
  const { route, parts, request, projectId, params, body } = asked;
  const wall = parts.clock();
  const progress = parts.settler.progress(projectId)[0];
  const settles = route.method !== "GET" && !route.still && !route.then;
  if (settles && !await settleWithin(whole, projectId, wall)) throw behind(progress);
  const tx = inProject(whole, projectId);
  const project = await tx.selectFrom("projects").selectAll().executeTakeFirst();
  if (!project) throw noProject(projectId);
  // An advance has begun since: where the project is, nobody is to see.
  if (project.clock_advancing_to !== null && !route.still) throw behind(progress);
  const url = new URL(request.url);
  return {
    tx,
    project,
    progress,
    params,
    query: validate(route.query, Object.fromEntries(url.searchParams)),
    url,
    now: projectTime(project, wall),
    wall: parts.clock,
    body: () => validate(route.body, body.value),
  };
}

function noProject(id: string): Refusal {
  return new Refusal(404, "resource_missing", `There is no project ${JSON.stringify(id)}`, {
    param: "project_id",
  });
}
