/**
 * Events for a receiver that fails three times of ten, from a service that is killed again and again:
 * whether all arrive, each customer's in order and with the same bytes every time, and how fast.
 *
 * @module
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { createClient } from "../../lib/client.ts";
import { createWebhook } from "../../lib/resources/webhooks.ts";
import { queueDeliveries } from "../../lib/service/events/queue.ts";
import { SCHEDULES } from "../../lib/service/events/schedule.ts";
import { openService } from "../../lib/service/mod.ts";
import {
  acrossProjects,
  inProject,
  nextSeq,
  openDatabase,
  writeRows,
} from "../../lib/service/store/mod.ts";
import type { Row } from "../../lib/service/store/tables.ts";
import { linesOf } from "./child.ts";
import { type Measured, megabytes, plain } from "./measure.ts";

/** What is delivered, and when the service is killed meanwhile. */
export interface DeliveryRun {
  /** A folder for the database, empty. */
  folder: string;
  /** The address of a new database on a server, in place of a file in the folder. */
  database?: string;
  /** How many processes deliver at once. Default 1. */
  processes?: number;
  /** How many events, 20 for each customer. */
  events: number;
  /** After how many milliseconds of each process it is killed, or after how many requests. */
  kill: { ms: number } | { requests: number };
  /** Which share of the requests the receiver fails. Default 0.3. */
  fails?: number;
}

/** How it went. */
export interface DeliveryFigures {
  /** Requests that arrived. */
  requests: number;
  /** Those that the receiver failed on purpose. */
  failed: number;
  /** Those that had been taken before. */
  doubled: number;
  /** How often the service was killed. */
  kills: number;
  /** Attempts that a kill has cut off. */
  interrupted: number;
  /** How long it took, with all starts. */
  seconds: number;
  /** The time from the first request to the last one. */
  sending: number;
  /** The most memory that the service had, in bytes. */
  memory: number;
  /** What was wrong. Nothing must be. */
  faults: string[];
}

const PER_CUSTOMER = 20;

/** Events written in one transaction. */
const BATCH = 2000;

/** How often one event is failed: as often as the schedule bears, so that no kill may count. */
const MOST_FAILURES = SCHEDULES.dev.waitsMs.length;

/** Measures it. */
export async function measureDelivery(
  { folder, events }: { folder: string; events: number },
): Promise<Measured> {
  const place = join(folder, "delivery");
  await Deno.mkdir(place);
  const ran = await deliverKilled({ folder: place, events, kill: { ms: 2000 } });
  if (ran.faults.length > 0) {
    throw new Error(`Cannot trust the deliveries: ${ran.faults.slice(0, 5).join("; ")}`);
  }
  return {
    method:
      `${events} events in a file, ${PER_CUSTOMER} for each customer, to a receiver that fails ` +
      "30 % of all requests at random, with the schedule `dev`; the service is killed with " +
      "`kill -9` 2 seconds after each start. All events arrive and no delivery fails for good. " +
      "Each customer's events arrive in order, and a repeated event has the same id and bytes. " +
      "Otherwise there are no figures.",
    findings: [
      plain("Events that arrived", String(events)),
      plain("Requests", String(ran.requests)),
      plain("Failed by the receiver", String(ran.failed)),
      plain("Arrived again after they were acknowledged, always identical", String(ran.doubled)),
      plain("Kills", String(ran.kills)),
      plain("Attempts interrupted by a kill, shown as such", String(ran.interrupted)),
      plain("Time, starts included", `${ran.seconds.toFixed(0)} s`),
      plain("Requests per second", (ran.requests / ran.seconds).toFixed(0)),
      plain("Peak memory of the service", megabytes(ran.memory)),
    ],
  };
}

/** What the receiver has seen. */
interface Seen {
  /** The bodies by event. All of one event must be the same. */
  bodies: Map<string, string>;
  /** The number of the last event of each customer. */
  last: Map<string, number>;
  /** How often something arrived. */
  requests: number;
  /** How often it was failed, by event. */
  failures: Map<string, number>;
  /** Events that were taken. */
  taken: Set<string>;
  /** How often something arrived that was taken before. */
  doubled: number;
  /** What was wrong. */
  faults: string[];
}

/** Delivers events with a service that is killed until it is through. */
export async function deliverKilled(run: DeliveryRun): Promise<DeliveryFigures> {
  const seen: Seen = {
    bodies: new Map(),
    last: new Map(),
    requests: 0,
    failures: new Map(),
    taken: new Set(),
    doubled: 0,
    faults: [],
  };
  let arrived = () => {};
  let first: number | undefined;
  let last = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const status = take(seen, request.headers, await request.text(), run.fails ?? 0.3);
    last = performance.now();
    first ??= last;
    arrived();
    return new Response("", { status });
  });
  await fill(run, `http://127.0.0.1:${server.addr.port}/`);
  const started = performance.now();
  let [kills, memory] = [0, 0];
  for (;;) {
    const processes = Array.from({ length: run.processes ?? 1 }, () => start(run, seen));
    arrived = () => processes.forEach((process) => process.arrived());
    const told = await Promise.all(processes.map((process) => process.lines()));
    const lines = told.flat();
    memory = Math.max(
      memory,
      ...lines.map((line) => Number(/^memory (\d+)$/.exec(line)?.[1] ?? 0)),
    );
    seen.faults.push(...lines.filter((line) => line.startsWith("fault")));
    if (told.every((own) => own.at(-1) === "through")) break;
    // One that ends by itself would be started for ever.
    if (told.some(([first]) => first !== "started")) {
      throw new Error("Cannot deliver: the service does not start");
    }
    kills++;
  }
  const seconds = (performance.now() - started) / 1000;
  await server.shutdown();
  const { requests, failures, doubled } = seen;
  const failed = failures.values().reduce((sum, count) => sum + count, 0);
  const { interrupted, faults } = await check(run, seen);
  const sending = (last - (first ?? last)) / 1000;
  return { requests, failed, doubled, kills, interrupted, seconds, sending, memory, faults };
}

/** Takes a delivery in, and fails a share of them, if not so often that it would be given up. */
function take(seen: Seen, headers: Headers, body: string, fails: number): number {
  const { faults, bodies, last, failures, taken } = seen;
  seen.requests++;
  const { event: { id, app_user_id: customer, number } } = JSON.parse(body);
  if (headers.get("webhook-id") !== id) faults.push(`${id} has another id`);
  const known = bodies.get(id) ?? body;
  if (known !== body) faults.push(`${id} has other bytes`);
  bodies.set(id, known);
  const before = last.get(customer) ?? 0;
  if (number < before) faults.push(`${customer} received ${number} after ${before}`);
  last.set(customer, number);
  if (taken.has(id)) seen.doubled++;
  const count = failures.get(id) ?? 0;
  if (count < MOST_FAILURES && Math.random() < fails) {
    failures.set(id, count + 1);
    return 500;
  }
  taken.add(id);
  return 200;
}

/** Starts a process that delivers, and kills it when it is time. */
function start(
  run: DeliveryRun,
  seen: Seen,
): { arrived(): void; lines(): Promise<string[]> } {
  const script = fileURLToPath(import.meta.resolve("./delivery_child.ts"));
  const allowed = ["--allow-net=127.0.0.1", "--allow-env", "--allow-read", "--allow-write"];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--no-prompt", ...allowed, script, databaseOf(run)],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const { kill } = run;
  let goal = "requests" in kill ? seen.requests + kill.requests : Infinity;
  return {
    arrived() {
      if (seen.requests < goal) return;
      goal = Infinity;
      child.kill("SIGKILL");
    },
    async lines() {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const lines: string[] = [];
      for await (const line of linesOf(child.stdout)) {
        lines.push(line);
        if (line !== "started" || !("ms" in kill)) continue;
        timer = setTimeout(() => child.kill("SIGKILL"), kill.ms);
      }
      clearTimeout(timer);
      await child.status;
      return lines;
    },
  };
}

/** Where the events are. */
function databaseOf({ folder, database }: DeliveryRun): string {
  return database ?? join(folder, "data.db");
}

/** What is wrong in the end, and how many attempts were cut off. */
async function check(
  run: DeliveryRun,
  { faults: found, bodies, taken }: Seen,
): Promise<{ interrupted: number; faults: string[] }> {
  const { events } = run;
  const faults = [...found];
  if (bodies.size !== events) faults.push(`${bodies.size} of ${events} events have arrived`);
  if (taken.size !== events) faults.push(`${taken.size} of ${events} events were acknowledged`);
  const store = await openDatabase({ file: databaseOf(run) });
  const count = (query: string) =>
    store.read(async (tx) => {
      const { rows } = await sql<{ n: number }>`SELECT count(*) AS n ${sql.raw(query)}`.execute(tx);
      return Number(rows[0]?.n);
    });
  const delivered = await count("FROM deliveries WHERE state = 'delivered' AND lease IS NULL");
  if (delivered !== events) faults.push(`${delivered} of ${events} deliveries are delivered`);
  const odd = await count(
    `FROM deliveries AS d WHERE attempts <> (SELECT count(*) FROM attempts AS a
    WHERE a.project_id = d.project_id AND a.delivery_id = d.id)`,
  );
  if (odd > 0) faults.push(`${odd} deliveries have attempts without a record`);
  const interrupted = await count("FROM attempts WHERE error LIKE 'The service %'");
  await store.close();
  return { interrupted, faults };
}

/** Makes a database with a webhook, and puts the events in line for it. */
async function fill(run: DeliveryRun, url: string): Promise<void> {
  const { events } = run;
  const service = await openService({
    database: databaseOf(run),
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
  await createWebhook(client, { name: "All", url, event_types: ["renewal"] });
  // Nothing is sent before it is all in line.
  await service.deliverer.stop();
  const customers = Math.ceil(events / PER_CUSTOMER);
  for (let at = 0; at < events; at += BATCH) {
    await service.store.write(async (tx) => {
      const project = await acrossProjects(tx).selectFrom("projects").selectAll()
        .executeTakeFirstOrThrow();
      const rows: Row<"events">[] = [];
      for (let number = at; number < Math.min(at + BATCH, events); number++) {
        const customer = `customer ${number % customers}`;
        rows.push(eventRow(project.id, await nextSeq(inProject(tx, project.id)), number, customer));
      }
      await writeRows(inProject(tx, project.id), "events", rows);
      await queueDeliveries({ tx: inProject(tx, project.id), project }, rows);
    }, service.projectId);
  }
  await service.close();
}

/** An event to deliver. */
export function eventRow(
  project_id: string,
  seq: number,
  number: number,
  customer_id: string,
): Row<"events"> {
  const id = crypto.randomUUID();
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
