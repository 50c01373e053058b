/**
 * The store without HTTP: a long walk over pages, and writes that share a commit.
 *
 * @module
 */

import { join } from "node:path";
import { listPage, tableListing } from "../../lib/service/records/lists.ts";
import { connect, type Connection } from "../../lib/service/store/sqlite/connection.ts";
import {
  acrossProjects,
  inProject,
  nextSeq,
  openStore,
  type Store,
  type Tx,
} from "../../lib/service/store/mod.ts";
import type { Row } from "../../lib/service/store/tables.ts";
import { createWriter } from "../../lib/service/store/sqlite/writer.ts";
import { elapsed, type Measured, median, megabytes, plain } from "./measure.ts";

const PROJECT = "projbench000";

/** Measures a walk over this many customers, in pages of 100. */
export async function measureWalk(
  { folder, customers }: { folder: string; customers: number },
): Promise<Measured> {
  const store = openStore({ file: join(folder, "walk.db") });
  try {
    const insert = await elapsed(() => insertCustomers(store, customers));
    const before = Deno.memoryUsage();
    const pages = await walk(store);
    const after = Deno.memoryUsage();
    const [first, last] = [median(pages.slice(0, 20)), median(pages.slice(-20))];
    const total = pages.reduce((sum, ms) => sum + ms, 0);
    return {
      method: `${customers} customers in a file, read to the end in ${pages.length} pages of 100 ` +
        "with the service's own lists. First and last page are medians of 20.",
      findings: [
        plain("Writing the customers, 1,000 per write", `${insert.toFixed(0)} ms`),
        plain("The walk", `${total.toFixed(0)} ms`),
        {
          what: "The last page against the first",
          ours: `${last.toFixed(2)} ms`,
          base: `${first.toFixed(2)} ms, the first`,
          value: last / first,
          unit: "x",
        },
        plain("Growth of the process's memory", megabytes(after.rss - before.rss)),
        plain("Its heap afterwards", megabytes(after.heapUsed)),
      ],
    };
  } finally {
    await store.close();
  }
}

/** Writes a project and its customers. */
async function insertCustomers(store: Store, count: number): Promise<void> {
  await store.write(addProject);
  for (let from = 0; from < count; from += 1000) {
    const length = Math.min(1000, count - from);
    await store.write(async (tx) => {
      const rows = Array.from({ length }, (_, i) => customer(from + i + 1));
      await acrossProjects(tx).insertInto("customers").values(rows).execute();
    });
  }
}

function customer(seq: number): Row<"customers"> {
  return {
    project_id: PROJECT,
    id: `customer-${seq}`,
    seq,
    first_seen_at: seq,
    last_seen_at: seq,
    last_seen_app_version: "2.1.0",
    last_seen_country: "JP",
    last_seen_platform: "iOS",
    last_seen_platform_version: "18.1",
    paid_in: 0,
  };
}

/** Reads all pages. Gives the milliseconds that each has taken. */
async function walk(store: Store): Promise<number[]> {
  const times: number[] = [];
  let url: URL | undefined = new URL(`http://service/v2/projects/${PROJECT}/customers`);
  while (url) {
    const start = performance.now();
    const next: string | null = await readPage(store, url);
    times.push(performance.now() - start);
    url = next === null ? undefined : new URL(next, url);
  }
  return times;
}

/** Reads one page. Gives the address of the next one. */
async function readPage(store: Store, url: URL): Promise<string | null> {
  return await store.read(async (tx) => {
    const project = await acrossProjects(tx).selectFrom("projects").selectAll().where(
      "id",
      "=",
      PROJECT,
    )
      .executeTakeFirstOrThrow();
    const starting_after = url.searchParams.get("starting_after") ?? undefined;
    const page = await listPage(
      { url, query: { limit: 100, starting_after } },
      tableListing({ tx: inProject(tx, project.id), project }, "customers", {
        object: "customer",
        show: (row) => row,
      }),
    );
    return page.next_page;
  });
}

/** Measures writes that come one at a time and 64 at a time. */
export async function measureWrites(
  { folder, writes }: { folder: string; writes: number },
): Promise<Measured> {
  const alone = await writeOffers(join(folder, "alone.db"), 1, Math.ceil(writes / 8));
  const together = await writeOffers(join(folder, "together.db"), 64, writes);
  return {
    method: "Each write adds an offering to a file. It is on disk before the same writer starts " +
      "its next write.",
    findings: [
      plain("Writes per second, 1 at a time", alone.perSecond.toFixed(0)),
      {
        what: "Writes per second, 64 at a time",
        ours: together.perSecond.toFixed(0),
        base: `${alone.perSecond.toFixed(0)}, 1 at a time`,
        value: together.perSecond / alone.perSecond,
        better: "more",
        unit: "x",
      },
      plain("Writes per commit, 64 at a time", together.perCommit.toFixed(1)),
    ],
  };
}

/** Adds offerings with some writers at the same time. */
async function writeOffers(
  file: string,
  writers: number,
  writes: number,
): Promise<{ perSecond: number; perCommit: number }> {
  const store = openStore({ file });
  await store.write(addProject);
  await store.close();
  const { connection, commits } = counting(connect(file));
  try {
    const writer = createWriter(connection);
    let left = writes;
    const ms = await elapsed(() =>
      Promise.all(Array.from({ length: writers }, async () => {
        while (left > 0) {
          const number = left--;
          await writer.run((tx) => addOffering(tx, number), "write");
        }
      }))
    );
    return { perSecond: writes / ms * 1000, perCommit: writes / commits() };
  } finally {
    connection.close();
  }
}

/** A connection that counts its commits. */
function counting(connection: Connection): { connection: Connection; commits: () => number } {
  let commits = 0;
  return {
    commits: () => commits,
    connection: {
      ...connection,
      run(sql) {
        if (sql === "COMMIT") commits++;
        connection.run(sql);
      },
    },
  };
}

async function addProject(tx: Tx): Promise<void> {
  await acrossProjects(tx).insertInto("projects").values({
    id: PROJECT,
    seq: 1,
    name: "Bench",
    icon_url: null,
    icon_url_large: null,
    created_at: 1,
    current_offering_id: null,
    clock_frozen_at: null,
  }).execute();
}

async function addOffering(tx: Tx, number: number): Promise<void> {
  await acrossProjects(tx).insertInto("offerings").values({
    project_id: PROJECT,
    id: `ofrng${number}`,
    seq: await nextSeq(inProject(tx, PROJECT)),
    lookup_key: `offering_${number}`,
    display_name: "Made to measure",
    metadata: null,
    created_at: 1,
  }).execute();
}
