/**
 * Notes that processes exchange through the database. Runs with `TEST_ENGINE=postgres`, and is skipped
 * by name otherwise.
 */

import { ok } from "node:assert/strict";
import { openDatabase, outageIn } from "../../../../lib/service/store/mod.ts";
import {
  addressOf,
  createDatabase,
  dropDatabase,
  onDatabase,
  ONLY_POSTGRES,
} from "../../../support/engine.ts";

Deno.test(
  "a connection that is lost during an exchange of notes fails only that exchange",
  ONLY_POSTGRES,
  async () => {
    const name = await createDatabase();
    const store = await openDatabase({ file: addressOf(name), clock: Date.now });
    try {
      let failed = 0;
      for (let round = 0; round < 5; round++) {
        await onDatabase(name, async (client) => {
          // Those who wait for this lock in this database: other tests share the server.
          const waiting = "pg_locks where objid = 7262053 and not granted and database = " +
            "(select oid from pg_database where datname = current_database())";
          // The exchange waits for it, with its other statements sent behind it.
          await client.query("select pg_advisory_lock(7262053)");
          const exchanged = store.others?.exchange("note").catch((error) => {
            // It counts as an outage, which is reported once for all.
            if (outageIn(error)) failed++;
          });
          for (let waits = false; !waits;) {
            const { rows } = await client.query(`select count(*) as n from ${waiting}`);
            waits = Number(rows[0]?.n) > 0;
          }
          await client.query(`select pg_terminate_backend(pid) from ${waiting}`);
          await exchanged;
          await client.query("select pg_advisory_unlock(7262053)");
        });
      }
      ok(failed === 5, `${failed} of 5 exchanges failed`);
      await store.others?.exchange("note");
    } finally {
      await store.close();
      await dropDatabase(name);
    }
  },
);
