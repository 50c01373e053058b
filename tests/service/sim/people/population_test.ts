import { deepEqual, equal, match, notDeepEqual, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Service } from "../../../../lib/service/mod.ts";
import { acrossProjects, openDatabase, StoreError } from "../../../../lib/service/store/mod.ts";
import {
  advanceClock,
  cancelAdvance,
  freezeClock,
  getClock,
} from "../../../../lib/simulator/clock.ts";
import {
  cancelPopulation,
  getPopulation,
  previewPopulation,
  startPopulation,
} from "../../../../lib/simulator/population.ts";
import { beginProject } from "../../../../lib/simulator/service.ts";
import { ApiError } from "../../../../lib/errors.ts";
import { openService, type TestService } from "../../../support/engine.ts";
import { checkSums } from "../../../support/ledger_sums.ts";
import { makePopulation, simulatorOf, whenMade } from "../../../support/population_fixture.ts";
import { childLines, inFolder } from "../../../support/store_fixture.ts";

const NOW = Date.UTC(2026, 10, 28, 12);

/** Opens a service in memory at a time that stands. */
function open(now = NOW): Promise<TestService> {
  return openService({ clock: () => now });
}

/** Rows of all projects. */
async function rowsOf({ store }: Service) {
  return await store.read(async (tx) => {
    const all = acrossProjects(tx);
    return {
      customers: await all.selectFrom("customers").selectAll().orderBy("seq").execute(),
      aliases: await all.selectFrom("customer_aliases").selectAll().orderBy("seq").execute(),
      subscriptions: await all.selectFrom("subscriptions").selectAll().orderBy("seq").execute(),
      purchases: await all.selectFrom("purchases").selectAll().orderBy("seq").execute(),
      transactions: await all.selectFrom("transactions").selectAll().orderBy("seq").execute(),
      events: await all.selectFrom("events").selectAll().orderBy("seq").execute(),
      balances: await all.selectFrom("currency_balances").selectAll().execute(),
    };
  });
}

/** Checks that a request is refused with a status and a field. */
function refused(promise: Promise<unknown>, status: number, param?: string): Promise<void> {
  return rejects(promise, (error) => {
    ok(error instanceof ApiError, String(error));
    deepEqual([error.status, error.param], [status, param], error.message);
    return true;
  });
}

Deno.test("a population has everything that happens, and the ledger adds up", async () => {
  await using service = await open();
  const made = await makePopulation(service, { customers: 1500 });
  deepEqual([made.customers, made.cancelled, made.error, made.now], [1500, false, null, NOW]);
  await checkSums(service.store, NOW);
  const { customers, aliases, subscriptions, transactions, events } = await rowsOf(service);
  equal(customers.length, 1507);
  const share = (count: number) => count / 1500;
  const anonymous = customers.filter(({ id }) => id.startsWith("$RCAnonymousID:"));
  ok(
    anonymous.every(({ id }) => /^\$RCAnonymousID:[0-9a-f]{32}$/.test(id)),
    "as the SDKs make them",
  );
  ok(share(anonymous.length) > 0.4 && share(anonymous.length) < 0.7);
  ok(aliases.length > customers.length + 200, "some sign in later");
  ok(new Set(customers.map((row) => row.last_seen_country)).size > 12);
  const stores = new Set(subscriptions.map(({ store }) => store));
  ok(["app_store", "play_store", "svc_billing"].every((store) => stores.has(store)));
  ok(share(subscriptions.length) > 0.2 && share(subscriptions.length) < 0.5);
  const statuses = new Set(subscriptions.map(({ status }) => status));
  for (const status of ["active", "trialing", "expired"]) ok(statuses.has(status as never), status);
  ok(subscriptions.some(({ ownership }) => ownership === "family_shared"));
  ok(transactions.some(({ status }) => status === "refunded"));
  const types = new Set(events.map(({ type }) => type));
  const expected = [
    ...["INITIAL_PURCHASE", "RENEWAL", "CANCELLATION", "UNCANCELLATION", "EXPIRATION"],
    ...["BILLING_ISSUE", "PRODUCT_CHANGE", "SUBSCRIPTION_PAUSED", "NON_RENEWING_PURCHASE"],
    "PRICE_INCREASE_CONSENT_REQUIRED",
  ];
  deepEqual(expected.filter((type) => !types.has(type)), []);
  const own = events.filter(({ customer_id }) => /user_|RCAnonymous/.test(customer_id));
  ok(own.every((row, i) => row.created_at >= (own[i - 1]?.created_at ?? 0)), "in order of time");
});

Deno.test("the same seed at the same time makes the same customers, another one others", async () => {
  const make = async (seed: number, kind?: "games") => {
    await using service = await open();
    await makePopulation(service, { seed, kind });
    const rows = await rowsOf(service);
    const project = service.projectId ?? "";
    // Products and what is derived from the project's id differ from one database to another.
    const plain = (row: object) =>
      JSON.stringify(row).replaceAll(project, "").replaceAll(
        /"((app|prod|ofrng)[0-9a-f]{10}|sub[0-9a-f]{16})"/g,
        "",
      );
    const isOurs = ({ customer_id }: { customer_id: string }) => /^(user_|\$RC)/.test(customer_id);
    return [
      ...rows.customers.slice(7).map(plain),
      ...rows.subscriptions.filter(isOurs).map((
        { id, customer_id, status, starts_at, due_at, price_micros },
      ) => plain({ id, customer_id, status, starts_at, due_at, price_micros })),
      ...rows.purchases.filter(isOurs).map(({ id, purchased_at }) => plain({ id, purchased_at })),
      ...rows.events.filter(isOurs).map(({ type, created_at, customer_id }) =>
        plain({ type, created_at, customer_id })
      ),
    ];
  };
  const first = await make(42);
  deepEqual(await make(42), first);
  notDeepEqual(await make(43), first);
});

Deno.test("the ledger of a population adds up, whatever the seed", async () => {
  for (const [seed, kind] of [[1, "games"], [7, "news"], [10, "notes"]] as const) {
    await using service = await open();
    const made = await makePopulation(service, { customers: 400, seed, kind });
    equal(made.error, null);
    await checkSums(service.store, NOW);
  }
});

Deno.test("a kind of app brings its products once, and sells them", async () => {
  await using service = await open();
  const simulator = simulatorOf(service);
  for (const seed of [1, 2]) {
    await makePopulation(service, { customers: 400, seed, kind: "games" });
  }
  const { purchases, subscriptions, balances } = await rowsOf(service);
  ok(purchases.length > subscriptions.length, "games sell gems");
  ok(balances.some(({ currency_id, balance }) => currency_id === "GEM" && balance > 0));
  const keys = await service.store.read((tx) =>
    acrossProjects(tx).selectFrom("products").select("store_identifier")
      .where("store_identifier", "like", "orbit%").execute()
  );
  equal(keys.length, 8);
  await checkSums(service.store, NOW);
  const { client } = simulator;
  const empty = await beginProject(client, { name: "Empty", now: Date.UTC(2024, 1, 29) });
  const other = simulatorOf(service, empty.id);
  await startPopulation(other, { customers: 200, months: 60, seed: 1 });
  const made = await whenMade(other);
  deepEqual([made.customers, made.from], [200, Date.UTC(2019, 1, 28)]);
  ok(made.subscriptions > 20, "a project without products gets those of notes");
});

Deno.test("readers of news take a year as often as usual, and mostly come back to the same product", async () => {
  await using service = await open();
  await makePopulation(service, { customers: 600, seed: 1, kind: "news" });
  const { subscriptions } = await rowsOf(service);
  const products = await service.store.read((tx) =>
    acrossProjects(tx).selectFrom("products").select(["id", "duration"]).execute()
  );
  const ofYear = new Set(products.flatMap(({ id, duration }) => duration === "P1Y" ? id : []));
  const own = subscriptions.filter(({ customer_id, ownership }) =>
    /^user_|RCAnonymous/.test(customer_id) && ownership === "purchased"
  );
  const share = own.filter(({ product_id }) => ofYear.has(product_id ?? "")).length / own.length;
  ok(share > 0.25 && share < 0.43, String(share));
  const ofCustomers = [...Map.groupBy(own, ({ customer_id }) => customer_id).values()];
  const back = ofCustomers.filter(({ length }) => length > 1);
  const same = back.filter(([first, next]) => first?.product_id === next?.product_id);
  // Some have changed the product before or after.
  ok(same.length > back.length / 3, `${same.length} of ${back.length}`);
});

Deno.test("the clock is where it was, running or not, and nothing is due", async () => {
  await using service = await open();
  const simulator = simulatorOf(service);
  await advanceClock(simulator, { by: "P10D" });
  const before = await getClock(simulator);
  await makePopulation(service);
  deepEqual(await getClock(simulator), before);
  await freezeClock(simulator);
  await makePopulation(service, { seed: 43 });
  deepEqual(await getClock(simulator), { ...before, frozen: true });
  await checkSums(service.store, before.now);
  await advanceClock(simulator, { by: "P2M" });
  await checkSums(service.store, (await getClock(simulator)).now);
});

Deno.test("a clock that runs has lost no time when the population is made", async () => {
  let now = NOW;
  await using service = await openService({ clock: () => now });
  const simulator = simulatorOf(service);
  await startPopulation(simulator, { customers: 20, months: 12, seed: 42, confirmed: true });
  now += 3_600_000;
  equal((await whenMade(simulator)).error, null);
  equal((await getClock(simulator)).now, now);
  await checkSums(service.store, now);
});

Deno.test("a population that is stopped leaves a consistent moment", async () => {
  await using service = await open();
  const simulator = simulatorOf(service);
  await refused(getPopulation(simulator), 404, "project_id");
  await startPopulation(simulator, { customers: 3000, months: 12, seed: 42, confirmed: true });
  while ((await getPopulation(simulator)).customers === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  equal((await cancelAdvance(simulator)).cancelled, false, "the clock must not stay in the past");
  const stopped = await cancelPopulation(simulator);
  deepEqual([stopped.running, stopped.cancelled, stopped.now], [false, true, NOW]);
  ok(stopped.customers > 0 && stopped.customers < 3000, String(stopped.customers));
  equal((await getClock(simulator)).now, NOW);
  await checkSums(service.store, NOW);
  deepEqual(await cancelPopulation(simulator), stopped, "there is nothing to stop any more");
});

Deno.test("a population that cannot be made is refused, and nothing changes", async () => {
  await using service = await open();
  const simulator = simulatorOf(service);
  const wanted = { customers: 10, months: 12, seed: 42 };
  deepEqual(await previewPopulation(simulator), {
    object: "population_preview",
    customers: 7,
    webhooks: 0,
  });
  const before = await rowsOf(service);
  await refused(startPopulation(simulator, wanted), 422, "confirmed");
  const sure = { ...wanted, confirmed: true };
  for (
    const [key, values] of Object.entries({
      customers: [0, 100_001, 1.5, "10"],
      months: [0, 61, -1],
      seed: [-1, 0.5, null],
      kind: ["shop", ""],
    })
  ) {
    for (const value of values) {
      await refused(startPopulation(simulator, { ...sure, [key]: value } as never), 400, key);
    }
  }
  await refused(startPopulation(simulatorOf(service, "proj0"), sure), 404, "project_id");
  deepEqual(await rowsOf(service), before);
  await startPopulation(simulator, sure);
  await whenMade(simulator);
  await refused(startPopulation(simulator, sure), 409, "seed");
  equal((await getClock(simulator)).now, NOW);
  await using young = await open(Date.UTC(1970, 6, 1));
  await refused(startPopulation(simulatorOf(young), sure), 422, "months");
  equal((await getClock(simulatorOf(young))).now, Date.UTC(1970, 6, 1));
});

Deno.test("one population at a time, and others wait for the project meanwhile", async () => {
  await using service = await open();
  const simulator = simulatorOf(service);
  const wanted = { customers: 3000, months: 12, seed: 42, confirmed: true };
  await startPopulation(simulator, wanted);
  await refused(startPopulation(simulator, { ...wanted, seed: 43 }), 409);
  const clock = await getClock(simulator).catch((error: unknown) => error);
  if (clock instanceof ApiError) match(clock.message, /catching up/);
  else equal((clock as { now: number }).now, NOW, "nobody sees the clock in the past");
  await cancelPopulation(simulator);
});

Deno.test("a service that is killed while it makes a population goes on to the present", () =>
  inFolder(async (folder) => {
    const database = join(folder, "data.db");
    const fixture = import.meta.resolve("../../../support/population_fixture.ts");
    const module = import.meta.resolve("../../../support/engine.ts");
    const program = `const { openService } = await import("${module}");
      const { simulatorOf } = await import("${fixture}");
      const { startPopulation, getPopulation } = await import("${
      import.meta.resolve("../../../../lib/simulator/population.ts")
    }");
      const service = await openService({ database: Deno.args[0], clock: () => ${NOW} });
      const simulator = simulatorOf(service);
      await startPopulation(simulator, { customers: 4000, months: 12, seed: 42, confirmed: true });
      for (;;) { const { customers } = await getPopulation(simulator);
        if (customers > 500) console.log(customers); await new Promise((r) => setTimeout(r, 5)); }`;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", "--config", fileURLToPath(CONFIG), program, database],
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const lines = childLines(child);
    await lines.next();
    child.kill("SIGKILL");
    for await (const _ of lines);
    await child.status;
    await using service = await openService({ database, clock: () => NOW });
    const simulator = simulatorOf(service);
    await service.catchUp();
    equal((await getClock(simulator)).now, NOW);
    await checkSums(service.store, NOW);
    const { customers } = await rowsOf(service);
    ok(customers.length > 500 && customers.length < 4000, String(customers.length));
  }));

const CONFIG = new URL("../../../../deno.json", import.meta.url);

Deno.test("a population that fails on a full disk says so, without the words of the database", async () => {
  let isFull = false;
  const said = 'Cannot use the database: could not extend file "pg_tblspc/1": No space left';
  await using service = await openService({
    clock: () => NOW,
    report: () => {},
    open: async (options) => {
      const store = await openDatabase(options);
      const write: typeof store.write = (run, projectId) => {
        if (!isFull) return store.write(run, projectId);
        isFull = false;
        return Promise.reject(new StoreError(said, { failure: "full" }));
      };
      return { ...store, write };
    },
  });
  const simulator = simulatorOf(service);
  await startPopulation(simulator, { customers: 3000, months: 12, seed: 42, confirmed: true });
  isFull = true;
  const made = await whenMade(simulator);
  equal(made.error, "the disk is full");
  ok(made.customers < 3000);
});
