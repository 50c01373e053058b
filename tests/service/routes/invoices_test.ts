import { deepEqual, equal, match } from "node:assert/strict";
import { listCustomerInvoices } from "../../../lib/resources/customers.ts";
import { getInvoice } from "../../../lib/resources/invoices.ts";
import { getSubscription } from "../../../lib/resources/subscriptions.ts";
import { frozen } from "../../support/activities.ts";
import { apiOf, noSuch, signIn } from "../../support/api.ts";
import { openDesk } from "../../support/harness.ts";

Deno.test("each payment of web billing has its invoice, and no other payment has one", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const start = await sim.now();
  await sim.subscribe({
    product_id: "notes_web_monthly",
    country: "DE",
    currency: "EUR",
    price: 10,
  });
  await sim.subscribe({ product_id: "notes.pro.monthly" });
  await sim.advance("P1M");
  const { items, next_page } = await listCustomerInvoices(desk.client, "ada");
  deepEqual([items.length, next_page], [2, null]);
  const [first] = items;
  match(first?.id ?? "", /^svcbin[0-9a-f]{16}$/);
  const amount = { currency: "EUR", gross: 10, commission: 0.3, tax: 1.597, proceeds: 8.103 };
  deepEqual(first, {
    object: "invoice",
    id: first?.id,
    customer_id: "ada",
    total_amount: amount,
    line_items: [{
      object: "invoice.line_item",
      product_identifier: "notes_web_monthly",
      product_display_name: "Pro, monthly",
      product_duration: "P1M",
      quantity: 1,
      unit_amount: amount,
    }],
    issued_at: start,
    paid_at: start,
    invoice_url: null,
  });
  deepEqual(await getInvoice(desk.client, first?.id ?? ""), first);
  equal(items[1]?.issued_at, await sim.now());
});

Deno.test("a trial and a failed charge have no invoice", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes_web_annual", trial: true });
  await sim.act(id, "fail", { when: "renewal", grace: "P3D" });
  await sim.advance("P1W");
  deepEqual((await listCustomerInvoices(desk.client, "ada")).items, []);
  await sim.act(id, "recover");
  equal((await listCustomerInvoices(desk.client, "ada")).items.length, 1);
});

Deno.test("a subscription starts when its first invoice is paid", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  const { id } = await sim.subscribe({ product_id: "notes_web_monthly", paid: false });
  const waiting = await getSubscription(desk.client, id);
  deepEqual(
    [waiting.status, waiting.gives_access, waiting.pending_payment],
    ["incomplete", false, true],
  );
  await sim.advance("P1W");
  const { items: [unpaid] } = await listCustomerInvoices(desk.client, "ada");
  equal(unpaid?.paid_at, null);
  await sim.post(`/invoices/${unpaid?.id}/pay`);
  const begun = await getSubscription(desk.client, id);
  const now = await sim.now();
  deepEqual(
    [begun.status, begun.gives_access, begun.starts_at, begun.current_period_starts_at],
    ["active", true, now, now],
  );
  equal(begun.total_revenue_in_usd.gross, 9.99);
  equal((await getInvoice(desk.client, unpaid?.id ?? "")).paid_at, now);
  const [payment] = await sim.rows("transactions");
  deepEqual([payment?.status, payment?.purchased_at], ["completed", now]);
  equal((await sim.send("POST", `/invoices/${unpaid?.id}/pay`, {})).status, 422);
  await sim.advance("P1M");
  equal((await listCustomerInvoices(desk.client, "ada")).items.length, 2);
});

Deno.test("invoices come in pages and need their permission, and unknown ones are 404", async () => {
  await using desk = await openDesk();
  const sim = await frozen(desk);
  await sim.subscribe({ product_id: "notes_web_monthly" });
  await sim.advance("P6M");
  const api = apiOf(desk);
  const first = await api.get("/customers/ada/invoices?limit=3");
  const rest = await api.get(String(first.next_page).replace("limit=3", "limit=100"));
  deepEqual(
    [...first.items, ...rest.items],
    (await api.get("/customers/ada/invoices?limit=100")).items,
  );
  equal(rest.items.length, 4);
  await api.refused(noSuch(), "GET", "/invoices/svcbinnope");
  const scope = "customer_information:customers:read";
  const reader = apiOf(desk, await signIn(desk, { scope }));
  const denied = { status: 403, type: "authorization_error" };
  await reader.refused(denied, "GET", `/invoices/${first.items[0]?.id}`);
  await reader.refused(denied, "GET", "/customers/ada/invoices");
});
