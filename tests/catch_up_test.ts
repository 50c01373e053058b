import { deepEqual, equal } from "node:assert/strict";
import { join } from "node:path";
import { openService } from "../lib/service/mod.ts";
import { serve } from "../lib/service/serve.ts";
import { connect } from "../lib/service/store/connection.ts";
import { fill, START } from "./clock_fixture.ts";
import { DAY } from "./simulation.ts";
import { inFolder } from "./store_fixture.ts";

Deno.test("an advance that was cut off is at its end before the service listens again", async () => {
  await inFolder(async (folder) => {
    const database = join(folder, "service.db");
    const options = { database, clock: () => START, adminSecret: "adm_x" };
    const service = await openService(options);
    await fill(service, 6);
    await service.close();
    const until = START + 100 * DAY;
    read(database, `UPDATE projects SET clock_advancing_to = ${until}`);
    const told: unknown[] = [];
    const server = await serve({
      folder,
      port: 0,
      host: "127.0.0.1",
      empty: false,
      rateLimits: "local",
      report: (error) => told.push(error),
    });
    const query = "SELECT clock_frozen_at AS at, clock_advancing_to AS target FROM projects";
    const projects = read(database, query);
    await server.stop();
    deepEqual(projects.map(({ at, target }) => [at, target]), [[until, null]]);
    const overdue = `SELECT count(*) AS n FROM subscriptions WHERE due_at <= ${until}`;
    equal(read(database, overdue)[0]?.n, 0);
    // On a busy machine it may have taken long enough to be told.
    deepEqual(told.filter((one) => !String(one).startsWith("Catching up")), []);
  });
});

/** What a statement finds in a database file. */
function read(file: string, statement: string): Record<string, unknown>[] {
  const connection = connect(file);
  try {
    return connection.rows(statement);
  } finally {
    connection.close();
  }
}
