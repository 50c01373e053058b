import { equal } from "node:assert/strict";
import { openFolder, START } from "../../support/scenarios.ts";

Deno.test("names such as 1.10, 007, 1e3 and no stay as they are written", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `start:
  at: 2026-01-31
  catalogue:
    apps: { 1e3: app_store }
    entitlements: [1.10, no, 007]
    products:
      1.10: { app: 1e3, duration: P1M, price: 9.99, entitlements: [1.10, no, 007] }
steps:
  - purchase: { customer: 007, product: 1.10 }
    expect:
      access: { 007: [1.10, no, 007] }
      events: [{ type: INITIAL_PURCHASE, app_user_id: 007, product_id: 1.10 }]
  - attributes: { customer: 007, set: { zip: 0123, b: 1.10, c: no } }
    expect:
      attributes: { 007: { zip: 0123, b: 1.10, c: no } }
`,
  );
  const { code, out } = await folder.run("scenario", "run", file);
  equal(code, 0, out);
});

Deno.test("lookup keys of access may come in any order, also from variables", async () => {
  await using folder = await openFolder();
  const start = START.replace("entitlements: [pro]", "entitlements: [a, c]");
  const file = await folder.write(
    "a.yaml",
    `${start}steps:
  - purchase: { customer: ada, product: pro.monthly }
    expect: { access: { ada: ["\${LAST}", a] } }
`,
  );
  const { code, out } = await folder.run("scenario", "run", file, "--var", "LAST=c");
  equal(code, 0, out);
});
