import { deepEqual, equal } from "node:assert/strict";
import { openDesk } from "../../support/harness.ts";

Deno.test("a project can start at a given time, with its clock standing", async () => {
  await using desk = await openDesk();
  const secret = { Authorization: `Bearer ${desk.service.adminSecret}` };
  const now = Date.UTC(2019, 4, 1);
  const made = await desk.send("POST", "/_sim/projects", { name: "Then", now }, secret);
  equal(made.status, 201);
  const { id, created_at } = await made.json();
  equal(created_at, now);
  const clock = await (await desk.send("GET", `/_sim/projects/${id}/clock`, undefined, secret))
    .json();
  deepEqual([clock.now, clock.frozen], [now, true]);
  equal((await desk.send("GET", `/v2/projects/${id}/customers`)).status, 200);
  const wrong = await desk.send("POST", "/_sim/projects", { name: "Then", now: -1 }, secret);
  equal(wrong.status, 400);
  equal((await desk.send("POST", "/_sim/projects", { name: "Then", now })).status, 401);
});

Deno.test("a customer's balances can be read, and a webhook's secret can be set", async () => {
  await using desk = await openDesk({ buyers: true });
  const secret = { Authorization: `Bearer ${desk.service.adminSecret}` };
  const at = `/_sim/projects/${desk.projectId}`;
  await desk.send("POST", `${at}/customers/ada/currencies`, { adjustments: { COIN: 7 } }, secret);
  const list = await desk.send("GET", `${at}/customers/ada/currencies`, undefined, secret);
  const { items } = await list.json();
  deepEqual(items.map((one: { currency_code: string; balance: number }) => one.balance), [7]);
  const { id } =
    (await (await desk.send("POST", `/v2/projects/${desk.projectId}/integrations/webhooks`, {
      name: "hook",
      url: "https://93.184.215.14/",
      event_types: ["renewal"],
    })).json()) as { id?: string };
  if (id === undefined) return;
  const chosen = `whsec_${btoa("x".repeat(24))}`;
  const place = `${at}/webhooks/${id}/rotate_secret`;
  const set = await desk.send("POST", place, { signing_secret: chosen }, secret);
  equal((await set.json()).signing_secret, chosen);
  equal((await desk.send("POST", place, { signing_secret: "whsec_short" }, secret)).status, 400);
});
