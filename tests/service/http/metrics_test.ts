import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import {
  createRequestMetrics,
  gauge,
  METRICS_TYPE,
  metricsText,
} from "../../../lib/service/http/metrics.ts";
import { logged, logLine, reportingTo } from "../../../lib/service/http/request_log.ts";
import { refuse } from "../../../lib/service/http/respond.ts";
import { refuseSdk } from "../../../lib/service/http/sdk_server.ts";
import { acrossProjects } from "../../../lib/service/store/mod.ts";
import { breakInserts, ENGINE } from "../../support/engine.ts";
import { BASE_URL, type Desk, openDesk } from "../../support/harness.ts";
import { authorizePath } from "../../support/oauth_fixture.ts";
import { refuseSame } from "../../../lib/service/http/admin_secret.ts";
import { startServer } from "../../support/server.ts";

/** The form of a line in the text format. */
const LINE =
  /^(# (HELP|TYPE) svc_\w+ .+|svc_\w+(\{(\w+="([^"\\\n]|\\[\\"n])*",?)*\})? [-+.\deInf]+)$/;

/** Reads the metrics with the admin secret. */
async function scrape(desk: Desk): Promise<string> {
  const headers = { Authorization: `Bearer ${desk.service.adminSecret}` };
  const response = await desk.service.fetch(new Request(`${BASE_URL}/metrics`, { headers }));
  equal(response.status, 200);
  match(response.headers.get("Content-Type") ?? "", /^text\/plain; version=0\.0\.4/);
  return await response.text();
}

Deno.test("the metrics count requests by route and status, in the text format", async () => {
  await using desk = await openDesk();
  const offerings = `/v2/projects/${desk.projectId}/offerings`;
  for (const id of ["a", "b", "c"]) await desk.send("GET", `${offerings}/${id}`);
  await desk.send("GET", offerings);
  for (const path of ["/one", "/two", "/v2/three"]) {
    await desk.service.fetch(new Request(BASE_URL + path));
  }
  const text = await scrape(desk);
  for (const line of text.trimEnd().split("\n")) match(line, LINE);
  const one = 'method="GET",path="/v2/projects/{project_id}/offerings/{id}"';
  ok(text.includes(`svc_http_requests_total{${one},status="404"} 3\n`), text);
  ok(text.includes(`svc_http_request_duration_seconds_bucket{${one},le="+Inf"} 3\n`));
  ok(text.includes(`svc_http_request_duration_seconds_count{${one}} 3\n`));
  const bounds = [...text.matchAll(/_bucket\{(.*),le="(.*)"\}/g)].flatMap(([, labels, bound]) =>
    labels === one ? [Number(bound?.replace("+Inf", "Infinity"))] : []
  );
  const decades = [0.001, 0.01, 0.1, 1].flatMap((ten) => [ten, 2.5 * ten, 5 * ten]);
  deepEqual(bounds, [...decades, 10, Infinity]);
  // Requests for unknown paths add no lines.
  ok(text.includes('svc_http_requests_total{method="other",path="unknown",status="404"} 2\n'));
  match(text, /^svc_up 1$/m);
  match(text, /^svc_projects_behind 0$/m);
});

/** The value of a sample in the metrics. */
function sampleIn(text: string, name: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

Deno.test("the metrics count the units of work in each commit", async () => {
  await using desk = await openDesk();
  const read = async (...names: string[]) => {
    const text = await scrape(desk);
    return names.map((name) => sampleIn(text, `svc_commit_units${name}`));
  };
  const names = ["_count", "_sum", '_bucket{le="+Inf"}'];
  const [commits = NaN, units = NaN] = await read(...names);
  ok(commits > 0 && units >= commits, "the demonstration project was committed");
  const all = Array.from({ length: 40 }, (_, i) => ({ lookup_key: `k${i}`, display_name: "x" }));
  const path = `/v2/projects/${desk.projectId}/entitlements`;
  const responses = await Promise.all(all.map((body) => desk.send("POST", path, body)));
  ok(responses.every(({ status }) => status === 201));
  const [more = NaN, later = NaN, top = NaN] = await read(...names);
  ok(later - units >= 40, `${later - units} units for 40 requests`);
  ok(more - commits < 40, `${more - commits} commits for 40 requests at once`);
  equal(top, more);
  // Reads change nothing, so they are no commits.
  const gets = Array.from({ length: 20 }, () => desk.send("GET", path));
  for (const response of await Promise.all(gets)) await response.body?.cancel();
  const [, last = NaN] = await read(...names);
  ok(last - later < 20, `${last - later} units for reads`);
});

Deno.test("the metrics show the connections to a server, and none without one", async () => {
  await using desk = await openDesk();
  const text = await scrape(desk);
  const [busy, idle, waiting] = [
    'svc_database_connections{state="busy"}',
    'svc_database_connections{state="idle"}',
    "svc_database_connections_waiting",
  ].map((name) => sampleIn(text, name));
  if (ENGINE === "sqlite") return deepEqual([busy, idle, waiting], [NaN, NaN, NaN]);
  ok(Number(busy) + Number(idle) > 0, `${busy} busy, ${idle} idle`);
  equal(waiting, 0);
});

Deno.test("the metrics need the admin secret", async () => {
  await using desk = await openDesk();
  for (const headers of [{}, { Authorization: "Bearer adm_x" }, { Authorization: "Bearer " }]) {
    const response = await desk.service.fetch(new Request(`${BASE_URL}/metrics`, { headers }));
    equal(response.status, 401);
    match(await response.text(), /"The metrics secret or the admin secret is required"/);
  }
  equal((await desk.send("GET", "/metrics")).status, 401, "an access token is not enough");
});

Deno.test("the secret for the metrics opens them and nothing else, and is not the admin secret", async () => {
  const metricsSecret = "met_0123456789abcdef";
  await using server = await startServer({ metricsSecret });
  const statusOf = async (path: string, secret: string) => {
    const headers = { Authorization: `Bearer ${secret}` };
    const response = await fetch(server.baseUrl + path, { headers });
    await response.body?.cancel();
    return response.status;
  };
  equal(await statusOf("/metrics", metricsSecret), 200);
  equal(await statusOf("/metrics", server.adminSecret), 200);
  equal(await statusOf("/metrics", `${metricsSecret}0`), 401);
  equal(await statusOf("/_sim/openapi.json", metricsSecret), 401);
  equal(await statusOf("/v2/projects", metricsSecret), 401);
  throws(() => refuseSame("adm_one", ["adm_two", "adm_one"]), {
    name: "ConfigError",
    message: /the secret for the metrics is the admin secret/,
  });
  refuseSame("adm_three", ["adm_two", "adm_one"]);
});

Deno.test("a delivery that is due shows in the metrics with its age", async () => {
  let now = Date.now();
  await using desk = await openDesk({ clock: () => now, later: () => () => {} });
  const read = async (name: string) =>
    Number(new RegExp(`^${name} (\\S+)$`, "m").exec(await scrape(desk))?.[1]);
  equal(await read("svc_deliveries_due"), 0);
  await desk.service.store.write(async (tx) => {
    await acrossProjects(tx).insertInto("webhook_integrations").values({
      project_id: desk.projectId,
      id: "whintgr1",
      seq: 1_000_001,
      name: "one",
      url: "https://example.com/",
      event_types: null,
      authorization_header: null,
      environment: null,
      app_id: null,
      signing_secret: "whsec_x",
      created_at: now,
    }).execute();
    // The other one is ready at once.
    const deliveries = [["1", "ada", now], ["2", "bob", 0]] as const;
    for (const [number, customer_id, ready_at] of deliveries) {
      const of = { project_id: desk.projectId, customer_id };
      await acrossProjects(tx).insertInto("events").values({
        ...of,
        id: `e${number}`,
        seq: 1_000_002 + Number(number),
        type: "TEST",
        app_id: null,
        environment: "production",
        created_at: now,
        payload: "{}",
      }).execute();
      await acrossProjects(tx).insertInto("deliveries").values({
        ...of,
        id: `d${number}`,
        seq: 1_000_004 + Number(number),
        integration_id: "whintgr1",
        event_id: `e${number}`,
        ready_at,
      }).execute();
    }
  });
  now += 90_000;
  equal(await read("svc_deliveries_due"), 2);
  equal(await read("svc_delivery_lag_seconds"), 90);
});

Deno.test("each metric has its help, its type and its samples, and odd characters are escaped", () => {
  const odd = 'a\\b"c\nd';
  const text = metricsText([
    gauge("svc_up", odd, 1),
    {
      name: "svc_x",
      help: "Things",
      type: "counter",
      samples: [{ value: 0 }, { suffix: "_sum", labels: { one: odd, two: "" }, value: 1.5 }],
    },
    { name: "svc_none", help: "Nothing", type: "histogram", samples: [] },
  ]);
  deepEqual(text.split("\n"), [
    '# HELP svc_up a\\\\b"c\\nd',
    "# TYPE svc_up gauge",
    "svc_up 1",
    "# HELP svc_x Things",
    "# TYPE svc_x counter",
    "svc_x 0",
    'svc_x_sum{one="a\\\\b\\"c\\nd",two=""} 1.5',
    "# HELP svc_none Nothing",
    "# TYPE svc_none histogram",
    "",
  ]);
  equal(METRICS_TYPE, "text/plain; version=0.0.4; charset=utf-8");
});

Deno.test("requests of one method and path are counted together, with the sum of their seconds", () => {
  const requests = createRequestMetrics();
  const one = { method: "GET", path: "/a" };
  const same = { ...one };
  requests.observe({ endpoint: one, status: 200, ms: 500 });
  requests.observe({ endpoint: same, status: 200, ms: 250 });
  requests.observe({ endpoint: one, status: 404, ms: 2000 });
  requests.observe({ endpoint: { method: "PUT", path: "/a" }, status: 200, ms: 1 });
  const lines = metricsText(requests.metrics()).split("\n");
  deepEqual(lines.filter((line) => !line.includes("_bucket")), [
    "# HELP svc_http_requests_total Answered requests",
    "# TYPE svc_http_requests_total counter",
    'svc_http_requests_total{method="GET",path="/a",status="200"} 2',
    'svc_http_requests_total{method="GET",path="/a",status="404"} 1',
    'svc_http_requests_total{method="PUT",path="/a",status="200"} 1',
    "# HELP svc_http_request_duration_seconds Time from the arrival of a request to its response",
    "# TYPE svc_http_request_duration_seconds histogram",
    'svc_http_request_duration_seconds_sum{method="GET",path="/a"} 2.75',
    'svc_http_request_duration_seconds_count{method="GET",path="/a"} 3',
    'svc_http_request_duration_seconds_sum{method="PUT",path="/a"} 0.001',
    'svc_http_request_duration_seconds_count{method="PUT",path="/a"} 1',
    "",
  ]);
});

Deno.test("a histogram counts each duration in every bucket that covers it", () => {
  const requests = createRequestMetrics();
  for (const ms of [1, 1.5, 9999, 60_000]) {
    requests.observe({ endpoint: { method: "GET", path: 'a"b' }, status: 200, ms });
  }
  const lines = metricsText(requests.metrics()).split("\n");
  const bucket = (le: string) =>
    lines.find((line) => line.includes(`_bucket{method="GET",path="a\\"b",le="${le}"}`))
      ?.split(" ").at(-1);
  deepEqual(["0.001", "0.0025", "5", "10", "+Inf"].map(bucket), ["1", "2", "2", "3", "4"]);
});

Deno.test("the log has a JSON line for each request, and the id of its response", async () => {
  const lines: string[] = [];
  await using server = await startServer({ log: (line) => lines.push(line) });
  const response = await fetch(`${server.baseUrl}/v2/projects?secret=x%E2%80%AE`);
  await response.body?.cancel();
  await server.stop();
  equal(lines.length, 1, lines.join("\n"));
  const { time, duration_ms, ...line } = JSON.parse(lines[0] ?? "");
  deepEqual(line, {
    level: "info",
    message: "request",
    request_id: response.headers.get("X-Request-Id"),
    method: "GET",
    path: "/v2/projects",
    status: 401,
    client: "127.0.0.1",
  });
  match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  ok(duration_ms >= 0 && duration_ms < 60_000);
  equal(duration_ms, Number(duration_ms.toFixed(3)));
});

Deno.test("the log has the place of an internal error, and a warning's text alone", () => {
  const lines: string[] = [];
  const report = reportingTo((line) => lines.push(line), () => Date.UTC(2026, 0, 31));
  const error = new TypeError("broken");
  report(error);
  report("a warning");
  const time = "2026-01-31T00:00:00.000Z";
  deepEqual(lines.map((line) => JSON.parse(line)), [
    { time, level: "error", message: "broken", stack: error.stack },
    { time, level: "warning", message: "a warning" },
  ]);
});

Deno.test("a line of the log is JSON that no terminal obeys", () => {
  const odd = "\u007f\u009f\u061c\u200e\u200f\u2028\u202e\u2066\u2069\u0007é";
  const line = logLine(0, "info", { message: odd, status: 5 });
  equal(
    line,
    '{"time":"1970-01-01T00:00:00.000Z","level":"info","message":"\\u007f\\u009f\\u061c\\u200e' +
      '\\u200f\\u2028\\u202e\\u2066\\u2069\\u0007é","status":5}',
  );
  equal(JSON.parse(line).message, odd);
});

Deno.test("the cause of a failed request is in a line of the log with the same id", async () => {
  const lines: string[] = [];
  const report = reportingTo((line) => lines.push(line), Date.now);
  await using desk = await openDesk({ report });
  await breakInserts(desk.service.store, "consent_forms");
  const answer = logged(desk.service.fetch, (line) => lines.push(line), Date.now);
  const page = await answer(new Request(BASE_URL + authorizePath()));
  equal(page.status, 500);
  const [cause, request] = lines.splice(0).map((line) => JSON.parse(line));
  deepEqual([cause.level, request.level, request.message], ["error", "error", "request"]);
  match(cause.message, /consent_forms/);
  match(cause.stack, /consent_forms/);
  equal(cause.request_id, page.headers.get("X-Request-Id"));
  equal(request.request_id, cause.request_id);
  for (const refused of [refuse, refuseSdk]) {
    const { headers } = refused(new Error("lost"), { report });
    const { message, request_id } = JSON.parse(lines.pop() ?? "");
    deepEqual([message, request_id], ["lost", headers.get("X-Request-Id")]);
  }
  report(new Error("of no request"));
  equal(JSON.parse(lines.pop() ?? "").request_id, undefined);
});

Deno.test("each line of the log has the id of its response, those of sign-in pages too", async () => {
  const lines: string[] = [];
  await using server = await startServer({ log: (line) => lines.push(line) });
  const ids: (string | null)[] = [];
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(server.baseUrl + path, { redirect: "manual", ...init });
    await response.body?.cancel();
    ids.push(response.headers.get("X-Request-Id"));
  };
  const form = { method: "POST", body: new URLSearchParams({ form: "none" }) };
  await ask(authorizePath());
  await ask("/oauth2/authorize");
  await ask("/oauth2/authorize", form);
  await ask("/oauth2/authorize/sign-in", form);
  await ask("/oauth2/token", form);
  await ask("/.well-known/oauth-authorization-server");
  await ask("/health", { method: "HEAD" });
  await ask("/nothing");
  await server.stop();
  for (const id of ids) match(id ?? "none", /^req[0-9a-f]{16}$/);
  equal(new Set(ids).size, ids.length);
  deepEqual(lines.map((line) => JSON.parse(line).request_id), ids);
});
