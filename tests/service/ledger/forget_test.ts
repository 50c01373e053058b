import { deepEqual, equal, ok } from "node:assert/strict";
import { deleteCustomer, setCustomerAttributes } from "../../../lib/resources/customers.ts";
import { MINUTE, openPostOffice } from "../../support/delivery_fixture.ts";
import { answers, openReceiver } from "../../support/receiver.ts";
import { acrossProjects } from "../../../lib/service/store/mod.ts";

const PERSONAL = "mary@example.com";

Deno.test("deleting a customer removes its attributes from stored events, under all its ids", async () => {
  await using office = await openPostOffice();
  const { desk, sim } = office;
  const anonymous = "$RCAnonymousID:0123456789abcdef0123456789abcdef";
  const email = (value: string) => [{ name: "$email", value }];
  for (const id of [anonymous, "ada"]) {
    await office.buy(id);
    await setCustomerAttributes(desk.client, id, email(PERSONAL));
    await office.buy(id, { product_id: "notes.pro.monthly" });
  }
  await sim.post(`/customers/${encodeURIComponent(anonymous)}/aliases`, { alias: "ada" });
  await setCustomerAttributes(desk.client, "grace", email("grace@example.com"));
  await office.buy("grace");
  const before = (await sim.rows("events")).map(({ payload: _, ...row }) => row);
  await deleteCustomer(desk.client, "ada");
  const after = await sim.rows("events");
  deepEqual(after.map(({ payload: _, ...row }) => row), before, "nothing else changes");
  const told = after.map(({ customer_id, payload }) => {
    const { subscriber_attributes: { $email }, app_user_id } = JSON.parse(payload).event;
    return [customer_id, $email?.value, app_user_id];
  });
  deepEqual(told, [
    [anonymous, undefined, anonymous],
    [anonymous, undefined, anonymous],
    ["ada", undefined, "ada"],
    ["ada", undefined, "ada"],
    ["grace", "grace@example.com", "grace"],
  ]);
});

Deno.test("a pending delivery keeps its payload; a resent one has no attributes", async () => {
  let tries = 0;
  using receiver = openReceiver((arrived, conn) => answers(tries++ < 2 ? 503 : 200)(arrived, conn));
  await using office = await openPostOffice();
  const { desk, sim, time } = office;
  const webhook = await office.subscribe(receiver);
  await setCustomerAttributes(desk.client, "ada", [{ name: "$email", value: PERSONAL }]);
  const id = await office.buy("ada");
  await office.idle();
  await deleteCustomer(desk.client, "ada");
  const [stored] = await sim.rows("events");
  ok(!stored?.payload.includes(PERSONAL));
  for (const minutes of [6, 11]) {
    time.pass(minutes * MINUTE);
    await office.idle();
  }
  equal(receiver.arrived.length, 3);
  deepEqual(new Set(receiver.arrived.map(({ body }) => body)).size, 1);
  ok(receiver.arrived[2]?.body.includes(PERSONAL));
  equal((await office.deliveries(webhook))[0]?.state, "delivered");
  const kept = await desk.service.store.read((tx) =>
    acrossProjects(tx).selectFrom("deliveries").select("payload").execute()
  );
  deepEqual(kept, [{ payload: null }]);
  await sim.post(`/events/${id}/resend`);
  await office.idle();
  equal(receiver.arrived[3]?.body, stored?.payload);
});

Deno.test("the ledger forgets a deleted customer who has only one movement", async () => {
  await using office = await openPostOffice();
  const { desk } = office;
  await office.buy("ada");
  const owners = () =>
    desk.service.store.read((tx) =>
      acrossProjects(tx).selectFrom("movements").select(["customer_id", "gross_usd_micros"])
        .execute()
    );
  deepEqual(await owners(), [{ customer_id: "ada", gross_usd_micros: 99_000_000 }]);
  await deleteCustomer(desk.client, "ada");
  deepEqual(await owners(), [{ customer_id: null, gross_usd_micros: 99_000_000 }]);
});
