/**
 * Kills the service again and again while it delivers to a receiver that fails at random. In the end
 * every event has arrived, each customer's in order, and what arrived twice was the same twice.
 *
 * `DELIVERY_CRASH_EVENTS` is the number of events, 400 without it. With it, the service is killed
 * every 2 seconds; without it, whenever so many requests have arrived.
 *
 * @module
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "../lib/client.ts";
import { createWebhook } from "../lib/resources/webhooks.ts";
import { queueDeliveries } from "../lib/service/events/queue.ts";
import { openService } from "../lib/service/mod.ts";
import { connect } from "../lib/service/store/connection.ts";
import { nextSeq, writeRows } from "../lib/service/store/mod.ts";
import type { Row } from "../lib/service/store/tables.ts";
import { childLines, inFolder } from "./store_fixture.ts";

const LONG = Deno.env.get("DELIVERY_CRASH_EVENTS");
const EVENTS = Number(LONG ?? 400);
const CUSTOMERS = Math.ceil(EVENTS / 20);
const KILL_EVERY = 90;
const KILL_MS = 2000;
const MOST_FAILURES = 8;

/** What a receiver has seen. */
interface Seen {
  /** The bodies by event. All of one event must be the same. */
  bodies: Map<string, string>;
  /** The numbers of the events of each customer, in order of arrival. */
  orders: Map<string, number[]>;
  /** How often something arrived. */
  requests: number;
  /** Events that were answered with 200. */
  taken: Set<string>;
  /** How often an event was answered with 500. */
  failures: Map<string, number>;
  /** What was wrong. */
  faults: string[];
}

Deno.test("all events arrive although a third fails and the service is killed", async () => {
  await inFolder(async (folder) => {
    const seen: Seen = {
      bodies: new Map(),
      orders: new Map(),
      requests: 0,
      taken: new Set(),
      failures: new Map(),
      faults: [],
    };
    let arrived = () => {};
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const status = take(seen, request.headers, await request.text());
        arrived();
        return new Response("", { status });
      },
    );
    const webhook = await fill(folder, `http://127.0.0.1:${server.addr.port}/`);
    const started = performance.now();
    let kills = 0;
    for (;;) {
      const child = spawn(folder);
      let goal = seen.requests + KILL_EVERY;
      const kill = () => child.kill("SIGKILL");
      let timer: ReturnType<typeof setTimeout> | undefined;
      arrived = () => {
        if (LONG !== undefined || seen.requests < goal) return;
        goal = Infinity;
        kill();
      };
      const lines: string[] = [];
      for await (const line of childLines(child)) {
        lines.push(line);
        if (LONG !== undefined && line === "started") timer = setTimeout(kill, KILL_MS);
      }
      clearTimeout(timer);
      await child.status;
      equal(lines[0], "started");
      deepEqual(lines.filter((line) => line.startsWith("fault")), []);
      if (lines.at(-1) === "through") break;
      kills++;
    }
    const seconds = (performance.now() - started) / 1000;
    await server.shutdown();
    deepEqual(seen.faults, []);
    equal(seen.bodies.size, EVENTS);
    equal(seen.taken.size, EVENTS);
    ok(kills >= 3, `killed ${kills} times`);
    checkOrder(seen);
    checkRows(folder, webhook);
    if (LONG !== undefined) report(seen, kills, seconds);
  });
});

/** Takes a delivery in, and fails three times of ten, if not so often that it would be given up. */
function take(seen: Seen, headers: Headers, body: string): number {
  seen.requests++;
  const { event } = JSON.parse(body);
  if (headers.get("webhook-id") !== event.id) seen.faults.push(`${event.id} has another id`);
  const known = seen.bodies.get(event.id) ?? body;
  if (known !== body) seen.faults.push(`${event.id} has other bytes`);
  seen.bodies.set(event.id, known);
  const order = seen.orders.get(event.app_user_id) ?? [];
  order.push(event.number);
  seen.orders.set(event.app_user_id, order);
  const failures = seen.failures.get(event.id) ?? 0;
  if (failures < MOST_FAILURES && Math.random() < 0.3) {
    seen.failures.set(event.id, failures + 1);
    return 500;
  }
  seen.taken.add(event.id);
  return 200;
}

/** Each customer's events came one after the other, each as often as it took. */
function checkOrder({ orders }: Seen): void {
  equal(orders.size, CUSTOMERS);
  for (const [customer, order] of orders) {
    deepEqual(order, order.toSorted((a, b) => a - b), customer);
  }
}

/** The database knows it too. */
function checkRows(folder: string, webhook: string): void {
  const connection = connect(join(folder, "data.db"));
  deepEqual(
    connection.rows("SELECT state, count(*) AS n FROM deliveries GROUP BY state"),
    [{ state: "delivered", n: EVENTS }],
  );
  const [odd = {}] = connection.rows(
    `SELECT count(*) AS n FROM deliveries AS d WHERE integration_id <> ? OR lease IS NOT NULL OR
      attempts <> (SELECT count(*) FROM attempts AS a
        WHERE a.project_id = d.project_id AND a.delivery_id = d.id)`,
    webhook,
  );
  equal(odd.n, 0);
  connection.close();
}

/** Starts the process that is to be killed. */
function spawn(folder: string): Deno.ChildProcess {
  const script = fileURLToPath(import.meta.resolve("./delivery_child.ts"));
  const allowed = ["--allow-net=127.0.0.1", "--allow-env", "--allow-read", "--allow-write"];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--no-prompt", ...allowed, script, folder],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

/** Makes a database with a webhook, and puts the events in line for it. */
async function fill(folder: string, url: string): Promise<string> {
  const service = await openService({
    database: join(folder, "data.db"),
    webhookTargets: "loopback",
    buyers: false,
  });
  const { access_token } = await service.oauth.issueToken({});
  const client = createClient({
    baseUrl: "http://127.0.0.1",
    projectId: service.projectId ?? "",
    credential: access_token,
    fetch: (request) => service.fetch(request),
  });
  const { id } = await createWebhook(client, { name: "All", url, event_types: ["renewal"] });
  // Nothing is sent before it is all in line.
  await service.deliverer.stop();
  for (let at = 0; at < EVENTS; at += 2000) {
    await service.store.write(async (tx) => {
      const project = await tx.selectFrom("projects").selectAll().executeTakeFirstOrThrow();
      const rows: Row<"events">[] = [];
      for (let number = at; number < Math.min(at + 2000, EVENTS); number++) {
        rows.push(eventRow(project.id, await nextSeq(tx, project.id), number));
      }
      await writeRows(tx, "events", rows);
      await queueDeliveries({ tx, project }, rows);
    });
  }
  await service.close();
  return id;
}

function eventRow(project_id: string, seq: number, number: number): Row<"events"> {
  const id = crypto.randomUUID();
  const customer_id = `customer ${number % CUSTOMERS}`;
  const event = { type: "RENEWAL", id, app_user_id: customer_id, number, note: "Zoë 🌷" };
  return {
    project_id,
    id,
    seq,
    type: event.type,
    customer_id,
    app_id: null,
    environment: "production",
    created_at: number,
    payload: JSON.stringify({ api_version: "1.0", event }),
  };
}

/** Says how it went, for those who asked for the long form. */
function report({ requests }: Seen, kills: number, seconds: number): void {
  const rate = Math.round(requests / seconds);
  console.log(`${EVENTS} events, ${requests} requests, ${kills} kills, ${rate} requests/s`);
}
