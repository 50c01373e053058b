import { deepEqual, equal } from "node:assert/strict";
import {
  acrossProjects,
  findRow,
  findRowByKey,
  findSeq,
  fixed,
  inProject,
  insertRow,
  listRows,
  rowsWith,
} from "../../../lib/service/store/mod.ts";
import { openForTests } from "../../support/engine.ts";
import type { Row } from "../../../lib/service/store/tables.ts";

const OFFERING = {
  id: "ofrng1",
  seq: 1,
  lookup_key: "winter",
  display_name: "Winter",
  metadata: null,
  state: "active",
  created_at: 5,
};

Deno.test("an inserted row is returned as the database has it", async () => {
  await inTwoProjects(async ({ one, other }) => {
    const inserted = await insertRow(one, "offerings", OFFERING);
    deepEqual(inserted, await findRow(one, "offerings", "ofrng1"));
    equal(inserted.project_id, "proj1");
    equal(await findRow(other, "offerings", "ofrng1"), undefined);
  });
});

Deno.test("a row is found by its id or its lookup key, in its own project only", async () => {
  await inTwoProjects(async ({ one, other }) => {
    const mine = await insertRow(one, "offerings", OFFERING);
    const theirs = await insertRow(other, "offerings", { ...OFFERING, display_name: "Theirs" });
    deepEqual(await findRowByKey(one, "offerings", "winter"), mine);
    deepEqual(await findRowByKey(other, "offerings", "winter"), theirs);
    equal(await findRowByKey(one, "offerings", "ofrng1"), undefined);
    equal(await findRow(one, "offerings", "winter"), undefined);
  });
});

Deno.test("rows are found by any of their columns, sorted, in one project only", async () => {
  await inTwoProjects(async ({ one, other }) => {
    for (const seq of [3, 1, 2]) {
      const metadata = seq === 2 ? "{}" : null;
      const row = { ...OFFERING, id: `ofrng${seq}`, seq, lookup_key: `key${seq}`, metadata };
      await insertRow(one, "offerings", row);
      await insertRow(other, "offerings", row);
    }
    const find = async (wanted: Parameters<typeof rowsWith<"offerings">>[2]) => {
      const rows = await rowsWith(one, "offerings", wanted, ["state", "seq"]);
      return rows.map(({ project_id, seq }) => `${project_id} ${seq}`);
    };
    deepEqual(await find({}), ["proj1 1", "proj1 2", "proj1 3"]);
    deepEqual(await find({ metadata: null }), ["proj1 1", "proj1 3"]);
    deepEqual(await find({ metadata: null, id: "ofrng3" }), ["proj1 3"]);
    deepEqual(await find({ id: ["ofrng3", "ofrng2", "none"] }), ["proj1 2", "proj1 3"]);
    deepEqual(await find({ id: ["ofrng2"] }), ["proj1 2"]);
    deepEqual(await find({ id: [] }), []);
    deepEqual(await rowsWith(one, "offerings", { seq: 2 }), [
      await findRow(one, "offerings", "ofrng2"),
    ]);
  });
});

Deno.test("a list reads the id and the columns that it is asked for, and a place no other column", async () => {
  await inTwoProjects(async ({ one, other }) => {
    await insertRow(one, "offerings", { ...OFFERING, seq: 7 });
    await insertRow(other, "offerings", { ...OFFERING, id: "ofrng2" });
    const stretch = { after: undefined, newestFirst: false, count: 9 };
    const columns = ["lookup_key", "metadata"] as const;
    deepEqual(await listRows(one, "offerings", { ...stretch, columns }), [
      { id: "ofrng1", lookup_key: "winter", metadata: null },
    ]);
    equal(await findSeq(one, "offerings", "ofrng1"), 7);
    equal(await findSeq(one, "offerings", "ofrng2"), undefined);
  });
});

Deno.test("rows are listed in both orders, after any of them, in one project only", async () => {
  await inTwoProjects(async ({ one, other }) => {
    for (const seq of [1, 2, 3]) {
      const row = { ...OFFERING, id: `ofrng${seq}`, seq, lookup_key: `key${seq}` };
      await insertRow(one, "offerings", row);
      await insertRow(other, "offerings", row);
    }
    const list = async (after: number | undefined, newestFirst: boolean, count: number) => {
      const rows = await listRows(one, "offerings", { after, newestFirst, count });
      return rows.map(({ project_id, seq }) => `${project_id} ${seq}`);
    };
    deepEqual(await list(undefined, false, 9), ["proj1 1", "proj1 2", "proj1 3"]);
    deepEqual(await list(undefined, true, 2), ["proj1 3", "proj1 2"]);
    deepEqual(await list(1, false, 9), ["proj1 2", "proj1 3"]);
    deepEqual(await list(3, true, 1), ["proj1 2"]);
    deepEqual(await list(3, false, 9), []);
  });
});

Deno.test("one template serves all values", async () => {
  await inTwoProjects(async ({ one }) => {
    const nameOf = async (id: string) => {
      const { rows: [row] } = await fixed<Pick<Row<"projects">, "name">>`
        select name from projects where id = ${id}`.execute(one);
      return row?.name;
    };
    equal(await nameOf("proj1"), "Name of proj1");
    equal(await nameOf("proj2"), "Name of proj2");
    equal(await nameOf("' or 1 = 1 --"), undefined);
  });
});

/** The two projects that a test uses. */
type Projects = Record<"one" | "other", ReturnType<typeof inProject>>;

/** Runs a test on a database of two projects. */
async function inTwoProjects(test: (projects: Projects) => Promise<void>): Promise<void> {
  const store = await openForTests({ file: ":memory:" });
  try {
    await store.write(async (tx) => {
      for (const [i, id] of ["proj1", "proj2"].entries()) {
        await acrossProjects(tx).insertInto("projects").values({
          id,
          seq: i + 1,
          name: `Name of ${id}`,
          icon_url: null,
          icon_url_large: null,
          created_at: 0,
          current_offering_id: null,
          clock_frozen_at: null,
        }).execute();
      }
      await test({ one: inProject(tx, "proj1"), other: inProject(tx, "proj2") });
    });
  } finally {
    await store.close();
  }
}
