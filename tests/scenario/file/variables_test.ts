import { equal, match } from "node:assert/strict";
import { openFolder, START } from "../../support/scenarios.ts";

Deno.test("variables are replaced in the name and query of a chart", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - purchase: { customer: ada, product: pro.monthly }
    expect:
      charts:
        name: "\${CHART}"
        query: { start_date: "\${FROM}", "\${KEY}": 2026-01-31 }
        answer: { object: chart_data, start_date: 1767312000 }
`,
  );
  const vars = ["--var", "CHART=revenue", "--var", "FROM=2026-01-02", "--var", "KEY=end_date"];
  const { code, out } = await folder.run("scenario", "run", file, ...vars);
  equal(code, 0, out);
});

Deno.test("variables are replaced in the method, status and time of a handler", async () => {
  const methods: string[] = [];
  await using folder = await openFolder((request) => {
    methods.push(request.method);
    return Promise.resolve(new Response("{}", { status: 418 }));
  });
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - purchase: { customer: ada, product: pro.monthly }
    expect:
      handler: { get: "http://localhost:3000/", method: "\${M}", status: "\${S}", within_s: "\${W}" }
`,
  );
  const run = (...vars: string[]) =>
    folder.run("scenario", "run", file, ...vars.flatMap((one) => ["--var", one]));
  const { code, out } = await run("M=POST", "S=418", "W=1");
  equal(code, 0, out);
  equal(methods.join(), "POST");
  const wrong = await run("M=POST", "S=200", "W=0");
  match(wrong.out, /The handler answered 418, not 200/);
  match(wrong.out, /had 0 s to get there/);
});

Deno.test("variables are replaced in a catalogue, a time zone and types of events", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `start:
  at: 2026-01-31
  time_zone: "\${ZONE}"
  catalogue:
    apps: { "\${APP}": app_store }
    products:
      "\${PRODUCT}": { app: "\${APP}", duration: P1M, price: 9.99, entitlements: [pro] }
    coins: { GEM: { products: { "\${PRODUCT}": 3 } } }
  webhook: { event_types: ["\${TYPE}"] }
steps:
  - purchase: { customer: ada, product: "\${PRODUCT}" }
    expect:
      events: ["\${TYPE}", { type: VIRTUAL_CURRENCY_TRANSACTION }]
`,
  );
  const run = (...vars: string[]) =>
    folder.run("scenario", "run", file, ...vars.flatMap((one) => ["--var", one]));
  const names = ["ZONE=Europe/London", "APP=ios", "PRODUCT=pro.monthly"];
  const { code, out, err } = await run(...names, "TYPE=INITIAL_PURCHASE");
  equal(code, 0, out + err);
  const wrong = await run("ZONE=Mars", "PRODUCT=x", "TYPE=Y");
  for (
    const problem of [
      /3:14: "Mars" is not a time zone/,
      /5:13: the variable APP has no value/,
      /9:28: there is no event of the type "Y"/,
      /13:16: there is no event of the type "Y"/,
    ]
  ) match(wrong.out + wrong.err, problem);
  equal(/has no (app|product)/.test(wrong.out + wrong.err), false, wrong.err);
});
