/**
 * Kills a process that catches up, repeatedly. In the end every step has happened once.
 *
 * `CATCH_UP_CRASH_ROUNDS` is the number of databases, 1 without it.
 *
 * @module
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { fill, serveAt, START, tell } from "../../support/clock_fixture.ts";
import { dump, type Lasting, openLasting } from "../../support/lasting.ts";
import { DAY } from "../../support/simulation.ts";
import { childLines } from "../../support/store_fixture.ts";

const ROUNDS = Number(Deno.env.get("CATCH_UP_CRASH_ROUNDS") ?? 1);
const UNTIL = START + 500 * DAY;

Deno.test("no renewal is missing or doubled when the process is killed again and again", async () => {
  await using lasting = await openLasting();
  const service = await serveAt(lasting.database);
  await fill(service, 120);
  await service.close();
  const expected = await inCopy(lasting, async (copy) => {
    const whole = await serveAt(copy.database);
    await tell(whole, "/clock/advance", { to: UNTIL });
    await whole.close();
  });
  let kills = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const found = await inCopy(lasting, async (copy) => {
      let patience = 5;
      while (await advanceUntilKilled(copy, patience)) {
        await checkMiddle(copy);
        kills++;
        // A commit takes longer than the first ones may live, on a server or a busy machine.
        patience *= 2;
      }
    });
    deepEqual(found, expected);
  }
  ok(kills >= ROUNDS, `it was killed only ${kills} times`);
});

/** Runs a test on a copy of a database. Returns all rows of the copy afterwards. */
async function inCopy(
  lasting: Lasting,
  test: (copy: Lasting) => Promise<void>,
): Promise<Record<string, string[]>> {
  await using copy = await lasting.copy();
  await test(copy);
  return await dump(copy);
}

/**
 * Runs the advancing process and kills it at a random point, after so many lines at most. Returns
 * whether it was still running.
 */
async function advanceUntilKilled({ database }: Lasting, most: number): Promise<boolean> {
  const script = fileURLToPath(import.meta.resolve("../../support/catch_up_child.ts"));
  const allowed = ["--allow-net=127.0.0.1", "--allow-read", "--allow-write", "--allow-env"];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--no-prompt", ...allowed, script, database, String(UNTIL)],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const last = 2 + Math.floor(Math.random() * most);
  const lines: string[] = [];
  for await (const line of childLines(child)) {
    if (lines.push(line) === last && line !== "through") child.kill("SIGKILL");
  }
  const { signal, success } = await child.status;
  equal(lines[0], "started");
  equal(success, lines.at(-1) === "through");
  equal(signal, success ? null : "SIGKILL");
  return !success;
}

/** Checks that an interrupted database has one consistent moment. */
async function checkMiddle(lasting: Lasting): Promise<void> {
  await lasting.checkSound();
  const [clock = {}] = await lasting.query(
    "SELECT clock_frozen_at, clock_advancing_to FROM projects",
  );
  ok(Number(clock.clock_frozen_at) <= UNTIL);
  const [due = {}] = await lasting.query("SELECT min(due_at) AS at FROM subscriptions");
  ok(Number(due.at) >= Number(clock.clock_frozen_at), "nothing is overdue");
  const odd = await lasting.query(
    `SELECT id FROM subscriptions AS s WHERE store <> 'promotional' AND transaction_count <>
      (SELECT count(*) FROM transactions WHERE subscription_id = s.id)`,
  );
  deepEqual(odd, [], "each payment is there with its subscription");
}
