import { equal, ok } from "node:assert/strict";
import { createStatistics } from "../../../../lib/service/store/postgres/statistics.ts";
import { createPool } from "../../../../lib/service/store/postgres/driver.ts";
import { readAddress } from "../../../../lib/service/store/postgres/address.ts";
import {
  addressOf,
  createDatabase,
  dropDatabase,
  onDatabase,
  ONLY_POSTGRES,
} from "../../../support/engine.ts";

Deno.test(
  "the server learns that tables are full before it looks itself",
  ONLY_POSTGRES,
  async () => {
    const name = await createDatabase();
    const pool = createPool(readAddress(addressOf(name)), 1);
    const statistics = createStatistics(pool);
    const rows = () =>
      onDatabase(name, async (client) => {
        const found = await client.query(
          "select reltuples as rows from pg_class where relname = 'settings'",
        );
        return Number(found.rows[0]?.rows);
      });
    const known = await rows();
    await onDatabase(
      name,
      (client) => client.query("insert into settings select n, '' from generate_series(1, 1500) n"),
    );
    statistics.changed(999);
    await statistics.idle();
    equal(await rows(), known, "too few rows for a look");
    statistics.changed(501);
    await statistics.idle();
    ok(await rows() >= 1500);
    const wire = await pool.take();
    const { rows: [usual] } = await wire.send("show default_statistics_target");
    wire.release(false);
    equal(usual?.default_statistics_target, "100", "the connection is as it was");
    await onDatabase(name, async (client) => {
      await client.query("insert into settings select -n, '' from generate_series(1, 20000) n");
      await client.query("analyze settings");
    });
    const many = await rows();
    ok(many >= 20_000);
    await onDatabase(name, (client) => client.query("delete from settings"));
    statistics.changed(40_000);
    await statistics.idle();
    equal(await rows(), many, "the server's own look at a large table stays");
    await pool.close();
    await dropDatabase(name);
  },
);
