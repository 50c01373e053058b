import { deepEqual, equal } from "node:assert/strict";
import { acrossProjects } from "../../../lib/service/store/mod.ts";
import { frozen } from "../../support/activities.ts";
import { againstRule, apiOf, noSuch } from "../../support/api.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { productNamed } from "../../support/simulation.ts";

Deno.test("only the public dialect has operations for balances", async () => {
  await using desk = await openDesk();
  const api = apiOf(desk);
  const path = "/customers/ada/virtual_currencies";
  const body = { adjustments: { COIN: 1 } };
  await api.refused(noSuch(), "GET", path);
  await api.refused(noSuch(), "POST", `${path}/transactions`, body);
  await api.refused(noSuch(), "POST", `${path}/update_balance`, body);
  await using other = await openDesk({ dialect: "public" });
  const absent = [
    ["POST", "/customers/ada/actions/override_offering"],
    ["POST", "/customers/ada/actions/restore_google_play_purchase"],
    ["POST", "/customers/ada/actions/revoke_entitlement"],
    ["GET", "/customers/ada/virtual_currencies_balances"],
    ["POST", "/customers/ada/virtual_currencies_balances"],
  ] as const;
  for (const [method, path] of absent) await apiOf(other).refused(noSuch(), method, path);
  const served = async (desk: Desk) => {
    const { paths } = await (await desk.send("GET", "/openapi.json")).json();
    return Object.keys(paths).filter((path) => path.includes("/virtual_currencies/transactions"));
  };
  deepEqual([(await served(desk)).length, (await served(other)).length], [0, 1]);
});

Deno.test("balances change together or not at all, and are never negative", async () => {
  await using desk = await openDesk({ dialect: "public" });
  const api = apiOf(desk);
  const path = "/customers/ada/virtual_currencies";
  for (const code of ["GLD", "SLV"]) await api.post("/virtual_currencies", { code, name: code });
  const held = async () =>
    Object.fromEntries(
      (await api.get(path)).items.map((one) => [one["currency_code"], one["balance"]]),
    );
  deepEqual(await held(), {});
  const answer = await api.post(`${path}/transactions`, {
    adjustments: { GLD: 100, SLV: 5 },
    reference: "order 7",
  });
  deepEqual(answer, await api.get(path));
  deepEqual(answer.items[0], {
    object: "virtual_currency_balance",
    currency_code: "GLD",
    balance: 100,
    description: null,
    name: "GLD",
  });
  const short = {
    ...againstRule(/^The customer has 5 SLV, less than 6$/),
    param: "adjustments",
  };
  const both = { adjustments: { GLD: -10, SLV: -6 } };
  await api.refused(short, "POST", `${path}/transactions`, both);
  deepEqual(await held(), { GLD: 100, SLV: 5 }, "nothing of it was done");
  await api.post(`${path}/update_balance`, { adjustments: { SLV: -5, GLD: 1 } });
  deepEqual(await held(), { GLD: 101 });
  equal((await api.get(`${path}?include_empty_balances=true`)).items.length >= 2, true);
  const most = { ...againstRule(/at most 2000000000/), param: "adjustments" };
  await api.refused(most, "POST", `${path}/transactions`, { adjustments: { GLD: 2_000_000_000 } });
  await api.refused({ ...noSuch(), param: "adjustments" }, "POST", `${path}/transactions`, {
    adjustments: { NOPE: 1 },
  });
  for (const adjustments of [{}, { GLD: 1.5 }, { GLD: "1" }, [], null]) {
    equal((await api.send("POST", `${path}/transactions`, { adjustments })).status, 400);
  }
  const entries = await desk.service.store.read((tx) =>
    acrossProjects(tx).selectFrom("currency_entries").select([
      "currency_id",
      "amount",
      "source",
      "reference",
    ])
      .orderBy("seq").execute()
  );
  deepEqual(entries, [
    { currency_id: "GLD", amount: 100, source: "admin_api", reference: "order 7" },
    { currency_id: "SLV", amount: 5, source: "admin_api", reference: "order 7" },
  ]);
});

Deno.test("a change of balances has a reference of up to 255 characters", async () => {
  await using desk = await openDesk({ dialect: "public" });
  const api = apiOf(desk);
  await api.post("/virtual_currencies", { code: "GLD", name: "Gold" });
  const change = (reference: string) =>
    api.send("POST", "/customers/ada/virtual_currencies/transactions", {
      adjustments: { GLD: 1 },
      reference,
    });
  const { status, body } = await change("r".repeat(256));
  deepEqual([status, body.param], [400, "reference"]);
  equal((await change("r".repeat(255))).status, 200);
  // The answer has the balances of this customer that are not empty.
  await api.post("/virtual_currencies", { code: "SLV", name: "Silver" });
  const { body: { items } } = await change("another");
  deepEqual(items.map((one) => [one["currency_code"], one["balance"]]), [["GLD", 2]]);
});

Deno.test("a purchase adds to the balance, and its refund subtracts", async () => {
  await using desk = await openDesk({ dialect: "public" });
  const api = apiOf(desk);
  const sim = await frozen(desk);
  const { id } = await productNamed(desk, "notes.pro.monthly");
  const product_grants = [{ product_ids: [id], amount: 50, trial_amount: 5 }];
  await api.post("/virtual_currencies", { code: "GLD", name: "Gold", product_grants });
  const gold = async (who = "ada") =>
    (await api.get(`/customers/${who}/virtual_currencies`)).items[0]?.["balance"] ?? 0;
  const { id: bought } = await sim.subscribe({ product_id: id });
  equal(await gold(), 50);
  await sim.advance("P1M");
  equal(await gold(), 100, "each period brings it");
  await sim.post("/customers/ada/currencies", { adjustments: { GLD: -80 } });
  equal(await gold(), 20);
  await sim.act(bought, "refund");
  equal(await gold(), 0, "a refund takes no more than there is");
  const sum = await desk.service.store.read((tx) =>
    acrossProjects(tx).selectFrom("currency_entries").select("amount").orderBy("seq").execute()
  );
  deepEqual(sum.map(({ amount }) => amount), [50, 50, -80, -20]);
  await sim.subscribe({ product_id: id, customer_id: "grace", trial: true });
  equal(await gold("grace"), 5);
  await api.remove("/customers/grace");
  equal(
    (await desk.service.store.read((tx) =>
      acrossProjects(tx).selectFrom("currency_balances").select("balance").where(
        "customer_id",
        "=",
        "grace",
      )
        .execute()
    )).length,
    0,
  );
});

Deno.test("a transfer leaves balances, and later payments add to the target's", async () => {
  await using desk = await openDesk({ dialect: "public" });
  const api = apiOf(desk);
  const sim = await frozen(desk);
  const { id } = await productNamed(desk, "notes.pro.monthly");
  const product_grants = [{ product_ids: [id], amount: 50 }];
  await api.post("/virtual_currencies", { code: "GLD", name: "Gold", product_grants });
  const gold = async (who: string) =>
    (await api.get(`/customers/${who}/virtual_currencies`)).items[0]?.["balance"] ?? 0;
  await sim.subscribe({ product_id: id });
  await api.post("/customers/ada/actions/transfer", { target_customer_id: "grace" });
  deepEqual([await gold("ada"), await gold("grace")], [50, 0]);
  await sim.advance("P1M");
  deepEqual([await gold("ada"), await gold("grace")], [50, 50]);
});

Deno.test("two grants of a currency for one product add up, and a refund subtracts both", async () => {
  await using desk = await openDesk({ dialect: "public" });
  const api = apiOf(desk);
  const sim = await frozen(desk);
  const { id } = await productNamed(desk, "notes.pro.monthly");
  const product_grants = [10, 3].map((amount) => ({ product_ids: [id], amount }));
  await api.post("/virtual_currencies", { code: "GLD", name: "Gold", product_grants });
  const gold = async () =>
    (await api.get("/customers/ada/virtual_currencies")).items[0]?.["balance"] ?? 0;
  const { id: bought } = await sim.subscribe({ product_id: id });
  equal(await gold(), 13);
  await sim.act(bought, "refund");
  equal(await gold(), 0);
});
