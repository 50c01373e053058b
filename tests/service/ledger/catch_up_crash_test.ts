/**
 * Kills a process that catches up, repeatedly. In the end every step has happened once.
 *
 * `CATCH_UP_CRASH_ROUNDS` is the number of databases, 1 without it.
 *
 * @module
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "../../../lib/service/store/sqlite/connection.ts";
import { dump, fill, serveFolder, START, tell } from "../../support/clock_fixture.ts";
import { DAY } from "../../support/simulation.ts";
import { childLines, inFolder } from "../../support/store_fixture.ts";

const ROUNDS = Number(Deno.env.get("CATCH_UP_CRASH_ROUNDS") ?? 1);
const UNTIL = START + 500 * DAY;

Deno.test("no renewal is missing or doubled when the process is killed again and again", async () => {
  await inFolder(async (folder) => {
    const service = await serveFolder(folder);
    await fill(service, 120);
    await service.close();
    const expected = await inCopy(folder, async (copy) => {
      const whole = await serveFolder(copy);
      await tell(whole, "/clock/advance", { to: UNTIL });
      await whole.close();
    });
    let kills = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const found = await inCopy(folder, async (copy) => {
        while (await advanceUntilKilled(copy)) {
          checkMiddle(copy);
          kills++;
        }
      });
      deepEqual(found, expected);
    }
    ok(kills >= ROUNDS, `it was killed only ${kills} times`);
  });
});

/** Runs a test on a copy of a folder's database. Returns all rows of the copy afterwards. */
async function inCopy(
  folder: string,
  test: (copy: string) => Promise<void>,
): Promise<Record<string, unknown[]>> {
  let rows: Record<string, unknown[]> = {};
  await inFolder(async (copy) => {
    await Deno.copyFile(join(folder, "data.db"), join(copy, "data.db"));
    await test(copy);
    rows = dump(copy);
  });
  return rows;
}

/**
 * Runs the advancing process and kills it at a random point. Returns whether it was still running.
 */
async function advanceUntilKilled(folder: string): Promise<boolean> {
  const script = fileURLToPath(import.meta.resolve("../../support/catch_up_child.ts"));
  const args = ["run", "--no-check", "--no-prompt", "--allow-read", "--allow-write", "--allow-env"];
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args, script, folder, String(UNTIL)],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const last = 2 + Math.floor(Math.random() * 5);
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
function checkMiddle(folder: string): void {
  const connection = connect(join(folder, "data.db"));
  deepEqual(connection.rows("PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
  deepEqual(connection.rows("PRAGMA foreign_key_check"), []);
  const [clock = {}] = connection.rows("SELECT clock_frozen_at, clock_advancing_to FROM projects");
  ok(Number(clock.clock_frozen_at) <= UNTIL);
  const [due = {}] = connection.rows("SELECT min(due_at) AS at FROM subscriptions");
  ok(Number(due.at) >= Number(clock.clock_frozen_at), "nothing is overdue");
  const odd = connection.rows(
    `SELECT id FROM subscriptions AS s WHERE store <> 'promotional' AND transaction_count <>
      (SELECT count(*) FROM transactions WHERE subscription_id = s.id)`,
  );
  deepEqual(odd, [], "each payment is there with its subscription");
  connection.close();
}
