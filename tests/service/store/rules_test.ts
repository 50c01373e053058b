import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import {
  acrossProjects,
  inProject,
  isCheckViolation,
  isForeignKeyViolation,
  isUniqueViolation,
  nextSeq,
  type Store,
  StoreError,
  type Tx,
} from "../../../lib/service/store/mod.ts";
import { addOffering, PROJECT, setCurrent, withStore } from "../../support/store_fixture.ts";

/** Runs a test with the store in memory: the rules are the same on disk. */
function rule(name: string, test: (store: Store) => Promise<void>): void {
  Deno.test(name, () => withStore(":memory:", test));
}

rule("an archived offering cannot be current", async (store) => {
  await store.write((tx) => addOffering(tx, "ofrng1"));
  await store.write((tx) => archive(tx, "ofrng1"));
  await rejects(store.write((tx) => setCurrent(tx, "ofrng1")), isForeignKeyViolation);
  await store.write((tx) => restore(tx, "ofrng1"));
  await store.write((tx) => setCurrent(tx, "ofrng1"));
});

rule("the current offering can be neither archived nor deleted", async (store) => {
  await store.write((tx) => addOffering(tx, "ofrng1"));
  await store.write((tx) => setCurrent(tx, "ofrng1"));
  await rejects(store.write((tx) => archive(tx, "ofrng1")), isForeignKeyViolation);
  await rejects(store.write((tx) => remove(tx, "ofrng1")), isForeignKeyViolation);
  equal(await currentOffering(store), "ofrng1");
});

rule("the current offering can be replaced and deleted in one write", async (store) => {
  await store.write((tx) => addOffering(tx, "ofrng1"));
  await store.write((tx) => setCurrent(tx, "ofrng1"));
  await store.write(async (tx) => {
    await remove(tx, "ofrng1");
    await setCurrent(tx, await addOffering(tx, "ofrng2"));
  });
  equal(await currentOffering(store), "ofrng2");
});

rule("an offering of another project cannot be current", async (store) => {
  await store.write(async (tx) => {
    await acrossProjects(tx).insertInto("projects").columns(["id", "seq", "name", "created_at"])
      .expression((eb) =>
        eb.selectFrom("projects").select(({ val }) => [
          val("proj00000002").as("id"),
          val(2).as("seq"),
          "name",
          "created_at",
        ])
      ).execute();
    await addOffering(tx, "ofrng1");
  });
  const crossed = store.write((tx) =>
    acrossProjects(tx).updateTable("projects").set({ current_offering_id: "ofrng1" })
      .where("id", "=", "proj00000002").execute()
  );
  await rejects(crossed, isForeignKeyViolation);
});

rule("a package has one product of an app for each range of SDK versions", async (store) => {
  await store.write(addShelf);
  const attach = (product: string, criteria: string): Promise<void> =>
    store.write((tx) => attachProduct(tx, product, criteria));
  await attach("prod1", "google_sdk_lt_6");
  await attach("prod2", "google_sdk_ge_6");
  for (const criteria of ["all", "google_sdk_lt_6", "google_sdk_ge_6"]) {
    await rejects(
      attach("prod3", criteria),
      (error) => isUniqueViolation(error, "package_products.app_id"),
    );
  }
  await rejects(
    attach("prod1", "google_sdk_ge_6"),
    (error) => isUniqueViolation(error),
    "the same product twice",
  );
  await rejects(attach("prod3", "some"), isCheckViolation);
});

rule("a product that is for all SDK versions leaves no room for another", async (store) => {
  await store.write(addShelf);
  await store.write((tx) => attachProduct(tx, "prod1", "all"));
  for (const criteria of ["all", "google_sdk_lt_6", "google_sdk_ge_6"]) {
    await rejects(
      store.write((tx) => attachProduct(tx, "prod2", criteria)),
      (error) => isUniqueViolation(error, "package_products.app_id"),
    );
  }
});

rule("what hangs on an offering goes with it, and its products stay", async (store) => {
  await store.write(addShelf);
  await store.write((tx) => attachProduct(tx, "prod1", "all"));
  await store.write((tx) => remove(tx, "ofrng1"));
  const left = await store.read(async (tx) => [
    await acrossProjects(tx).selectFrom("packages").select("id").execute(),
    await acrossProjects(tx).selectFrom("package_products").select("product_id").execute(),
    await acrossProjects(tx).selectFrom("products").select("id").orderBy("id").execute(),
  ]);
  deepEqual(left, [[], [], [{ id: "prod1" }, { id: "prod2" }, { id: "prod3" }]]);
});

rule("an app with products cannot be deleted", async (store) => {
  await store.write(addShelf);
  const deletion = store.write((tx) =>
    acrossProjects(tx).deleteFrom("apps").where("id", "=", "app1").execute()
  );
  await rejects(deletion, isForeignKeyViolation);
});

rule("two objects of a project cannot have the same place in a list", async (store) => {
  await store.write((tx) => addOffering(tx, "ofrng1"));
  await store.write((tx) =>
    acrossProjects(tx).updateTable("projects").set({ last_seq: 0 }).execute()
  );
  await rejects(
    store.write((tx) => addOffering(tx, "ofrng2")),
    (error) => isUniqueViolation(error, "offerings.seq"),
  );
});

rule("a text is not stored where a number belongs", async (store) => {
  await store.write((tx) => addOffering(tx, "ofrng1"));
  const wrong = store.write((tx) =>
    acrossProjects(tx).updateTable("offerings").set((eb) => ({
      created_at: eb.cast<number>(eb.val("x"), "text"),
    }))
      .execute()
  );
  await rejects(wrong, (error) => {
    match(String(error), /created_at/);
    return error instanceof StoreError && error.failure === "type";
  });
});

rule("numbers of a project count up one by one, and only where there is one", async (store) => {
  const numbers = await Promise.all(
    [1, 2, 3].map(() => store.write((tx) => nextSeq(inProject(tx, PROJECT)))),
  );
  deepEqual(numbers, [1, 2, 3]);
  await rejects(store.write((tx) => nextSeq(inProject(tx, "proj99999999"))));
  ok(await store.write((tx) => nextSeq(inProject(tx, PROJECT))) === 4);
});

/** Adds an app with three products, and an offering with a package. */
async function addShelf(tx: Tx): Promise<void> {
  const common = { project_id: PROJECT, created_at: 1 };
  await acrossProjects(tx).insertInto("apps")
    .values({ ...common, id: "app1", seq: 1, name: "A", type: "x", settings: "{}", secrets: "{}" })
    .execute();
  await acrossProjects(tx).insertInto("products")
    .values([1, 2, 3].map((n) => ({
      ...common,
      id: `prod${n}`,
      seq: n,
      app_id: "app1",
      store_identifier: `store${n}`,
      type: "subscription",
      display_name: null,
      title: null,
      duration: null,
      grace_period_duration: null,
      trial_duration: null,
      is_consumable: null,
    })))
    .execute();
  const offering_id = await addOffering(tx, "ofrng1");
  await acrossProjects(tx).insertInto("packages")
    .values({
      ...common,
      id: "pkge1",
      seq: 1,
      offering_id,
      lookup_key: "monthly",
      display_name: "Monthly",
      position: 1,
    })
    .execute();
}

async function attachProduct(tx: Tx, product_id: string, criteria: string): Promise<void> {
  await acrossProjects(tx).insertInto("package_products")
    .values({
      project_id: PROJECT,
      package_id: "pkge1",
      product_id,
      app_id: "app1",
      seq: await nextSeq(inProject(tx, PROJECT)),
      eligibility_criteria: criteria,
    })
    .execute();
}

async function archive(tx: Tx, id: string): Promise<void> {
  await acrossProjects(tx).updateTable("offerings").set({ state: "inactive" }).where("id", "=", id)
    .execute();
}

async function restore(tx: Tx, id: string): Promise<void> {
  await acrossProjects(tx).updateTable("offerings").set({ state: "active" }).where("id", "=", id)
    .execute();
}

async function remove(tx: Tx, id: string): Promise<void> {
  await acrossProjects(tx).deleteFrom("offerings").where("id", "=", id).execute();
}

async function currentOffering(store: Store): Promise<string | null | undefined> {
  const [project] = await store.read((tx) =>
    acrossProjects(tx).selectFrom("projects").select("current_offering_id").execute()
  );
  return project?.current_offering_id;
}
