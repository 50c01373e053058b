/**
 * Answers requests under `/_sim`: the operations of a local service beyond the specification, with
 * the admin secret.
 *
 * @module
 */

import { z } from "zod";
import { VERSION } from "../../version.ts";
import { requireSecret } from "../http/admin_secret.ts";
import { type RawBody, readBody, validate } from "../http/body.ts";
import { projectTime } from "../time/clock.ts";
import { noProject } from "../contract/errors.ts";
import { openApiDocument } from "../contract/openapi.ts";
import type { Delivery } from "../events/mod.ts";
import type { Observation } from "../http/metrics.ts";
import { type Found, mount } from "../http/mount.ts";
import { checkPath, checkQuery } from "../http/query.ts";
import { atPresent, behind, bringToPresent } from "../http/present.ts";
import { refuse } from "../http/respond.ts";
import { catchUpWithin } from "../ledger/batches.ts";
import { inProject, type Tx } from "../store/mod.ts";
import { type AdminParts, type AdminRoute, type SimCall, type SimRoute } from "./route.ts";

const noBody = z.strictObject({});

/** The parts of the simulator. */
interface SimServerParts extends Omit<AdminParts, "describe"> {
  /** The deliveries of events to webhooks. */
  delivery: Omit<Delivery, "store">;
  /** The admin secrets that are accepted, `adm_…`. */
  adminSecrets: readonly string[];
  /** Called after each answered request. */
  observe?: ((observation: Observation) => void) | undefined;
  /** Called for internal errors. */
  report(error: unknown): void;
}

/** The server of `/_sim`. */
interface SimServer {
  /** Answers a request. */
  answer(request: Request): Promise<Response>;
  /** Waits for requests in progress, which still read their results. */
  stop(): Promise<void>;
}

/** Makes the server. */
export function createSimServer(
  routes: readonly (SimRoute | AdminRoute)[],
  parts: SimServerParts,
): SimServer {
  const { adminSecrets } = parts;
  const describe = () => JSON.parse(openApiDocument(routes, VERSION));
  const mounted = mount(routes, {
    endpointOf: (route) => route,
    greet: (request) => requireSecret(request, adminSecrets),
    observe: parts.observe,
    async answer(route, found) {
      requireSecret(found.request, adminSecrets);
      checkPath(found.params);
      checkQuery(new URL(found.request.url).searchParams);
      const result = "administer" in route
        ? await administer(route, { ...parts, describe }, found)
        : await answer(route, parts, found);
      const headers = { "Cache-Control": "no-store" };
      return Response.json(result, { status: route.status, headers });
    },
    refuse: (error) => refuse(error, parts),
  });
  const open = new Set<Promise<Response>>();
  return {
    answer(request) {
      const answered = mounted(request).finally(() => open.delete(answered));
      open.add(answered);
      return answered;
    },
    async stop() {
      await Promise.allSettled(open);
    },
  };
}

/** Answers a request outside of projects. */
async function administer(
  route: AdminRoute,
  parts: AdminParts,
  { request, params }: Found,
): Promise<unknown> {
  const { value } = await bodyOf(request);
  const url = new URL(request.url);
  validate(route.query, Object.fromEntries(url.searchParams));
  return await route.administer({
    ...parts,
    params,
    url,
    body: () => validate(route.body ?? noBody, value),
  });
}

/** The body of a request. A GET has none. */
async function bodyOf(request: Request): Promise<RawBody> {
  return /^(GET|HEAD)$/.test(request.method) ? { text: "", value: {} } : await readBody(request);
}

/** A request with its route. */
interface Asked {
  /** The route. */
  route: SimRoute;
  /** The parts of the simulator. */
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

/** Answers a request for a project. */
async function answer(
  route: SimRoute,
  parts: SimServerParts,
  { request, params: { project_id: projectId = "", ...params } }: Found,
): Promise<unknown> {
  const { store, catchUp } = parts;
  const body = await bodyOf(request);
  const asked: Asked = { route, parts, request, projectId, params, body };
  if (!route.still) await bringToPresent(catchUp, projectId);
  const run = (handle: SimRoute["handle"]) => async (tx: Tx) => {
    return await handle(await callFor(asked, tx));
  };
  let result = await atPresent(
    catchUp,
    projectId,
    () =>
      route.method === "GET"
        ? store.read(run(route.handle))
        : store.write(run(route.handle), projectId),
  );
  const { outside, then } = route;
  if (route.catchesUp) catchUp.project(projectId).catch(parts.report);
  if (outside) result = await outside(result, parts.delivery);
  if (then) {
    await catchUp.project(projectId);
    const done = result;
    const show = run((call) => then(call, done));
    result = await atPresent(catchUp, projectId, () => store.read(show));
  }
  return result;
}

/** The call that a handler gets. */
async function callFor(asked: Asked, whole: Tx): Promise<SimCall> {
  const { route, parts, request, projectId, params, body } = asked;
  const wall = parts.clock();
  const [progress] = await parts.catchUp.progress(projectId, whole);
  const mustBePresent = route.method !== "GET" && !route.still && !route.then;
  if (mustBePresent && !await catchUpWithin(whole, projectId, wall)) throw behind(progress);
  const tx = inProject(whole, projectId);
  const project = await tx.selectFrom("projects").selectAll().executeTakeFirst();
  if (!project) throw noProject(projectId);
  // An advance has started meanwhile; the state in between stays hidden.
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
    body: () => validate(route.body ?? noBody, body.value),
  };
}
