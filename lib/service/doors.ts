/**
 * The servers of the service, by the beginning of the path. Each is loaded for its first request, so
 * that a start does not wait for code that it does not need.
 *
 * @module
 */

import type { Delivery } from "./events/mod.ts";
import type { Answerer } from "./http/mount.ts";
import type { ServerParts } from "./http/server.ts";
import type { OAuth } from "./oauth/mod.ts";
import type { RequestMetrics } from "./http/metrics.ts";
import { healthRoutes, isHealthPath } from "./health.ts";
import { createOpenServer } from "./http/open_server.ts";
import type { RequestFaults } from "./sim/faults.ts";
import type { Outage } from "./store/mod.ts";

/** The parts that the servers need. */
interface DoorParts extends ServerParts {
  /** The deliveries of events to webhooks. */
  delivery: Omit<Delivery, "store">;
  /** Sign-in and tokens. */
  oauth: OAuth;
  /** The faults that the simulator injects. */
  faults: RequestFaults;
  /** The secret for `/_sim` and the metrics, `adm_…`. */
  adminSecrets: readonly string[];
  /** The secret for the metrics alone. */
  metricsSecret?: string | undefined;
  /** The reason why the database cannot be used now, or undefined. */
  check(): Promise<Outage | undefined>;
  /** Tells whether the service is about to stop, and still answers. */
  isRetired(): boolean;
  /** The requests so far. */
  requests: RequestMetrics;
}

/** The servers. */
export interface Doors {
  /** Answers everything under `/_sim`. */
  sim: Answerer;
  /** Answers everything under `/v2`. */
  api: Answerer;
  /** Answers apps, under `/v1` and `/rcbilling/v1`. */
  sdk: Answerer;
  /** Answers everything else. */
  open: Answerer;
  /** Loads all servers. */
  warm(): Promise<void>;
  /** Waits for the simulator's requests in progress, which still read their results. */
  stop(): Promise<void>;
}

/** Makes the servers, without loading their code. */
export function openDoors(parts: DoorParts): Doors {
  const { oauth, dialect } = parts;
  const api = lazily(async () => {
    const [{ createServer }, { publicRoutes, routes }] = await Promise.all([
      import("./http/server.ts"),
      import("./routes/mod.ts"),
    ]);
    return createServer([...routes, ...dialect === "public" ? publicRoutes : []], parts);
  });
  const sdk = lazily(async () => {
    const [{ createSdkServer }, { sdkRoutes }] = await Promise.all([
      import("./http/sdk_server.ts"),
      import("./sdk/routes.ts"),
    ]);
    return createSdkServer(sdkRoutes, parts);
  });
  const sim = lazily(async () => {
    const [{ createSimServer }, { adminRoutes, simRoutes }, { createPopulations }] = await Promise
      .all([
        import("./sim/server.ts"),
        import("./sim/routes.ts"),
        import("./sim/people/populations.ts"),
      ]);
    const all = { ...parts, populations: createPopulations(parts) };
    return createSimServer([...simRoutes, ...adminRoutes], all);
  });
  const open = lazily(async () => {
    const { openRoutes } = await import("./open_routes.ts");
    return createOpenServer([...await oauth.routes(), ...openRoutes(parts)], parts);
  });
  // A balancer asks for these first, and again and again.
  const health = createOpenServer(healthRoutes(parts), parts);
  const isHealth = ({ url }: Request) => isHealthPath(new URL(url).pathname);
  return {
    api: passing(api),
    sdk: passing(sdk),
    sim: async (request) => (await sim.get()).answer(request),
    open: async (request, sender) =>
      await (isHealth(request) ? health : await open.get())(request, sender),
    async warm() {
      for (const { get } of [api, open, sim, sdk]) await get();
    },
    async stop() {
      await (await sim.loaded())?.stop();
    },
  };
}

/** Passes requests on to a server, which is loaded for the first of them. */
function passing(server: Lazy<Answerer>): Answerer {
  return (request, sender) => {
    const { ready } = server;
    if (ready) return ready(request, sender);
    return server.get().then((answer) => answer(request, sender));
  };
}

/** Something that is loaded at first use. */
interface Lazy<T> {
  /** What is loaded; undefined until then. */
  readonly ready: T | undefined;
  /** Loads it, unless it is loaded already. */
  get(): Promise<T>;
  /** The loaded one, or undefined if nobody has asked for it. */
  loaded(): Promise<T | undefined>;
}

/** Loads something at first use, and again after a failure. */
function lazily<T>(load: () => Promise<T>): Lazy<T> {
  let loading: Promise<T> | undefined;
  let ready: T | undefined;
  return {
    get ready() {
      return ready;
    },
    get: () =>
      loading ??= load().then((loaded) => ready = loaded, (error) => {
        loading = undefined;
        throw error;
      }),
    loaded: async () => await loading?.catch(() => undefined),
  };
}
