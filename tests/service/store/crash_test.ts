/**
 * Kills a writing process at random points. That shows atomicity and recovery; that a power cut
 * loses nothing is up to the sync of the log (`commit_log_test.ts`) and the drive. The soak cuts the
 * power.
 *
 * `STORE_CRASH_ROUNDS` is the number of rounds, 6 without it.
 *
 * @module
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import { openDatabase } from "../../../lib/service/store/mod.ts";
import { type Lasting, openLasting } from "../../support/lasting.ts";
import { childLines, offeringIds, spawnChild } from "../../support/store_fixture.ts";

const ROUNDS = Number(Deno.env.get("STORE_CRASH_ROUNDS") ?? 6);

/** A database is used for so many rounds before the next one, so that its creation is hit as well. */
const ROUNDS_PER_DATABASE = 5;

Deno.test("no acknowledged write is lost when the process is killed", async () => {
  let total = 0;
  for (let round = 0; round < ROUNDS; round += ROUNDS_PER_DATABASE) {
    await using lasting = await openLasting({ empty: true });
    const acknowledged: string[] = [];
    for (let i = round; i < Math.min(ROUNDS, round + ROUNDS_PER_DATABASE); i++) {
      acknowledged.push(...await writeUntilKilled(lasting));
      await checkDatabase(lasting, acknowledged);
    }
    total += acknowledged.length;
  }
  ok(total > ROUNDS, `only ${total} writes were acknowledged in ${ROUNDS} rounds`);
});

/** Runs the writing process and kills it at a random point. Returns the writes that it confirmed. */
async function writeUntilKilled({ database }: Lasting): Promise<string[]> {
  const last = Math.floor(Math.random() ** 3 * 1_000);
  const child = spawnChild("write", database);
  const lines: string[] = [];
  for await (const line of childLines(child)) {
    if (lines.push(line) === last + 1) child.kill("SIGKILL");
  }
  const { signal } = await child.status;
  equal(signal, "SIGKILL", "the child must not end by itself");
  equal(lines.shift(), "started");
  return lines;
}

/** Checks the database, the rules that its rows must keep, and that nothing is missing. */
async function checkDatabase(lasting: Lasting, acknowledged: readonly string[]): Promise<void> {
  await lasting.checkSound();
  const store = await openDatabase({ file: lasting.database });
  const present = await store.read(offeringIds);
  await store.close();
  deepEqual(new Set(acknowledged).difference(new Set(present)), new Set());

  const logged = await lasting.query("SELECT target_identifier AS id FROM audit_logs ORDER BY seq");
  deepEqual(logged.map((row) => row.id), present, "each write is there as a whole");
  const projects = await lasting.query("SELECT last_seq, current_offering_id AS id FROM projects");
  if (projects.length === 0) return equal(present.length, 0);
  deepEqual(projects, [{ last_seq: present.length * 2, id: present.at(-1) ?? null }]);
}
