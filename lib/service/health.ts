/**
 * The health of the service: whether it works, whether the process lives, and whether a balancer should
 * send it requests.
 *
 * @module
 */

import { VERSION } from "../version.ts";
import { Refusal } from "./contract/errors.ts";
import { faultOfOutage } from "./contract/fault.ts";
import { type OpenRoute, readable } from "./http/open_server.ts";
import { type Outage, outageIn, schemaSteps, type Store } from "./store/mod.ts";

/** The parts that the health depends on. */
interface HealthParts {
  /** The database. */
  store: Store;
  /** The reason why the database cannot be used now, or undefined. */
  check(): Promise<Outage | undefined>;
  /** Tells whether the service is about to stop, and still answers. */
  isRetired(): boolean;
  /** Tells whether the service is stopping. */
  catchUp: { isStopped(): boolean };
}

/** Whether a path is one of those routes. Balancers ask for them again and again. */
export function isHealthPath(pathname: string): boolean {
  return HEALTH_PATHS.has(pathname);
}

const HEALTH_PATHS: ReadonlySet<string> = new Set(["/health", "/health/live", "/health/ready"]);

const HEADERS = { "Cache-Control": "no-store" };

/** The routes of the health. */
export function healthRoutes(parts: HealthParts): OpenRoute[] {
  return [
    ...readable("/health", async () => {
      const outage = await parts.check();
      return outage ? answerOutage(outage) : answerOk("ok");
    }),
    ...readable("/health/live", async () => {
      const outage = parts.store.isLost?.() ? await parts.check() : undefined;
      return outage ? answerOutage(outage) : answerOk("live");
    }),
    ...readable("/health/ready", () => answerReady(parts)),
  ];
}

/** Whether requests would be answered now. */
async function answerReady(parts: HealthParts): Promise<Response> {
  const { store, check, catchUp, isRetired } = parts;
  if (isRetired() || catchUp.isStopped()) {
    return answerUnready("The service is stopping", "stopping");
  }
  const outage = await check();
  if (outage) return answerOutage(outage);
  const { known, done } = await store.read(schemaSteps).catch((error) => {
    if (outageIn(error)) throw error;
    // The table of the steps is gone.
    return { known: 1, done: 0 };
  });
  // A newer version may have added steps while this process runs: that is an upgrade.
  if (done >= known) return answerOk("ready");
  const reason = "the database lacks tables of this version";
  return answerUnready(`The service cannot answer requests: ${reason}`, reason);
}

function answerOk(status: "ok" | "live" | "ready"): Response {
  return Response.json({ status, version: VERSION }, { headers: HEADERS });
}

/** An outage, with its reason. */
function answerOutage(outage: Outage): Response {
  const { status: _, message, ...details } = faultOfOutage(outage);
  // The usual form of errors, so that clients show the message.
  const { body } = new Refusal(503, "server_error", message, details);
  const state = { status: "unavailable", version: VERSION, reason: outage.cause };
  const headers = { ...HEADERS, ...details.headers };
  return Response.json({ ...body, ...state }, { status: 503, headers });
}

function answerUnready(message: string, reason: string): Response {
  const { body } = new Refusal(503, "server_error", message, { backoff_ms: 1000 });
  const state = { status: "unavailable", version: VERSION, reason };
  const headers = { ...HEADERS, "Retry-After": "1" };
  return Response.json({ ...body, ...state }, { status: 503, headers });
}
