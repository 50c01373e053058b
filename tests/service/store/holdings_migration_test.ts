import { deepEqual } from "node:assert/strict";
import { connect } from "../../../lib/service/store/connection.ts";
import { migrate } from "../../../lib/service/store/migrate.ts";
import { migrations } from "../../../lib/service/store/migrations/mod.ts";

Deno.test("customers of an older database are found by their ids, as aliases", () => {
  const connection = connect(":memory:");
  const options = { file: ":memory:", now: 1 };
  migrate(connection, migrations.slice(0, 2), options);
  connection.script(`
    INSERT INTO projects (id, seq, name, created_at, last_seq) VALUES ('proj1', 1, 'Old', 5, 2);
    INSERT INTO customers (project_id, id, seq, first_seen_at) VALUES
      ('proj1', 'ada', 1, 10), ('proj1', '$RCAnonymousID:1', 2, 20);`);
  migrate(connection, migrations, options);
  const aliases = connection.rows("SELECT * FROM customer_aliases ORDER BY seq");
  connection.close();
  const common = { project_id: "proj1" };
  deepEqual(aliases, [
    { ...common, alias: "ada", customer_id: "ada", seq: 1, created_at: 10 },
    {
      ...common,
      alias: "$RCAnonymousID:1",
      customer_id: "$RCAnonymousID:1",
      seq: 2,
      created_at: 20,
    },
  ]);
});
