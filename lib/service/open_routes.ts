/**
 * The routes without a credential: health, the document, and files with a signed address.
 *
 * @module
 */

import { VERSION } from "../version.ts";
import type { Clock } from "./time/clock.ts";
import type { Dialect } from "./contract/spelling.ts";
import { healthRoutes } from "./health.ts";
import { type OpenRoute, readable } from "./http/open_server.ts";
import { readFile } from "./records/invoice_files.ts";
import { FILES } from "./records/file_key.ts";
import { requireSecret } from "./http/admin_secret.ts";
import { gauge, METRICS_TYPE, metricsText, type RequestMetrics } from "./http/metrics.ts";
import { type Outage, type Store } from "./store/mod.ts";
import { storeMetrics } from "./store_metrics.ts";
import { workWaiting } from "./waiting_work.ts";

/** The parts that the routes need. */
interface OpenParts {
  /** The database. */
  store: Store;
  /** Wall time. */
  clock: Clock;
  /** The dialect of the document. */
  dialect: Dialect;
  /** The reason why the database cannot be used now, or undefined. */
  check(): Promise<Outage | undefined>;
  /** The secrets for the metrics, `adm_…`. */
  adminSecrets: readonly string[];
  /** The secret for the metrics alone. */
  metricsSecret?: string | undefined;
  /** Tells whether the service is about to stop, and still answers. */
  isRetired(): boolean;
  /** Tells whether the service is stopping. */
  catchUp: { isStopped(): boolean };
  /** The requests so far. */
  requests: RequestMetrics;
}

/** The routes without a credential. */
export function openRoutes(parts: OpenParts): OpenRoute[] {
  const { store, clock, dialect } = parts;
  return [
    ...healthRoutes(parts),
    ...readable("/metrics", async ({ request }) => {
      const { adminSecrets, metricsSecret = "" } = parts;
      const needed = "The metrics secret or the admin secret is required";
      requireSecret(request, [...adminSecrets, metricsSecret], needed);
      return await answerMetrics(parts);
    }),
    ...readable(
      "/openapi.json",
      async () =>
        new Response(await documentIn(dialect), {
          headers: { "Content-Type": "application/json" },
        }),
    ),
    ...readable(`${FILES}{project_id}/{file}`, async ({ request, params }) => {
      const { project_id = "", file = "" } = params;
      const query = new URL(request.url).searchParams;
      return await readFile({ store, clock }, { project_id, file, query });
    }),
  ];
}

/** The metrics of the service, with those that need the database if it can be read. */
async function answerMetrics(
  { store, clock, check, requests }: OpenParts,
): Promise<Response> {
  const outage = await check();
  const work = outage ? [] : await store.read((tx) => workWaiting(tx, clock()));
  const text = metricsText([
    {
      name: "svc_info",
      help: "The version of the service",
      type: "gauge",
      samples: [{ labels: { version: VERSION }, value: 1 }],
    },
    gauge("svc_up", "1 when the database can be read and written", outage ? 0 : 1),
    gauge(
      "svc_resident_memory_bytes",
      "Memory of the process in RAM",
      Deno.memoryUsage().rss,
    ),
    ...work,
    ...storeMetrics(store.figures()),
    ...requests.metrics(),
  ]);
  const headers = { "Content-Type": METRICS_TYPE, "Cache-Control": "no-store" };
  return new Response(text, { headers });
}

const documents = new Map<Dialect, string>();

/** The OpenAPI document of a dialect, created at the first request. */
async function documentIn(dialect: Dialect): Promise<string> {
  const known = documents.get(dialect);
  if (known !== undefined) return known;
  const [{ operations, publicRoutes }, { openApiDocument }] = await Promise.all([
    import("./routes/mod.ts"),
    import("./contract/openapi.ts"),
  ]);
  const all = dialect === "public" ? [...operations, ...publicRoutes] : operations;
  const text = openApiDocument(all, VERSION);
  documents.set(dialect, text);
  return text;
}
