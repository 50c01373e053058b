import { deepEqual, equal, ok } from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { DEEDS as OF_FILES } from "../../../lib/scenario/deeds/mod.ts";
import { scenarioSchema } from "../../../lib/scenario/file/schema.ts";
import { CATALOGUE, STORIES } from "../../../lib/scenario/stories/mod.ts";
import { DEEDS } from "../../../lib/service/sim/subscriptions.ts";
import { newPurchase } from "../../../lib/service/sim/purchases.ts";

const { parse } = await import("yaml");

Deno.test("the schema takes every story of the pack, and refuses what no file may have", () => {
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false });
  const validate = ajv.compile(scenarioSchema());
  for (const { file, text } of STORIES) {
    ok(validate(parse(text)), `${file}: ${JSON.stringify(validate.errors?.[0])}`);
  }
  const story = { start: { catalogue: parse(CATALOGUE) }, steps: [{ advance: "P1M" }] };
  ok(validate(story), JSON.stringify(validate.errors?.[0]));
  for (const refused of [true, false, { type: "parameter_error" }]) {
    ok(validate({ ...story, steps: [{ advance: "P1M", expect: { refused } }] }), String(refused));
  }
  for (const trial of [true, false, "P1W"]) {
    const step = { purchase: { customer: "ada", product: "p", trial } };
    ok(validate({ ...story, steps: [step] }), String(trial));
  }
  const wrong = [
    { steps: story.steps },
    { start: story.start },
    {
      ...story,
      steps: [{ purchase: { customer: "ada", product: "p" }, expect: { refusd: true } }],
    },
    { ...story, stps: [] },
    { ...story, steps: [] },
    { ...story, steps: [{ purchse: {} }] },
    { ...story, steps: [{ purchase: { customer: "ada" } }] },
    { ...story, steps: [{ purchase: { customer: "ada", product: "p", trial: 7 } }] },
    { ...story, steps: [{ advance: "P1M", expect: { refused: "maybe" } }] },
    { ...story, steps: [{ fail: { subscription: "s", when: "later" } }] },
    { ...story, steps: [{ expect: { event: [] } }] },
    { ...story, start: { catalogue: { apps: { ios: "app_stor" }, products: {} } } },
  ];
  for (const one of wrong) equal(validate(one), false, JSON.stringify(one));
});

Deno.test("files have every deed that the simulator does to subscriptions, with every field", () => {
  const names: Record<string, string> = { family_share: "share" };
  const fields: Record<string, string> = { product_id: "product", customer_id: "with" };
  for (const [name, { body }] of Object.entries(DEEDS)) {
    const deed = OF_FILES[names[name] ?? name];
    ok(deed, `no file can do ${name}`);
    const shape = "shape" in body ? Object.keys(body.shape as object) : [];
    const known = Object.keys(deed.fields);
    deepEqual(
      shape.map((field) => fields[field] ?? field).filter((one) => !known.includes(one)),
      [],
    );
  }
  const renamed: Record<string, string> = {
    customer_id: "customer",
    product_id: "product",
    offering_id: "offering",
    grace_period_duration: "grace",
    store_transaction_id: "transaction_id",
  };
  const wanted = Object.keys(newPurchase.shape).map((field) => renamed[field] ?? field).sort();
  deepEqual(Object.keys(OF_FILES.purchase?.fields ?? {}).sort(), wanted);
});
