/**
 * Injected faults of requests that several processes share. They are in the database; each process
 * remembers them, so that a request asks only when one of them may happen to it.
 *
 * @module
 */

import { sql } from "kysely";
import { openView, type Others, type Store, type Tx } from "../store/mod.ts";
import type { FaultList } from "./faults.ts";
import { type Fault, newFault } from "./new_fault.ts";

/** A fault with its place. */
interface Placed {
  /** Its place in the order. */
  seq: number;
  /** The fault as it is stored. */
  text: string;
  /** The fault. */
  fault: Fault;
}

/** Opens the faults that all processes on a database share. */
export async function openSharedList(store: Store, others: Others): Promise<FaultList> {
  const placed = await openView(others, "faults", () => store.read(readAll));
  return {
    list: async () => (await store.read(readAll)).map(({ fault }) => fault),
    async add({ count, ...fault }) {
      await store.write(async (tx) => {
        const last = await tx.selectFrom("request_faults").select("seq").orderBy("seq", "desc")
          .limit(1).executeTakeFirst();
        const row = { seq: (last?.seq ?? 0) + 1, fault: JSON.stringify(fault), count };
        await tx.insertInto("request_faults").values(row).execute();
      });
      await placed.changed();
    },
    async clear() {
      await store.write((tx) => tx.deleteFrom("request_faults").execute());
      await placed.changed();
    },
    take(fits) {
      const fitting = placed.value.filter(({ fault }) => fits(fault));
      return fitting.length === 0 ? undefined : takeFirst(store, fitting, placed.value);
    },
  };
}

async function readAll(tx: Tx): Promise<Placed[]> {
  const rows = await tx.selectFrom("request_faults").selectAll().orderBy("seq").execute();
  return rows.map(({ seq, fault: text, count }) => ({
    seq,
    text,
    fault: newFault.parse({ ...JSON.parse(text), count }),
  }));
}

/** Takes one of the first fault that is still there, and forgets those that are not. */
async function takeFirst(
  store: Store,
  fitting: readonly Placed[],
  known: Placed[],
): Promise<Fault | undefined> {
  for (const one of fitting) {
    if (await store.write((tx) => takeOne(tx, one))) return one.fault;
    const place = known.indexOf(one);
    if (place >= 0) known.splice(place, 1);
  }
  return undefined;
}

/** Counts a fault down. False: it is no longer there, though another one may have its place. */
async function takeOne(tx: Tx, { seq, text }: Placed): Promise<boolean> {
  const fewer = await tx.updateTable("request_faults").set({ count: sql<number>`count - 1` })
    .where("seq", "=", seq).where("fault", "=", text).where("count", ">", 1)
    .executeTakeFirstOrThrow();
  if (fewer.numUpdatedRows > 0n) return true;
  const last = await tx.deleteFrom("request_faults").where("seq", "=", seq)
    .where("fault", "=", text).executeTakeFirstOrThrow();
  return last.numDeletedRows > 0n;
}
