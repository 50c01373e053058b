/**
 * Both engines give the same answers, byte for byte: one story with pinned ids and a pinned time goes
 * to a service on each. Runs with `TEST_ENGINE=postgres`, and is skipped by name otherwise.
 */

import { equal, ok, rejects } from "node:assert/strict";
import { CHARTS } from "../../../lib/service/reports/all_charts.ts";
import { routes } from "../../../lib/service/routes/mod.ts";
import { fullPath } from "../../../lib/service/contract/route.ts";
import { sendGenerated } from "../../support/generated_requests.ts";
import { ONLY_POSTGRES, openChanged } from "../../support/engine.ts";
import { BASE_URL } from "../../support/harness.ts";
import { apiOf } from "../../support/api.ts";
import { fc } from "../../support/properties.ts";
import { fillSite } from "../../support/request_fill.ts";
import { createStock } from "../../support/request_stock.ts";
import { simulateYear } from "../../support/simulated_year.ts";
import { frozen } from "../../support/activities.ts";
import { simulate } from "../../support/simulation.ts";
import { deeds } from "../../support/state_deeds.ts";
import { newModel } from "../../support/subscription_model.ts";
import { openTwins, type TwinDesk } from "../../support/twin_engines.ts";

/** Names whose order depends on the language, unless it is that of their bytes. */
const NAMES = [
  "b",
  "B",
  "a",
  "Z",
  "_",
  "-",
  "é",
  "e\u0301",
  "ß",
  "ss",
  "日本",
  "😀",
  "\uffee",
  "10",
  "9",
];

/** Adds objects with names, texts and numbers that engines like to change. */
async function addCatalogue(desk: TwinDesk): Promise<void> {
  const project = `/v2/projects/${desk.projectId}`;
  for (const name of NAMES) {
    for (const kind of ["entitlements", "offerings"]) {
      const body = { lookup_key: `key ${name}`, display_name: `the ${name}` };
      await desk.send("POST", `${project}/${kind}`, body);
      // The same key again is refused.
      ok((await desk.send("POST", `${project}/${kind}`, body)).status >= 400);
    }
  }
  const numbers =
    `{"z":1.10,"a":1.5e-7,"m":-0.0,"n":9007199254740991,"f":0.1,"s":" \\u00e9 ","e":{}}`;
  const text = `{"lookup_key":"numbers","display_name":"n","metadata":${numbers}}`;
  equal((await desk.send("POST", `${project}/offerings`, text)).status, 201);
  for (const id of ["who_a", "who_B", "who-b"]) {
    const path = `${project}/customers/${id}`;
    equal((await desk.send("POST", `${project}/customers`, { id })).status, 201);
    for (const name of NAMES) {
      const attributes = [{ name: `${name}x`, value: `${id}${name}` }];
      await desk.send("POST", `${path}/attributes`, { attributes });
    }
    equal((await desk.send("GET", `${path}/attributes`)).status, 200);
  }
}

/** Requests that are refused. */
async function makeMistakes(desk: TwinDesk): Promise<void> {
  const project = `/v2/projects/${desk.projectId}`;
  for (const path of ["/offerings/none", "/customers?limit=0", "/nothing", "/customers/a%00b"]) {
    ok((await desk.send("GET", project + path)).status >= 400);
  }
  for (const body of [{}, { lookup_key: "a\0", display_name: "" }, "{", []]) {
    ok((await desk.send("POST", `${project}/entitlements`, body)).status >= 400);
  }
  const headers = { Authorization: "Bearer nobody" };
  equal((await desk.send("GET", `${project}/apps`, undefined, headers)).status, 401);
  equal((await desk.send("DELETE", `${project}/apps`)).status, 405);
}

/** Reads everything that can be read: lists to their end, in both pages' sizes, and their objects. */
async function readAll(desk: TwinDesk): Promise<void> {
  const reads = routes.filter(({ method, path }) => method === "GET" && !path.includes("{name}"));
  for (const route of reads) {
    const parts = fullPath(route).replace("{project_id}", desk.projectId).split(/\{\w+\}/);
    await readFrom(desk, parts[0] ?? "", parts.slice(1));
  }
}

/** Reads a list or an object; with further parts of a path, below the first and last of the list. */
async function readFrom(desk: TwinDesk, path: string, rest: readonly string[]): Promise<void> {
  const [next, ...others] = rest;
  if (next === undefined) return void await readPages(desk, path);
  const ids = await readPages(desk, path.replace(/\/$/, ""));
  for (const id of [...ids.slice(0, 3), ...ids.slice(-2)]) {
    await readFrom(desk, `${path}${encodeURIComponent(id)}${next}`, others);
  }
}

/** The ids in a list, which is read page by page. */
async function readPages(desk: TwinDesk, path: string): Promise<string[]> {
  const ids: string[] = [];
  let next: string | null = path;
  for (let page = 0; next !== null && page < 40; page++) {
    const response = await desk.send("GET", next);
    if (response.headers.get("Content-Type") !== "application/json") return ids;
    const body: { items?: { id?: string }[]; next_page?: string | null } = await response.json();
    for (const { id } of body.items ?? []) if (id !== undefined) ids.push(id);
    next = body.next_page ?? null;
  }
  return ids;
}

/** Reads each chart, with each of its segments and in several currencies. */
async function readCharts(desk: TwinDesk): Promise<void> {
  const project = `/v2/projects/${desk.projectId}`;
  await desk.send("GET", `${project}/metrics/overview`);
  for (const name of CHARTS.keys()) {
    const options = await (await desk.send("GET", `${project}/charts/${name}/options`)).json();
    const segments: { id: string }[] = options.segments ?? [];
    for (const segment of ["", ...segments.map(({ id }) => `&segment=${id}`)]) {
      const query = `?start_date=2026-01-01&end_date=2027-03-01${segment}`;
      await desk.send("GET", `${project}/charts/${name}${query}&currency=EUR`);
    }
    await desk.send("GET", `${project}/charts/${name}?resolution=month`);
  }
}

Deno.test(
  "a year of a project gets the same answers from both engines",
  ONLY_POSTGRES,
  async () => {
    await using desk = await openTwins();
    await addCatalogue(desk);
    await makeMistakes(desk);
    await simulateYear(desk);
    await readAll(desk);
    await readCharts(desk);
    for (const path of ["/events", "/clock", "/webhooks", "/clients"]) {
      await simulate(desk).send("GET", path);
    }
    ok(desk.compared() > 800, `only ${desk.compared()} answers were compared`);
  },
);

/** Ids of products by name, and names by id. */
async function productsByName(desk: TwinDesk): Promise<Map<string, string>> {
  const api = apiOf(desk);
  const products = new Map<string, string>();
  for (const { id, store_identifier } of (await api.get("/products?limit=100")).items) {
    products.set(String(store_identifier), id).set(id, String(store_identifier));
  }
  for (const { id, lookup_key } of (await api.get("/entitlements")).items) {
    products.set(id, lookup_key);
  }
  return products;
}

Deno.test("deeds at random get the same answers from both engines", ONLY_POSTGRES, async () => {
  await using desk = await openTwins();
  const sim = await frozen(desk);
  const products = await productsByName(desk);
  const model = newModel(await sim.now());
  for (const deed of fc.sample(fc.oneof(...deeds), { seed: 7, numRuns: 250 })) {
    const { status } = await deed.real({ api: apiOf(desk), sim, products }, model);
    // What the model knows of it names the next deed's subscription.
    if (status < 300) deed.model(model);
  }
  await readAll(desk);
  await readCharts(desk);
});

/**
 * The same request, to nothing where the services cannot do the same: nothing is delivered here, an
 * advance of the clock takes each engine its own time, and a sign-in is made of secrets.
 */
function comparable(request: Request): Request {
  const url = request.url
    .replace(/\/ping$|\/clock\/progress(?=$|\?)|\/oauth2\/.*$/, "/nothing")
    .replace(/\bwait_ms=\d+/, "wait_ms=0");
  return url === request.url ? request : new Request(url, request);
}

Deno.test("generated requests get the same answers from both engines", ONLY_POSTGRES, async () => {
  await using desk = await openTwins();
  const { access_token: token } = await desk.service.oauth.issueToken();
  const site = {
    base_url: BASE_URL,
    credentials: { token, admin: desk.service.adminSecret, key: "" },
    stock: createStock(),
    fetch: (request: Request) => desk.service.fetch(comparable(request)),
  };
  const nowhere = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const receiver = Deno.serve(nowhere, () => new Response());
  await fillSite(site, desk.projectId, `http://127.0.0.1:${receiver.addr.port}/`);
  const tally = new Map<string, Map<number, number>>();
  await sendGenerated(site, { requests: 400, atATime: 1, tally, round: 0 });
  await receiver.shutdown();
  ok(desk.compared() > 400);
});

/** Differences that a database on a server can have: a change of its tables, and what shows it. */
const DIFFERENCES: Record<string, [change: string, show: (desk: TwinDesk) => Promise<void>]> = {
  "another order of texts": [
    `alter table customer_attributes alter column name type text collate "und-x-icu"`,
    addCatalogue,
  ],
  "numbers that are not exact": [
    "alter table movements alter column gross_usd_micros type real",
    async (desk) => {
      await simulateYear(desk);
      await readAll(desk);
      await readCharts(desk);
    },
  ],
};

for (const [what, [change, show]] of Object.entries(DIFFERENCES)) {
  Deno.test(`the comparison finds ${what}`, ONLY_POSTGRES, async () => {
    await using desk = await openTwins((options) => openChanged(options, change));
    await rejects(show(desk), /The engines answer \w+ \S+ differently/);
  });
}
