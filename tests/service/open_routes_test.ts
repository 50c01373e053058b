import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { storeMetrics } from "../../lib/service/store_metrics.ts";
import { workWaiting } from "../../lib/service/waiting_work.ts";
import { acrossProjects, StoreError } from "../../lib/service/store/mod.ts";
import { VERSION } from "../../lib/version.ts";
import { openForTests, openService, type TestService } from "../support/engine.ts";
import { BASE_URL } from "../support/harness.ts";
import { MINUTE, openPostOffice } from "../support/delivery_fixture.ts";
import { answers, openReceiver } from "../support/receiver.ts";

/** Asks a service for something, with a secret or without. */
async function ask({ fetch }: TestService, path: string, secret?: string, method = "GET") {
  const headers = secret === undefined ? {} : { Authorization: `Bearer ${secret}` };
  return await fetch(new Request(`${BASE_URL}${path}`, { method, headers }));
}

Deno.test("a service says that it is well, alive and ready, and not ready when it retires", async () => {
  await using service = await openService({ empty: true });
  const states = { "/health": "ok", "/health/live": "live", "/health/ready": "ready" };
  for (const [path, status] of Object.entries(states)) {
    const response = await ask(service, path);
    equal(response.status, 200);
    equal(response.headers.get("Cache-Control"), "no-store");
    deepEqual(await response.json(), { status, version: VERSION });
    equal((await ask(service, path, undefined, "HEAD")).status, 200);
  }
  service.retire();
  const response = await ask(service, "/health/ready");
  equal(response.status, 503);
  equal(response.headers.get("Retry-After"), "1");
  const { status, version, reason, type, backoff_ms, message } = await response.json();
  deepEqual([status, version, reason, type, backoff_ms, message], [
    ...["unavailable", VERSION, "stopping", "server_error", 1000, "The service is stopping"],
  ]);
  equal((await ask(service, "/health/live")).status, 200);
  equal((await ask(service, "/health")).status, 200);
});

Deno.test("metrics need one of three secrets, and tell the version and that the database works", async () => {
  const secrets = {
    adminSecret: "adm_now",
    formerAdminSecret: "adm_before",
    metricsSecret: "look",
  };
  await using service = await openService({ empty: true, ...secrets });
  for (const secret of Object.values(secrets)) {
    const response = await ask(service, "/metrics", secret);
    equal(response.status, 200, secret);
    equal(response.headers.get("Cache-Control"), "no-store");
    match(response.headers.get("Content-Type") ?? "", /^text\/plain; version=0\.0\.4/);
    const lines = (await response.text()).split("\n");
    const valueOf = (name: string) => lines.find((line) => line.startsWith(`${name} `));
    equal(lines.includes(`svc_info{version="${VERSION}"} 1`), true);
    equal(valueOf("svc_up"), "svc_up 1");
    equal(valueOf("svc_deliveries_due"), "svc_deliveries_due 0");
    equal(valueOf("svc_projects_behind"), "svc_projects_behind 0");
    match(valueOf("svc_resident_memory_bytes") ?? "", / \d{7,}$/);
  }
  for (const secret of [undefined, "", "other", "adm_"]) {
    equal((await ask(service, "/metrics", secret)).status, 401, secret);
  }
  // The secret for metrics opens nothing else.
  equal((await ask(service, "/_sim/projects", "look")).status, 401);
});

Deno.test("the metrics of a service without its database say so, and have no others of its work", async () => {
  await using service = await openService({
    empty: true,
    metricsSecret: "look",
    report: () => {},
    open: async (options) => ({
      ...await openForTests(options),
      probe: () => Promise.reject(new StoreError("Cannot write", { failure: "read_only" })),
    }),
  });
  const response = await ask(service, "/metrics", "look");
  equal(response.status, 200);
  const text = await response.text();
  match(text, /^svc_up 0$/m);
  match(text, /^svc_info\{/m);
  doesNotMatch(text, /^svc_(deliveries|projects)_/m);
});

Deno.test("a worker answers how it is, and sends every other request to another process", async () => {
  await using service = await openService({ role: "worker", metricsSecret: "look" });
  for (const path of ["/health", "/health/live", "/health/ready"]) {
    equal((await ask(service, path)).status, 200);
  }
  equal((await ask(service, "/metrics", "look")).status, 200);
  for (const path of ["/v2/projects", "/openapi.json", "/health/other", "/_sim/projects"]) {
    const response = await ask(service, path);
    equal(response.status, 421, path);
    match((await response.json()).message, /--role worker/);
  }
  // An SDK would give up its purchase after another status.
  equal((await ask(service, "/v1/receipts", undefined, "POST")).status, 503);
});

Deno.test("the connections to a database are shown by state, where there are any", () => {
  const figures = { commits: { ranges: [2, 1], sum: 5 }, connections: undefined };
  deepEqual(storeMetrics(figures).map(({ name }) => name), ["svc_commit_units"]);
  const connections = { open: 7, idle: 3, waiting: 2 };
  const [, ...shown] = storeMetrics({ ...figures, connections });
  deepEqual(shown, [
    {
      name: "svc_database_connections",
      help: "Connections to the database, by state",
      type: "gauge",
      samples: [{ labels: { state: "busy" }, value: 4 }, { labels: { state: "idle" }, value: 3 }],
    },
    {
      name: "svc_database_connections_waiting",
      help: "Units of work that wait for a connection to the database",
      type: "gauge",
      samples: [{ value: 2 }],
    },
  ]);
});

Deno.test("a due delivery counts, and its lag is the time since it was to be repeated", async () => {
  using receiver = openReceiver(answers(500));
  await using office = await openPostOffice({ role: "api" });
  await office.subscribe(receiver);
  await office.buy();
  const { store } = office.desk.service;
  const now = office.time.clock();
  const found = async (ready_at: number) => {
    await store.write((tx) =>
      acrossProjects(tx).updateTable("deliveries").set({ ready_at }).execute()
    );
    const metrics = await store.read((tx) => workWaiting(tx, now));
    return metrics.map(({ samples: [sample] }) => sample?.value);
  };
  deepEqual(await found(0), [1, 0, 0], "at once: since when is not known");
  deepEqual(await found(now), [1, 0, 0]);
  deepEqual(await found(now - MINUTE), [1, 60, 0]);
  deepEqual(await found(now + 1), [0, 0, 0]);
});
