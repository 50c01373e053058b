import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { ApiError } from "../../../lib/errors.ts";
import { listProducts } from "../../../lib/resources/products.ts";
import {
  archiveVirtualCurrency,
  createVirtualCurrency,
  listVirtualCurrencies,
  updateVirtualCurrency,
} from "../../../lib/resources/virtual_currencies.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("a currency's code is upper-case, unique and read-only", async () => {
  await using desk = await openDesk();
  const { client, send, projectId } = desk;
  const gold = await createVirtualCurrency(client, { code: "GLD_1", name: "Gold" });
  deepEqual([gold.description, gold.product_grants, gold.state], [null, null, "active"]);
  const second = createVirtualCurrency(client, { code: "GLD_1", name: "Again" });
  await rejects(second, { status: 409, param: "code", message: /with the code "GLD_1"/ });
  for (const code of ["gld", "", "ABCDEFGHIJK", "A-B", "Ä"]) {
    await rejects(createVirtualCurrency(client, { code, name: "Bad" }), hasStatus(400), code);
  }
  const renamed = await send("POST", `/v2/projects/${projectId}/virtual_currencies/GLD_1`, {
    code: "NEW",
  });
  equal(renamed.status, 400);
  equal((await updateVirtualCurrency(client, "GLD_1", {})).name, "Gold");
});

Deno.test("grants of a currency name existing products, and null removes them", async () => {
  await using desk = await openDesk();
  const { client } = desk;
  const { items: [product] } = await listProducts(client, { limit: 1 });
  const product_ids = [product?.id ?? ""];
  const gold = await createVirtualCurrency(client, {
    code: "GLD",
    name: "Gold",
    product_grants: [{ product_ids, amount: 100 }],
  });
  deepEqual(gold.product_grants, [{
    object: "virtual_currency.product_grant",
    product_ids,
    amount: 100,
    trial_amount: 0,
    expire_at_cycle_end: false,
  }]);
  const unknown = { product_grants: [{ product_ids: ["prodnope"], amount: 1 }] };
  await rejects(updateVirtualCurrency(client, "GLD", unknown), hasStatus(404));
  const none = { product_grants: [{ product_ids, amount: 0 }] };
  await rejects(updateVirtualCurrency(client, "GLD", none), hasStatus(400));
  equal(
    (await updateVirtualCurrency(client, "GLD", { product_grants: null })).product_grants,
    null,
  );
});

Deno.test("a project has at most 100 currencies", async () => {
  await using desk = await openDesk();
  for (let i = 0; i < 100; i++) {
    await createVirtualCurrency(desk.client, { code: `C${i}`, name: "Coin" });
  }
  await rejects(createVirtualCurrency(desk.client, { code: "C100", name: "Coin" }), hasStatus(422));
  await desk.run("vc", "delete", "C0", "-y");
  await createVirtualCurrency(desk.client, { code: "C100", name: "Coin" });
});

Deno.test("currencies on the command line", async () => {
  await using desk = await openDesk();
  const words = ["virtual-currencies", "create", "--code", "GLD", "--name", "Gold"];
  equal((await desk.run(...words, "--description", "For hats")).code, 0);
  match((await desk.run("vc", "list")).out, /^GLD +Gold +For hats +active/m);
  match((await desk.run("vc", "view", "GLD")).out, /name +Gold/);
  match((await desk.run("vc", "update", "GLD", "--name", "Bars")).out, /name +Bars/);
  match((await desk.run("vc", "archive", "GLD")).out, /state +inactive/);
  equal((await archiveVirtualCurrency(desk.client, "GLD")).state, "inactive");
  match((await desk.run("vc", "unarchive", "GLD")).out, /state +active/);
  equal((await desk.run("vc", "create", "--code", "X")).code, 2);
  equal((await desk.run("vc", "delete", "GLD")).code, 3);
  equal((await desk.run("vc", "delete", "GLD", "--confirm")).code, 0);
  equal((await listVirtualCurrencies(desk.client)).items.length, 0);
});

function hasStatus(status: number): (error: unknown) => boolean {
  return (error) => error instanceof ApiError && error.status === status;
}
