import { openCounter } from "../../support/cli_fixture.ts";
import { matchScreen, shown } from "../../support/screen.ts";
import { DAY, simulate } from "../../support/simulation.ts";

/** The output at 80 columns, after purchases of the subscribers. */
const LINES = [
  "subscribers list",
  "subscribers list --search ada@example.com",
  "subscribers info ada",
  "subscribers info grace",
  "subscribers info '$RCAnonymousID:5d2f7c1e9ab04c3f8e6d1b2a3c4d5e6f'",
  "subscribers info nobody",
  "subscribers create ada",
  "subscribers create 'no good'",
  "subscribers create new",
  "subscribers grant new pro -d 30d",
  "subscribers grant new pro -d 30d -y",
  "subscribers grant new pro -d 7d",
  "subscribers grant new pro -d 7w -y",
  "subscribers revoke new pro -y",
  "subscribers revoke ada pro -y",
  "subscribers invoices ada",
  "subscribers assign-offering ada winter_sale",
  "subscribers attributes ada",
  "subscribers attributes ada --set plan= --set 'note=東京の春のセール、期間限定の特別価格 👩‍👩‍👧 x=y'",
  "subscribers attributes ada --set '$nope=1'",
  "subscribers transfer ada new -y",
  "subscribers delete new",
  "subscribers delete new -y",
  "offerings preview",
  "offerings preview winter_sale --platform android",
  "offerings preview nope",
];

Deno.test("cli subscribers at 80 columns matches the reviewed text", async () => {
  await using counter = await openCounter({ columns: 80 });
  const sim = simulate(counter.desk);
  await sim.post("/clock/freeze");
  const failing = await sim.subscribe({ product_id: "notes.pro.monthly", price: 9.99 });
  await sim.act(failing.id, "fail");
  await sim.subscribe({ product_id: "notes_web_annual", price: 59.9, currency: "EUR" });
  await sim.purchase({ product_id: "notes.pro.lifetime", price: 99 });
  const left = await sim.subscribe({
    product_id: "notes_pro:annual",
    price: 40,
    trial: true,
    customer_id: "grace",
  });
  await sim.act(left.id, "cancel");
  await sim.advance(3 * DAY);
  let text = "";
  for (const line of LINES) text += shown(line, await counter.run(line));
  await matchScreen("subscribers", text);
});
