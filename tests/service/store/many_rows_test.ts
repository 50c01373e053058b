/** Many rows at once are what they would be one by one, on either engine. */

import { deepEqual, equal, rejects } from "node:assert/strict";
import {
  acrossProjects,
  among,
  inProject,
  isForeignKeyViolation,
  isUniqueViolation,
  type Store,
  updateRows,
  writeRows,
} from "../../../lib/service/store/mod.ts";
import type { Row } from "../../../lib/service/store/tables.ts";
import { ONLY_POSTGRES, openForTests } from "../../support/engine.ts";

const PROJECT = "proj1";

/** Texts that an array of the server has other words for. */
const TEXTS = [
  "",
  "NULL",
  "null",
  'a "quoted" word',
  "\\",
  '\\"',
  "{a,b}",
  "a,b",
  " spaces ",
  "two\nlines\tand\r\n",
  "日本 😀 é",
  "?",
  "$1",
  '{"z":1.10,"s":" \\u00e9 "}',
];

type Event = Omit<Row<"events">, "project_id">;

function eventOf(number: number, payload: string): Event {
  return {
    id: `event${number}`,
    seq: number,
    type: "TEST",
    customer_id: `customer ${number % 7}`,
    app_id: number % 2 === 0 ? null : `app ${number}`,
    environment: "sandbox",
    created_at: number % 3 === 0 ? -number : Number.MAX_SAFE_INTEGER - number,
    payload,
  };
}

/** A database with one project. */
async function openWithProject(): Promise<Store> {
  const store = await openForTests({ file: ":memory:" });
  await store.write((tx) =>
    acrossProjects(tx).insertInto("projects").values({
      id: PROJECT,
      seq: 1,
      name: "One",
      icon_url: null,
      icon_url_large: null,
      created_at: 0,
      current_offering_id: null,
    }).execute()
  );
  return store;
}

async function eventsIn(store: Store): Promise<Event[]> {
  const rows = await store.read((tx) =>
    inProject(tx, PROJECT).selectFrom("events").selectAll().orderBy("seq").execute()
  );
  return rows.map(({ project_id, ...event }) => {
    equal(project_id, PROJECT);
    return event;
  });
}

for (const count of [1, 2, TEXTS.length, 1023, 1024, 1025, 2100]) {
  Deno.test(`${count} rows come back as they were written and changed`, async () => {
    const store = await openWithProject();
    const events = Array.from(
      { length: count },
      (_, i) => eventOf(i + 1, TEXTS[i % TEXTS.length] ?? ""),
    );
    await store.write((tx) => writeRows(inProject(tx, PROJECT), "events", events), PROJECT);
    deepEqual(await eventsIn(store), events);

    const changed = events.map((event, i) => ({
      ...event,
      app_id: event.app_id === null ? `"${i}"` : null,
      payload: TEXTS[(i + 1) % TEXTS.length] ?? "",
      type: "NOT WRITTEN",
    }));
    await store.write(
      (tx) => updateRows(inProject(tx, PROJECT), "events", changed, ["payload", "app_id"]),
      PROJECT,
    );
    deepEqual(await eventsIn(store), changed.map((event) => ({ ...event, type: "TEST" })));
    await store.close();
  });
}

Deno.test("of two changes of one row the last counts", async () => {
  const store = await openWithProject();
  const events = [eventOf(1, "first"), eventOf(2, "first")];
  await store.write(async (whole) => {
    const tx = inProject(whole, PROJECT);
    await writeRows(tx, "events", events);
    const changes = [eventOf(1, "second"), eventOf(2, "third"), eventOf(1, "fourth")];
    await updateRows(tx, "events", changes, ["payload"]);
  }, PROJECT);
  deepEqual((await eventsIn(store)).map(({ payload }) => payload), ["fourth", "third"]);
  await store.close();
});

Deno.test("rows of other projects are left alone", async () => {
  const store = await openWithProject();
  const events = [eventOf(1, "kept"), eventOf(2, "kept")];
  await store.write((tx) => writeRows(inProject(tx, PROJECT), "events", events), PROJECT);
  const changes = events.map((event) => ({ ...event, payload: "changed" }));
  await store.write((tx) => updateRows(inProject(tx, "proj2"), "events", changes, ["payload"]));
  deepEqual(await eventsIn(store), events);
  await store.close();
});

Deno.test("sums are added to those that are there, and begun where there are none", async () => {
  const store = await openWithProject();
  const sum = (day: number, movements: number) => ({
    day,
    kind: "start",
    environment: "production",
    store: "app_store",
    app_id: "app1",
    product_id: "prod1",
    product_duration: "",
    offering_id: "",
    country: "",
    platform: "ios",
    movements,
    gross_usd_micros: 10 * movements,
    commission_usd_micros: 0,
    tax_usd_micros: 0,
    payments_delta: 0,
    refunds_delta: 0,
    mrr_delta_micros: -movements,
    actives_delta: 0,
    trials_delta: 0,
    renewing_delta: 0,
    billing_issues_delta: 0,
  });
  const key = [
    "project_id",
    "day",
    "kind",
    "environment",
    "store",
    "app_id",
    "product_id",
    "product_duration",
    "offering_id",
    "country",
    "platform",
  ] as const;
  for (const sums of [[sum(1, 1), sum(2, 2)], [sum(2, 3), sum(3, 4)], [sum(3, 5)]]) {
    await store.write(
      (tx) => writeRows(inProject(tx, PROJECT), "movements_daily", sums, { key, then: "add" }),
      PROJECT,
    );
  }
  const rows = await store.read((tx) =>
    inProject(tx, PROJECT).selectFrom("movements_daily")
      .select(["day", "movements", "gross_usd_micros", "mrr_delta_micros"]).orderBy("day").execute()
  );
  deepEqual(rows.map((row) => Object.values(row)), [[1, 1, 10, -1], [2, 5, 50, -5], [
    3,
    9,
    90,
    -9,
  ]]);
  await store.close();
});

Deno.test("many rows are refused together for what one of them violates", async () => {
  const store = await openWithProject();
  const [first, second] = [eventOf(1, ""), eventOf(2, "")];
  const write = (projectId: string, events: Event[]) =>
    store.write((tx) => writeRows(inProject(tx, projectId), "events", events));
  await rejects(
    write(PROJECT, [first, second, { ...eventOf(3, ""), seq: 1 }]),
    (error) => isUniqueViolation(error, "events.seq"),
  );
  await rejects(write("proj2", [first, second]), isForeignKeyViolation);
  await rejects(write(PROJECT, [first, { ...second, seq: 1.5 }]), /type|integer|REAL/i);
  deepEqual(await eventsIn(store), []);
  await store.close();
});

Deno.test(
  "of statements that are sent together the first failure is told",
  ONLY_POSTGRES,
  async () => {
    const store = await openWithProject();
    const events = [eventOf(1, ""), eventOf(1, "")];
    const work = store.write(async (whole) => {
      const tx = inProject(whole, PROJECT);
      writeRows(tx, "events", events).catch(() => {});
      await writeRows(tx, "events", [eventOf(2, ""), eventOf(3, "")]);
    }, PROJECT);
    await rejects(work, (error) => isUniqueViolation(error, "events.id"));
    deepEqual(await eventsIn(store), []);
    await store.close();
  },
);

Deno.test("rows are found by any of many values", async () => {
  const store = await openWithProject();
  const events = TEXTS.map((text, i) => ({ ...eventOf(i + 1, ""), type: `t${text}` }));
  const found = await store.write(async (whole) => {
    const tx = inProject(whole, PROJECT);
    await writeRows(tx, "events", events);
    const wanted = [...TEXTS.slice(3).map((text) => `t${text}`), "t", "none"];
    return await tx.selectFrom("events").select("seq").where(among(tx, "type", wanted))
      .orderBy("seq").execute();
  }, PROJECT);
  deepEqual(found.map(({ seq }) => seq), [1, ...TEXTS.slice(3).map((_, i) => i + 4)]);
  await store.close();
});
