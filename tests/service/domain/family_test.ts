import { deepEqual, equal } from "node:assert/strict";
import {
  listActiveEntitlements,
  listCustomerSubscriptions,
} from "../../../lib/resources/customers.ts";
import { getSubscription } from "../../../lib/resources/subscriptions.ts";
import { frozen } from "../../support/activities.ts";
import { apiOf } from "../../support/api.ts";
import { openDesk } from "../../support/harness.ts";
import { productNamed } from "../../support/simulation.ts";

Deno.test("family shares follow the paid subscription, and cost nothing", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  const member = await sim.act(id, "family_share", { customer_id: "brother" });
  deepEqual([member.customer_id, member.ownership, member.gives_access], [
    "brother",
    "family_shared",
    true,
  ]);
  const twice = await sim.send("POST", `/subscriptions/${id}/family_share`, {
    customer_id: "brother",
  });
  equal(twice.status, 422);
  equal((await sim.send("POST", `/subscriptions/${member.id}/cancel`, {})).status, 422);
  await sim.advance("P1M");
  const [both, share] = [
    await getSubscription(desk.client, id),
    await getSubscription(desk.client, member.id),
  ];
  equal(share.current_period_ends_at, both.current_period_ends_at);
  deepEqual([share.total_revenue_in_usd.gross, both.total_revenue_in_usd.gross], [0, 19.98]);
  await sim.act(id, "fail", { grace: "P3D" });
  equal((await getSubscription(desk.client, member.id)).status, "in_grace_period");
  equal((await listActiveEntitlements(desk.client, "brother")).items.length, 1);
  const late = await sim.send("POST", `/subscriptions/${id}/family_share`, { customer_id: "eve" });
  equal(late.status, 422, "nothing is shared whose payment is outstanding");
  await sim.advance("P3D");
  deepEqual((await listActiveEntitlements(desk.client, "brother")).items, []);
  const levels = (await sim.rows("movements")).reduce((sum, row) => sum + row.actives_delta, 0);
  equal(levels, 0, "a share is no paid subscription");
  await apiOf(desk).remove("/customers/ada");
  const { status } = await getSubscription(desk.client, member.id);
  equal(status, "expired");
});

Deno.test("a family share has the renewals and the cancellation of its subscription", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  await sim.act(id, "family_share", { customer_id: "brother" });
  await sim.advance("P2M");
  await sim.act(id, "cancel");
  const rows = await sim.rows("subscriptions");
  deepEqual(rows.map((row) => [row.ownership, row.renewal_number, row.cancel_reason]), [
    ["purchased", 3, "UNSUBSCRIBE"],
    ["family_shared", 3, "UNSUBSCRIBE"],
  ]);
});

Deno.test("family shares follow a product change of their subscription", async () => {
  for (const when of ["now", "period_end"] as const) {
    await using desk = await openDesk();
    const sim = await frozen(desk);
    const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
    const members = ["brother", "sister"];
    for (const customer_id of members) await sim.act(id, "family_share", { customer_id });
    const annual = (await productNamed(desk, "notes.pro.annual")).id;
    await sim.newEvents();
    await sim.act(id, "change_product", { product_id: annual, when });
    // In one catch-up the replacement starts and renews twice.
    await sim.advance("P2Y2M");
    const told = await sim.newEvents();
    const source = (await listCustomerSubscriptions(desk.client, "ada")).items.at(-1);
    for (const customer of members) {
      const { items: [old, share, ...more] } = await listCustomerSubscriptions(
        desk.client,
        customer,
      );
      deepEqual([old?.status, more], ["expired", []]);
      deepEqual(
        [share?.product_id, share?.status, share?.ownership, share?.current_period_ends_at],
        [annual, "active", "family_shared", source?.current_period_ends_at],
      );
      equal(share?.total_revenue_in_usd.gross, 0);
      const access = await listActiveEntitlements(desk.client, customer);
      deepEqual(access, {
        ...await listActiveEntitlements(desk.client, "ada"),
        url: access.url,
      });
      const [own, owners] = [customer, "ada"].map((user) =>
        told.filter((event) => event["app_user_id"] === user)
          .map((event) => [event["type"], event["product_id"], event["new_product_id"]])
      );
      deepEqual(own, owners, "a member is told what the owner is told");
      deepEqual(own?.map(([type]) => type), ["PRODUCT_CHANGE", "RENEWAL", "RENEWAL", "RENEWAL"]);
    }
    // The store shows what replaces a subscription under its first transaction and its first owner.
    for (const owner of ["ada", ...members]) {
      const [first, next] = (await sim.rows("subscriptions"))
        .filter(({ customer_id }) => customer_id === owner);
      equal(next?.original_transaction_id, first?.original_transaction_id, owner);
      equal(next?.original_customer_id, owner);
    }
    const levels = (await sim.rows("movements")).reduce((sum, row) => sum + row.actives_delta, 0);
    equal(levels, 1, "a share is no paid subscription");
    await sim.act(source?.id ?? "", "expire");
    deepEqual((await listActiveEntitlements(desk.client, "sister")).items, []);
    const [end] = await sim.newEvents();
    equal(end?.["type"], "EXPIRATION");
  }
});

Deno.test("what replaces a moved family share keeps its first owner", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes.pro.monthly" });
  await sim.act(id, "family_share", { customer_id: "brother" });
  await apiOf(desk).post("/customers", { id: "cousin" });
  await apiOf(desk).post("/customers/brother/actions/transfer", { target_customer_id: "cousin" });
  const { id: product_id } = await productNamed(desk, "notes.pro.annual");
  await sim.act(id, "change_product", { product_id, when: "now" });
  const shares = (await sim.rows("subscriptions")).filter(({ customer_id }) =>
    customer_id === "cousin"
  );
  deepEqual(shares.map(({ original_customer_id }) => original_customer_id), ["brother", "brother"]);
});
