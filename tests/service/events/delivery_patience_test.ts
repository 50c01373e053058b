import { deepEqual, equal, match } from "node:assert/strict";
import { checkWait, MINUTE, openPostOffice } from "../../support/delivery_fixture.ts";
import { answers, openReceiver } from "../../support/receiver.ts";

Deno.test("a receiver that resets the connection gets the event again after 5 minutes", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let resets = 0;
  const resetting = (async () => {
    for await (const conn of listener) {
      // Closing with unread data resets a connection. A check of the address sends nothing.
      if (await conn.read(new Uint8Array(1)) !== null) resets++;
      conn.close();
    }
  })();
  await using office = await openPostOffice();
  const webhook = await office.subscribe({ url: `http://127.0.0.1:${listener.addr.port}/` });
  await office.buy();
  for (let attempt = 1; attempt <= 2; attempt++) {
    await office.idle();
    equal(resets, attempt);
    const [delivery] = await office.deliveries(webhook);
    deepEqual([delivery?.state, delivery?.attempts], ["pending", attempt]);
    match(
      delivery?.last_error ?? "",
      /^The receiver closed the connection without a response/,
    );
    checkWait(delivery, office.time.clock(), 5 * attempt * MINUTE);
    office.time.pass((delivery?.next_attempt_at ?? 0) - office.time.clock() - 1);
    await office.idle();
    equal(resets, attempt, "not a moment too early");
    office.time.pass(1);
  }
  await office.idle();
  listener.close();
  await resetting;
});

Deno.test("a receiver that answers 410 gets no more events", async () => {
  using receiver = openReceiver(answers(410));
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  await office.buy();
  await office.idle();
  const [delivery] = await office.deliveries(webhook);
  deepEqual([delivery?.state, delivery?.next_attempt_at], ["dead", null]);
  await office.buy();
  office.time.pass(100 * 24 * 60 * MINUTE);
  await office.idle();
  equal(receiver.arrived.length, 1);
});

Deno.test("a receiver that answers 410 fails its own waiting deliveries, and no others", async () => {
  using gone = openReceiver(answers(500));
  using other = openReceiver(answers(500));
  await using office = await openPostOffice();
  const [first, second] = [await office.subscribe(gone), await office.subscribe(other)];
  await office.buy("ada");
  await office.buy("bob");
  await office.buy("bob");
  await office.idle();
  gone.behave = answers(410);
  await office.buy("cleo");
  await office.idle();
  const states = async (webhook: typeof first) =>
    (await office.deliveries(webhook)).map(({ state }) => state);
  deepEqual(await states(first), ["dead", "dead", "dead", "dead"]);
  deepEqual(await states(second), ["pending", "pending", "waiting", "pending"]);
  // The other one continues, and gets its waiting deliveries.
  other.behave = answers(200);
  office.time.pass(6 * MINUTE);
  await office.idle();
  deepEqual(await states(second), ["delivered", "delivered", "delivered", "delivered"]);
});

Deno.test("a delivery in progress when its receiver answers 410 to another gets no retry", async () => {
  const gone = Promise.withResolvers<void>();
  let arrived = 0;
  using receiver = openReceiver(async (one, conn) => {
    if (++arrived > 1) return await answers(410)(one, conn);
    await gone.promise;
    await answers(500)(one, conn);
  });
  await using office = await openPostOffice();
  const webhook = await office.subscribe(receiver);
  const states = async () =>
    (await office.deliveries(webhook)).map((one) => [one.state, one.next_attempt_at]);
  await office.buy("ada");
  while (arrived < 1) await new Promise((resolve) => setTimeout(resolve, 1));
  await office.buy("bob");
  while ((await states()).every(([state]) => state !== "dead")) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  gone.resolve();
  await office.idle();
  deepEqual(await states(), [["dead", null], ["dead", null]]);
});

Deno.test("a receiver that answers 429 gets nothing before its Retry-After", async () => {
  using receiver = openReceiver(answers(429, { "Retry-After": "1800" }));
  await using office = await openPostOffice();
  await office.subscribe(receiver);
  await office.buy();
  await office.idle();
  office.time.pass(30 * MINUTE - 1);
  await office.idle();
  equal(receiver.arrived.length, 1);
  office.time.pass(3 * MINUTE + 1);
  await office.idle();
  equal(receiver.arrived.length, 2);
});
