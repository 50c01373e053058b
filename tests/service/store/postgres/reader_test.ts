/** Reads on PostgreSQL, on connections that only count what is sent: no server is needed. */

import { deepEqual, equal, rejects } from "node:assert/strict";
import { fixed, isUnfit, type Tx } from "../../../../lib/service/store/mod.ts";
import { sharedSearch } from "../../../../lib/service/records/shared_search.ts";
import type { Answer, Pool } from "../../../../lib/service/store/postgres/driver.ts";
import { createReader } from "../../../../lib/service/store/postgres/reader.ts";

/** A pool that notes statements by connection, and answers each as `respond` says. */
function notingPool(respond: (sql: string) => Promise<void> = async () => {}) {
  const sent: string[][] = [];
  const pool: Pool = {
    take: () => {
      const statements: string[] = [];
      sent.push(statements);
      return Promise.resolve({
        send: async (sql: string): Promise<Answer> => {
          statements.push(sql.split(" ")[0] ?? "");
          await respond(sql);
          return { command: "SELECT", count: 1, rows: [{ value: 1 }] };
        },
        process: null,
        outdate: () => {},
        release: () => void statements.push("released"),
      });
    },
    size: () => ({ open: 0, idle: 0, waiting: 0 }),
    close: async () => {},
  };
  return { pool, sent, reader: createReader(pool, () => new Map(), 4) };
}

async function readOne(tx: Tx): Promise<unknown> {
  const { rows: [row] } = await fixed<{ value: number }>`select 1 as value`.execute(tx);
  return row?.value;
}

Deno.test("reads that start at the same moment share a snapshot", async () => {
  const { reader, sent } = notingPool();
  deepEqual(await Promise.all([1, 2, 3].map(() => reader.run(readOne))), [1, 1, 1]);
  await reader.idle();
  deepEqual(sent, [["BEGIN", "select", "select", "select", "ROLLBACK", "released"]]);
});

Deno.test("a read that starts later gets a snapshot of its own", async () => {
  const { reader, sent } = notingPool();
  await reader.run(readOne);
  await reader.run(readOne);
  await reader.idle();
  equal(sent.length, 2);
});

Deno.test("reads on one snapshot search for the same thing once", async () => {
  const { reader, sent } = notingPool();
  const search = sharedSearch<unknown>();
  const read = async (tx: Tx) => await search(tx, "one", () => readOne(tx));
  deepEqual(await Promise.all([reader.run(read), reader.run(read)]), [1, 1]);
  await reader.idle();
  deepEqual(sent, [["BEGIN", "select", "ROLLBACK", "released"]]);
});

Deno.test("nothing is kept of a search that finds nothing", async () => {
  const { reader } = notingPool();
  const search = sharedSearch<unknown>();
  const found = await reader.run(async (tx) => {
    const find = (value: unknown) => search(tx, "one", () => Promise.resolve(value));
    return [await find(undefined), await find(1), await find(2)];
  });
  deepEqual(found, [undefined, 1, 1]);
});

Deno.test("reads that the database refuses together run again by themselves", async () => {
  let aborted = false;
  const { reader } = notingPool(async (sql) => {
    if (sql.startsWith("BEGIN")) aborted = false;
    const code = aborted ? "25P02" : sql.includes("unfit") ? "22021" : undefined;
    if (code === undefined) return;
    aborted = true;
    throw Object.assign(new Error("refused"), { code });
  });
  const unfit = reader.run((tx) => fixed`select 'unfit'`.execute(tx));
  const [, value] = await Promise.all([rejects(unfit, isUnfit), reader.run(readOne)]);
  equal(value, 1);
});

Deno.test("a read does not wait for a slow one that started before it", async () => {
  const slow = Promise.withResolvers<void>();
  const { reader, sent } = notingPool((sql) =>
    sql.includes("slow") ? slow.promise : Promise.resolve()
  );
  const first = reader.run((tx) => fixed`select 'slow'`.execute(tx));
  await new Promise((resolve) => setImmediate(resolve));
  equal(await reader.run(readOne), 1);
  slow.resolve();
  await first;
  await reader.idle();
  equal(sent.length, 2);
});

Deno.test("what the calling code throws ends no other read", async () => {
  const { reader, sent } = notingPool();
  const faulty = reader.run(async () => {
    throw new RangeError("none of the database's");
  });
  const [, value] = await Promise.all([rejects(faulty, RangeError), reader.run(readOne)]);
  equal(value, 1);
  equal(sent.length, 1);
});
