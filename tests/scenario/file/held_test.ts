import { deepEqual, equal, match } from "node:assert/strict";
import { openFolder, START } from "../../support/scenarios.ts";

/** A handler that notes what it gets: the type, or the type and what is special about it. */
function openNotes(answer: (type: string) => Promise<number> = () => Promise.resolve(200)) {
  const got: string[] = [];
  const ids = new Set<string>();
  let open = 0;
  let most = 0;
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  const server = Deno.serve(options, async (request) => {
    const { event, ...body } = await request.json();
    const sign = request.headers.get("authorization");
    got.push([event.type, event.app_user_id, ...sign ? [sign] : []].join(" "));
    if (event.more) got.push(`fields ${event.more} ${body.beside}`);
    ids.add(event.id);
    most = Math.max(most, ++open);
    const status = await answer(event.type);
    open--;
    return new Response(null, { status });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    got,
    ids,
    most: () => most,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Steps that make three events: two purchases, and the end of the first. */
const EVENTS = `  - purchase: { customer: ada, product: pro.monthly }
    as: a
  - purchase: { customer: bob, product: pro.monthly }
  - expire: a
`;

const [BUY_ADA, BUY_BOB, END_ADA] = [
  "INITIAL_PURCHASE ada",
  "INITIAL_PURCHASE bob",
  "EXPIRATION ada",
];

Deno.test("held events arrive in the order of the steps, and the rest once they are released", async () => {
  await using notes = openNotes();
  await using folder = await openFolder((request) => fetch(request));
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - hold:
${EVENTS}  - deliver: [2, 1, 1]
  - deliver: { event: 1, fields: { more: 1 }, body: { beside: 2 } }
  - release:
  - purchase: { customer: eve, product: pro.monthly }
`,
  );
  const ran = await folder.run("scenario", "run", file, "--webhook", notes.url);
  equal(ran.code, 0, ran.out);
  deepEqual(notes.got, [
    ...[BUY_BOB, BUY_ADA, BUY_ADA, BUY_ADA, "fields 1 2", END_ADA],
    "INITIAL_PURCHASE eve",
  ]);
  equal(notes.ids.size, 4);
});

Deno.test("nothing is delivered that no step delivers while events are held", async () => {
  await using notes = openNotes();
  await using folder = await openFolder((request) => fetch(request));
  const file = await folder.write("a.yaml", `${START}steps:\n  - hold:\n${EVENTS}`);
  equal((await folder.run("scenario", "run", file, "--webhook", notes.url)).code, 0);
  deepEqual(notes.got, []);
});

Deno.test("events in lists of lists are delivered side by side, in order within each list", async () => {
  // Each delivery waits for a second one, but not for long.
  await using notes = openNotes(() =>
    new Promise((resolve) => setTimeout(() => resolve(200), 100))
  );
  await using folder = await openFolder((request) => fetch(request));
  const steps = `${START}steps:\n  - hold:\n${EVENTS}`;
  const file = await folder.write("a.yaml", `${steps}  - deliver: [[1, 3], [2]]\n`);
  equal((await folder.run("scenario", "run", file, "--webhook", notes.url)).code, 0);
  equal(notes.most(), 2);
  equal(notes.got.indexOf(BUY_ADA ?? "") < notes.got.indexOf(END_ADA ?? ""), true);
  equal(notes.got.length, 3);
});

Deno.test("a released or delivered event that the handler does not take fails its step", async () => {
  await using notes = openNotes((type) => Promise.resolve(type === "EXPIRATION" ? 500 : 200));
  await using folder = await openFolder((request) => fetch(request));
  const file = await folder.write(
    "a.yaml",
    `${START}steps:\n  - hold:\n${EVENTS}  - deliver: [3, 1]\n  - deliver: [3, 2]\n  - release:\n`,
  );
  const { code, out } = await folder.run("scenario", "run", file, "--webhook", notes.url);
  equal(code, 1);
  match(out, /a\.yaml:13:5: step 5 \(deliver\): The handler answered 500 to EXPIRATION; it must/);
  match(out, /a\.yaml:14:5: step 6 /);
  // Everything was delivered by the steps before.
  equal(out.includes("step 7"), false);
});

Deno.test("steps deliver with the Authorization and the types of the webhook", async () => {
  await using notes = openNotes();
  await using folder = await openFolder((request) => fetch(request));
  const file = await folder.write(
    "a.yaml",
    `${START}  webhook: { authorization: secret, event_types: [INITIAL_PURCHASE] }
steps:
  - hold:
${EVENTS}  - deliver: 1
  - release:
`,
  );
  const { code, out } = await folder.run("scenario", "run", file, "--webhook", notes.url);
  equal(code, 0, out);
  deepEqual(notes.got, [`${BUY_ADA} secret`, `${BUY_BOB} secret`]);
});

Deno.test("steps that hold and release are in order, and their lists are checked", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - release:
  - hold:
  - hold:
  - resend: 1
  - delivery_fault: { fault: drop }
  - deliver: []
  - deliver: [1, [2]]
  - deliver: [0]
  - deliver: [[1], []]
  - deliver: { events: [1] }
  - deliver: first
  - hold
`,
  );
  const { code, out } = await folder.run("scenario", "run", file);
  equal(code, 2);
  const next = "Deliver the events first: - release:";
  const lines = out.split("\n").slice(1, -1).map((line) => line.replace(/^.*a\.yaml:/, ""));
  deepEqual(lines, [
    '8:5: no step above holds events that "release" could deliver',
    `10:5: "hold" cannot come while a step above holds the events. ${next}`,
    `11:5: "resend" cannot come while a step above holds the events. ${next}`,
    `12:5: "delivery_fault" cannot come while a step above holds the events. ${next}`,
    "13:14: the list has no events",
    "14:14: the list has both numbers and lists. Write [[1, 3], [2]].",
    '15:15: "0" is not a whole number between 1 and 100000',
    "16:20: the list has no events",
    '17:14: "deliver" needs the field "event"',
    '17:16: "deliver" has no field "events"; did you mean "event"? ' +
    "Its fields: event, signature, type, fields, body",
    '18:14: "first" is not a whole number between 1 and 100000',
    '19:5: step 12 is a map, not "hold". Write - hold:',
  ]);
});

Deno.test("without a webhook nothing can be held", async () => {
  await using folder = await openFolder();
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - purchase: { customer: ada, product: pro.monthly }
  - hold:
  - deliver: 1
  - release:
  - delivery_fault: { fault: drop }
`,
  );
  const { code, out } = await folder.run("scenario", "run", file);
  equal(code, 1);
  match(out, /step 2 \(hold\): Cannot do it: there is no webhook: pass --webhook URL/);
  equal(out.match(/no webhook/g)?.length, 1, out);
});
