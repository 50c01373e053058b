import { deepEqual } from "node:assert/strict";
import { frozen } from "../../support/activities.ts";
import { type Desk, openDesk } from "../../support/harness.ts";
import { productNamed } from "../../support/simulation.ts";

/** Creates a currency that every payment for a product adds 100 of. */
async function grantGems(desk: Desk, name: string): Promise<string> {
  const { id } = await productNamed(desk, name);
  const path = `/v2/projects/${desk.projectId}/virtual_currencies`;
  const product_grants = [{ product_ids: [id], amount: 100 }];
  await desk.send("POST", path, { code: "GEM", name: "Gems", product_grants });
  return `${path}/GEM`;
}

Deno.test("an archived currency is not granted, and is again once it is back", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const gems = await grantGems(desk, "notes.pro.lifetime");
  const types = async (customer_id: string) => {
    await sim.purchase({ customer_id, product_id: "notes.pro.lifetime" });
    return (await sim.newEvents()).map(({ type }) => type);
  };
  await desk.send("POST", `${gems}/actions/archive`);
  deepEqual(await types("ada"), ["NON_RENEWING_PURCHASE"]);
  await desk.send("POST", `${gems}/actions/unarchive`);
  deepEqual(await types("bob"), ["NON_RENEWING_PURCHASE", "VIRTUAL_CURRENCY_TRANSACTION"]);
});

Deno.test("a trial without an amount of its own has no event for a currency", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  await grantGems(desk, "notes.pro.annual");
  await sim.subscribe({ product_id: "notes.pro.annual", trial: true });
  deepEqual((await sim.newEvents()).map(({ type }) => type), ["INITIAL_PURCHASE"]);
  await sim.advance("P1W");
  deepEqual(
    (await sim.newEvents()).map(({ type }) => type),
    ["RENEWAL", "VIRTUAL_CURRENCY_TRANSACTION"],
  );
});

Deno.test("a currency goes to who paid, and to no relative", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  await grantGems(desk, "notes.pro.monthly");
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  await sim.act(id, "family_share", { customer_id: "grace" });
  await sim.newEvents();
  await sim.advance("P1M");
  deepEqual((await sim.newEvents()).map(({ type, app_user_id }) => [type, app_user_id]), [
    ["RENEWAL", "ada"],
    ["VIRTUAL_CURRENCY_TRANSACTION", "ada"],
    ["RENEWAL", "grace"],
  ]);
});
