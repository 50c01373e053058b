import { equal, match } from "node:assert/strict";
import { openFolder } from "../../support/scenarios.ts";

/** Three pages of entitlements, and a product that has them all. */
const KEYS = Array.from({ length: 210 }, (_, i) => `e${i}`).sort();
const START = `start:
  at: 2026-01-31
  catalogue:
    apps: { web: svc_billing }
    entitlements: [${KEYS.join(", ")}]
    products:
      weekly: { app: web, duration: P1W, price: 1, entitlements: [${KEYS.slice(1).join(", ")}] }
      yearly: { app: web, duration: P1Y, price: 9 }
`;

Deno.test("a customer may have more entitlements than one page", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - purchase: { customer: ada, product: weekly }
    expect: { access: { ada: [${KEYS.slice(1).join(", ")}] } }
  - grant: { customer: ada, entitlement: ${KEYS[0]}, for: P1M }
    expect: { access: { ada: [${KEYS.join(", ")}] } }
`,
  );
  const { code, out, err } = await folder.run("scenario", "run", file);
  equal(code, 0, out + err);
});

Deno.test("an explanation has the latest purchases of many", async () => {
  await using folder = await openFolder();
  const bought = (n: number) =>
    `  - purchase: { customer: ada, product: coins, transaction_id: t${n} }\n    as: p${n}\n`;
  const file = await folder.write(
    "a.yaml",
    `start:
  at: 2026-01-31
  catalogue:
    apps: { ios: app_store }
    entitlements: [pro]
    products:
      coins: { app: ios, type: consumable, price: 1 }
steps:
${Array.from({ length: 23 }, (_, n) => bought(n)).join("")}  - expect: { access: { ada: [pro] } }
`,
  );
  const { code, out } = await folder.run("scenario", "run", file);
  equal(code, 1, out);
  match(out, /^ +3 earlier purchases$/m);
  equal([...out.matchAll(/The purchase purc\w+ is owned/g)].length, 20);
});

Deno.test("an invoice after a hundred others is paid", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - purchase: { customer: ada, product: weekly }
  - advance: P2Y
  - purchase: { customer: ada, product: yearly, paid: false }
  - pay: ada
`,
  );
  const { code, out, err } = await folder.run("scenario", "run", file);
  equal(code, 0, out + err);
});

Deno.test("a webhook that does not take the first of many events fails the step", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { event } = await request.json();
      return new Response(null, { status: event.renewal_number === 2 ? 500 : 200 });
    },
  );
  await using folder = await openFolder((request) => fetch(request));
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - purchase: { customer: ada, product: weekly }
  - advance: P2Y
`,
  );
  const url = `http://127.0.0.1:${server.addr.port}/hook`;
  const { code, out } = await folder.run("scenario", "run", file, "--webhook", url);
  equal(code, 1, out);
  match(out, /step 2 .*: The webhook did not take RENEWAL: it answered 500/);
});
