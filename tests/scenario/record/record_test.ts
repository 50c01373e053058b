import { deepEqual, equal, rejects } from "node:assert/strict";
import { openStage } from "../../../lib/cli/scenario/stage.ts";
import { recordHistory } from "../../../lib/scenario/record/record.ts";
import { getCustomerHistory } from "../../../lib/simulator/history.ts";
import { STORIES } from "../../../lib/scenario/stories/mod.ts";
import { fc } from "../../support/properties.ts";
import { attempts, live, PEOPLE } from "../../support/random_history.ts";
import { CONTEXT, historyOf, playText, recordFrom } from "../../support/recording.ts";

/** What no record of a story has. */
const NOTES: Readonly<Record<string, string[]>> = {
  "14_price_rise_not_agreed_to.yaml": [
    "The service has no record of the higher price: any higher one does",
  ],
};

for (const { file, text } of STORIES) {
  Deno.test(`a customer of the story ${file} is recorded, and the recording passes`, async () => {
    await using played = await playText(text);
    const recorded = await recordFrom(played, played.customer);
    deepEqual(recorded.notes, NOTES[file] ?? [], recorded.text);
    await using again = await playText(recorded.text);
    deepEqual(again.failures, [], recorded.text);
    deepEqual(again.types, played.types, recorded.text);
    deepEqual(again.access, played.access, recorded.text);
  });
}

/** A story in which nothing happens yet. */
const EMPTY = `start: { at: 2026-01-31, catalogue: catalogue/notes.yaml }
steps:
  - customer: ada
`;

/** What no record has and no event tells of. */
const HARMLESS =
  /^The service has no record of (the higher price|when (these customers|\S+ gave these grants))/;

/** Random histories to try; the long tests try 300. */
const RUNS = Deno.env.get("LONG_TESTS") ? 300 : 8;

Deno.test("any history is recorded, and the recording passes with the same events", async () => {
  await fc.assert(
    fc.asyncProperty(attempts(14), async (tried) => {
      await using played = await playText(EMPTY);
      const done = (await live(played.stage, tried)).join("\n");
      const history = await historyOf(played, PEOPLE[tried[0]?.who ?? 0] ?? "");
      // No event tells when a customer gave nothing but grants away; below is what can be recorded of it.
      const isTransfer = (text: string) => /^transfer\b/i.test(text);
      const told = history.types.filter(isTransfer).length;
      if (done.split("\n").filter(isTransfer).length > told) return;
      const recorded = await recordFrom(played, history.customer);
      const words = `${done}\n${recorded.text}`;
      deepEqual(recorded.notes.filter((note) => !HARMLESS.test(note)), [], words);
      await using again = await playText(recorded.text);
      deepEqual(again.failures, [], words);
      deepEqual(again.types, history.types, words);
      deepEqual(again.access, history.access, words);
    }),
    { numRuns: RUNS },
  );
});

/** Histories in which something has no event of its own, or happens to what took another's place. */
const CORNERS: Readonly<Record<string, string>> = {
  "nothing but a grant is transferred": `
  - customer: ada
  - purchase: { customer: bob, product: notes.pro.monthly }
  - grant: { customer: ada, entitlement: pro, until: 2026-02-10T00:00:00Z }
  - transfer: { from: ada, to: bob }
  - advance: P1D
`,
  "a pause is called off": `
  - purchase: { customer: ada, product: notes_pro_monthly }
    as: s
  - pause: { subscription: s, for: P1M }
  - advance: P1D
  - resume: s
  - advance: P2M
  - pause: s
  - resume: s
  - renew: s
  - advance: P3M
`,
  "a charge fails at the end of a pause": `
  - purchase: { customer: ada, product: notes_pro_monthly }
    as: s
  - fail: { subscription: s, when: renewal }
  - pause: { subscription: s, for: P1M }
  - advance: P3M
`,
  "a paused subscription ends": `
  - purchase: { customer: ada, product: notes_pro_monthly }
    as: s
  - pause: { subscription: s, for: P1M }
  - advance: P40D
  - expire: s
  - advance: P3M
`,
  "a change of product is called off, and another is made": `
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
  - change_product: { subscription: s, product: notes.pro.annual, when: period_end, price: 50 }
  - change_product: { subscription: s, product: notes.pro.monthly }
  - advance: P1M
  - change_product: { subscription: s, product: notes.pro.annual, when: period_end }
  - change_product: { subscription: s, product: notes.pro.monthly }
  - raise_price: { subscription: s, price: 12 }
  - agree_to_price: s
  - advance: P1M
  - change_product: { subscription: s, product: notes.pro.annual, price: 60 }
  - find: { customer: ada, product: notes.pro.annual }
    as: t
  - cancel: t
  - uncancel: t
  - fail: { subscription: t, grace: P5D }
  - advance: P2D
  - recover: t
  - advance: P1Y
`,
  "a trial changes its product": `
  - purchase: { customer: ada, product: notes.pro.monthly, trial: true }
    as: s
  - change_product: { subscription: s, product: notes.pro.annual }
  - advance: P1W
  - change_product: { subscription: s, product: notes.pro.monthly, when: period_end, price: 5 }
  - advance: P1Y
  - find: { customer: ada, product: notes.pro.monthly }
    as: t
  - refund: { of: t, keep_access: true }
  - extend: { subscription: t, by: P1M }
`,
  "earlier payments are refunded, and one is paid again": `
  - purchase: { customer: ada, product: notes.pro.monthly, currency: EUR, price: 8.5, country: DE }
    as: s
  - advance: P3M
  - refund: { of: s, payment: 1 }
  - refund: { of: s, payment: 2 }
  - reverse_refund: { of: s, payment: 2 }
  - cancel: s
  - refund: s
  - reverse_refund: s
  - advance: P3M
`,
  "what is renewed early fails later": `
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
  - advance: P10D
  - renew: s
  - advance: P1M
  - fail: { subscription: s, when: renewal, grace: none }
  - advance: P1M
  - recover: s
  - advance: P2M
  - fail: s
  - cancel: s
  - advance: P2M
`,
  "a family shares what changes its product": `
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
  - advance: P10D
  - share: { subscription: s, with: bob }
  - share: { subscription: s, with: carl }
  - change_product: { subscription: s, product: notes.pro.annual }
  - find: { customer: ada, product: notes.pro.annual }
    as: t
  - share: { subscription: t, with: dora }
  - advance: P2M
  - expire: t
`,
  "a grant gets other ends and moves": `
  - customer: bob
  - purchase: { customer: ada, product: notes.pass, quantity: 2, price: 3 }
    as: p
  - grant: { customer: ada, entitlement: sync, for: P2M }
  - grant: { customer: ada, entitlement: sync, for: P3M }
  - grant: { customer: ada, entitlement: sync, for: P1M }
  - advance: P10D
  - transfer: { from: ada, to: bob }
  - revoke: { customer: bob, entitlement: sync }
  - refund: p
  - reverse_refund: p
  - transfer: { from: bob, to: ada }
`,
  "an anonymous customer becomes one that was there": `
  - customer: ada
  - advance: P1D
  - customer: "$RCAnonymousID:1"
  - advance: P1D
  - purchase: { customer: "$RCAnonymousID:1", product: notes.pro.monthly }
  - attributes: { customer: "$RCAnonymousID:1", set: { plan: "\\"a: b\\" # c", $email: ada@example.com } }
  - give: { customer: "$RCAnonymousID:1", currency: COIN, amount: 7, reference: welcome }
  - spend: { customer: "$RCAnonymousID:1", currency: COIN, amount: 2 }
  - advance: P1D
  - alias: { customer: "$RCAnonymousID:1", alias: ada }
  - advance: P2M
`,
  "access is believed, then bought; a second trial is paid": `
  - purchase: { customer: ada, product: notes.pro.monthly, verified: false }
  - advance: P2D
  - purchase: { customer: ada, product: notes.pro.monthly, verified: false }
  - purchase: { customer: ada, product: notes.pro.monthly, environment: sandbox, trial: P3D }
    as: t
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
  - expire: { subscription: s, reason: CUSTOMER_SUPPORT }
  - expire: t
  - purchase: { customer: ada, product: notes.pro.monthly }
  - purchase: { customer: ada, product: notes.pro.monthly, environment: sandbox }
  - advance: P2M
`,
};

for (const [name, steps] of Object.entries(CORNERS)) {
  Deno.test(`a history is recorded in which ${name}`, async () => {
    const start = "start: { at: 2026-01-31, catalogue: catalogue/notes.yaml }\nsteps:";
    await using played = await playText(start + steps);
    deepEqual(played.failures, []);
    const recorded = await recordFrom(played, "ada");
    deepEqual(recorded.notes.filter((note) => !HARMLESS.test(note)), [], recorded.text);
    await using again = await playText(recorded.text);
    deepEqual(again.failures, [], recorded.text);
    deepEqual(again.types, played.types, recorded.text);
    deepEqual(again.access, played.access, recorded.text);
  });
}

Deno.test("the grace of a test store lasts for minutes, and is recorded", async () => {
  const start = `start:
  at: 2026-01-31
  catalogue:
    apps: { tests: test_store }
    products:
      short: { app: tests, duration: P1M, grace: P3D, price: 9.99, entitlements: [pro] }
      long: { app: tests, duration: P1Y, price: 9.99, entitlements: [pro] }
steps:
  - purchase: { customer: ada, product: short }
    as: s
  - fail: s
  - advance: PT2M
  - recover: s
  - purchase: { customer: ada, product: long }
    as: t
  - fail: { subscription: t, grace: P6D }
  - advance: PT1M
`;
  await using played = await playText(start);
  deepEqual(played.failures, []);
  const recorded = await recordFrom(played, "ada");
  deepEqual(recorded.notes, [], recorded.text);
  await using again = await playText(recorded.text);
  deepEqual(again.failures, [], recorded.text);
  deepEqual(again.types, played.types, recorded.text);
});

Deno.test("a recording holds the longest texts that the service takes", async () => {
  const customer = "é".repeat(750);
  const start = "start: { at: 2026-01-31, catalogue: catalogue/notes.yaml }\nsteps:";
  await using played = await playText(`${start}
  - purchase: { customer: "${customer}", product: notes.pro.monthly }
  - attributes: { customer: "${customer}", set: { bio: "${"😀".repeat(500)}" } }
  - give: { customer: "${customer}", currency: COIN, amount: 1, reference: "${"😀".repeat(255)}" }
`);
  deepEqual(played.failures, []);
  const recorded = await recordFrom(played, customer);
  deepEqual(recorded.notes, []);
  await using again = await playText(recorded.text);
  deepEqual(again.failures, [], recorded.text);
  deepEqual(again.types, played.types);
});

Deno.test("a recording says whose access differs at the service, and how", async () => {
  await using played = await playText(`${EMPTY}  - customer: bob
  - purchase: { customer: ada, product: notes.pro.monthly }
    as: s
  - share: { subscription: s, with: bob }
`);
  const { customers, ...history } = await getCustomerHistory(played.stage.simulator, "ada");
  deepEqual(customers.map(({ id }) => id), ["ada", "bob"]);
  const differing = customers.map((one) => ({
    ...one,
    access: one.id === "ada" ? [] : ["coach", "sync"],
  }));
  const options = { seed: "recording", delivers: false, allowHost: false };
  const { notes } = await recordHistory({ ...history, customers: differing }, {
    open: (at) => openStage(CONTEXT, { at, ...options }),
  });
  deepEqual(notes, [
    "The service gives ada access to nothing, and these steps to pro",
    "The service gives bob access to coach, sync, and these steps to pro",
  ]);
});

Deno.test("a recording closes its stage, also after an error", async () => {
  await using played = await playText(EMPTY);
  const history = await getCustomerHistory(played.stage.simulator, "ada");
  let closed = 0;
  const open = async (at: number) => {
    const stage = await openStage(CONTEXT, { at, seed: "", delivers: false, allowHost: false });
    return { ...stage, close: () => stage.close().then(() => void closed++) };
  };
  await recordHistory(history, { open });
  equal(closed, 1);
  const broken = async (at: number) => ({
    ...await open(at),
    send: () => Promise.reject(new Error("no answer")),
  });
  await rejects(recordHistory(history, { open: broken }), /no answer/);
  equal(closed, 2);
});
