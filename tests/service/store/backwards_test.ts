import { deepEqual } from "node:assert/strict";
import { acrossProjects, openStore, type Store, type Tx } from "../../../lib/service/store/mod.ts";
import { testOnSqlite } from "../../support/engine.ts";
import { addOffering, addProject, onBothStores } from "../../support/store_fixture.ts";

/** The ids of two offerings, as a writer and then a reader find them without an order. */
async function foundIn(store: Store): Promise<string[][]> {
  const find = async (tx: Tx) =>
    (await acrossProjects(tx).selectFrom("offerings").select("id").execute()).map(({ id }) => id);
  await store.write((tx) => addOffering(tx, "ofrng1"));
  await store.write((tx) => addOffering(tx, "ofrng2"));
  return [await store.write(find), await store.read(find)];
}

testOnSqlite(
  "rows without an order come backwards in tests alone",
  "PostgreSQL returns them in any order",
  async () => {
    const backwards = ["ofrng2", "ofrng1"];
    await onBothStores(async (store) => deepEqual(await foundIn(store), [backwards, backwards]));
    const store = openStore({ file: ":memory:" });
    await store.write(addProject);
    const forwards = backwards.toReversed();
    deepEqual(await foundIn(store), [forwards, forwards]);
    await store.close();
  },
);
