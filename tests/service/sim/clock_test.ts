import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import { listAuditLogs } from "../../../lib/resources/audit_logs.ts";
import { fill, serveAt, START, tell } from "../../support/clock_fixture.ts";
import { openDesk } from "../../support/harness.ts";
import { dump, type Lasting, openLasting } from "../../support/lasting.ts";
import { DAY, simulate } from "../../support/simulation.ts";

/** `CLOCK_RUNS` is the number of ways to advance by the same time. */
const RUNS = Number(Deno.env.get("CLOCK_RUNS") ?? 3);

/** Access tokens that outlive the advances here. */
const LASTING = { access: 5000 * DAY };

Deno.test("an advance in steps leaves the same database as a single advance", async () => {
  await using lasting = await openLasting();
  const service = await serveAt(lasting.database);
  await fill(service, 60);
  await service.close();
  const until = START + 500 * DAY;
  const expected = await copyAndAdvance(lasting, [until]);
  const days = fc.integer({ min: 0, max: 500 * DAY });
  const stops = fc.array(days, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(stops, async (middle) => {
      const moments = middle.sort((a, b) => a - b).map((ms) => START + 25 * 3_600_000 * 7 + ms);
      const found = await copyAndAdvance(lasting, [...moments.filter((at) => at < until), until]);
      deepEqual(found, expected);
    }),
    { numRuns: RUNS },
  );
  const { transactions = [], subscriptions = [], events = [] } = expected;
  ok(transactions.length > 500 && events.length > 500, "a lot has happened");
  const statuses = new Set(subscriptions.map((row) => JSON.parse(row).status));
  deepEqual([...statuses].sort(), ["active", "expired"]);
});

/** Advances a copy of a database from moment to moment. Returns all of its rows. */
async function copyAndAdvance(
  lasting: Lasting,
  moments: number[],
): Promise<Record<string, string[]>> {
  await using copy = await lasting.copy();
  const service = await serveAt(copy.database);
  for (const to of moments) await tell(service, "/clock/advance", { to });
  await service.close();
  return await dump(copy);
}

Deno.test("a clock runs, stands, advances and continues from there", async () => {
  let wall = START;
  await using desk = await openDesk({ clock: () => wall, lifetimes: LASTING });
  const sim = simulate(desk);
  const clock = async (path = "", body?: unknown): Promise<unknown> => {
    const response = await sim.send(path === "" ? "GET" : "POST", `/clock${path}`, body);
    equal(response.status, 200);
    const { object, project_id, now, frozen, offset_ms } = await response.json();
    deepEqual([object, project_id], ["clock", desk.projectId]);
    return { now, frozen, offset_ms };
  };
  deepEqual(await clock(), { now: START, frozen: false, offset_ms: 0 });
  wall += 1000;
  deepEqual(await clock(), { now: START + 1000, frozen: false, offset_ms: 0 });
  deepEqual(await clock("/freeze"), { now: START + 1000, frozen: true, offset_ms: 0 });
  wall += 500;
  deepEqual(await clock(), { now: START + 1000, frozen: true, offset_ms: -500 });
  const ahead = { now: START + 1000 + DAY, frozen: true, offset_ms: DAY - 500 };
  deepEqual(await clock("/advance", { by: "P1D" }), ahead);
  deepEqual(await clock("/run"), { ...ahead, frozen: false });
  wall += 100;
  deepEqual(await clock(), { now: ahead.now + 100, frozen: false, offset_ms: DAY - 500 });
  const to = START + 40 * DAY;
  deepEqual(await clock("/advance", { to }), { now: to, frozen: false, offset_ms: to - wall });
  deepEqual(await clock("/advance", { by: 5 }), {
    now: to + 5,
    frozen: false,
    offset_ms: to + 5 - wall,
  });
});

Deno.test("a clock never goes back, and refuses invalid times", async () => {
  await using desk = await openDesk();
  const sim = simulate(desk);
  await sim.post("/clock/freeze");
  const now = await sim.now();
  for (
    const [body, status, param] of [
      [{ to: now - 1 }, 422, "to"],
      [{ by: 0 }, 400, "by"],
      [{ by: "P1X" }, 400, "by"],
      [{ by: "P0D" }, 400, "by"],
      [{ by: "P9999Y" }, 422, "by"],
      [{ to: 1e18 }, 400, undefined],
      [{ to: -1 }, 400, undefined],
      [{ to: now, by: 1 }, 400, undefined],
      [{}, 400, undefined],
    ] as const
  ) {
    const response = await sim.send("POST", "/clock/advance", body);
    const answer = await response.json();
    equal(response.status, status, JSON.stringify(body));
    if (param) equal(answer.param, param, JSON.stringify(body));
  }
  equal(await sim.now(), now);
});

Deno.test("no request sees an outdated state", async () => {
  let wall = START;
  await using desk = await openDesk({ clock: () => wall, lifetimes: LASTING });
  const sim = simulate(desk);
  const { id } = await sim.subscribe({ product_id: "notes_web_monthly" });
  const path = `/v2/projects/${desk.projectId}/subscriptions/${id}`;
  const read = async (method: string, rest = "") => (await desk.send(method, path + rest)).json();
  wall += 31 * DAY;
  const renewed = await read("GET");
  equal(renewed.current_period_starts_at, Date.UTC(2027, 11, 30, 23, 30));
  wall += 31 * DAY;
  const cancelled = await read("POST", "/actions/cancel");
  equal(cancelled.current_period_starts_at, Date.UTC(2028, 0, 30, 23, 30));
  wall += 31 * DAY;
  const ended = await read("GET");
  deepEqual([ended.status, ended.gives_access], ["expired", false]);
  equal(ended.ends_at, Date.UTC(2028, 1, 29, 23, 30), "a leap day");
  const told = (await sim.newEvents()).map((event) => event["event_timestamp_ms"]);
  deepEqual(told.slice(-1), [ended.ends_at], "what was due happened when it was due");
  const { items } = await listAuditLogs(desk.client);
  equal(items[0]?.occurred_at, START + 62 * DAY);
});

Deno.test("the ticker runs due steps without requests", async () => {
  let wall = START;
  await using desk = await openDesk({ clock: () => wall, lifetimes: LASTING });
  const sim = simulate(desk);
  await sim.subscribe({ product_id: "notes_web_monthly" });
  wall += 400 * DAY;
  const before = (await sim.rows("transactions")).length;
  await desk.service.catchUp();
  const rows = await sim.rows("transactions");
  notEqual(rows.length, before);
  equal(rows.length, 14);
});

Deno.test("simultaneous requests see one caught-up project", async () => {
  let wall = START;
  await using desk = await openDesk({ clock: () => wall, lifetimes: LASTING });
  const sim = simulate(desk);
  for (let i = 0; i < 20; i++) {
    await sim.subscribe({ customer_id: `c${i}`, product_id: "notes_web_monthly" });
  }
  wall += 366 * DAY;
  const list = `/v2/projects/${desk.projectId}/customers/c7/subscriptions`;
  const answers = await Promise.all(
    Array.from({ length: 30 }, async () => (await desk.send("GET", list)).text()),
  );
  equal(new Set(answers).size, 1);
  equal((await sim.rows("transactions")).length, 20 * 13);
});

Deno.test("a refund after the clock was set back is no older than its payment", async () => {
  let wall = START;
  await using desk = await openDesk({ clock: () => wall, lifetimes: LASTING });
  const sim = simulate(desk);
  const { id } = await sim.subscribe({ product_id: "notes_web_monthly" });
  wall -= DAY;
  await sim.act(id, "refund");
  const [transaction] = await sim.rows("transactions");
  ok(Number(transaction?.["refunded_at"]) >= Number(transaction?.["purchased_at"]));
});
