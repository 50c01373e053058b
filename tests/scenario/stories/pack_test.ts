import { deepEqual, equal, match, ok } from "node:assert/strict";
import { EVENT_FIELDS } from "../../../lib/event_fields.ts";
import { openFolder } from "../../support/scenarios.ts";

/** A webhook that takes everything. It counts events, and notes their fields that nobody knows. */
function openWebhook() {
  const unknown = new Set<string>();
  const seen = { count: 0, unknown };
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  const server = Deno.serve(options, async (request) => {
    const { event } = await request.json();
    for (const field of Object.keys(event)) {
      if (!Object.hasOwn(EVENT_FIELDS, field)) unknown.add(`${event.type} ${field}`);
    }
    seen.count++;
    return new Response();
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  return { url, seen, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("the pack passes, all of its stories are there, and every field of their events is known", async () => {
  await using folder = await openFolder();
  await using webhook = openWebhook();
  const pack = `${folder.path}/pack`;
  equal((await folder.run("scenario", "init", pack)).code, 0);
  const words = ["scenario", "run", pack, "--parallel", "4", "--webhook", webhook.url];
  const { code, out, err } = await folder.run(...words);
  equal(code, 0, out);
  match(err, /19 scenarios passed/);
  ok(webhook.seen.count > 40, String(webhook.seen.count));
  deepEqual([...webhook.seen.unknown], []);
  const again = await folder.run("scenario", "init", pack);
  match(again.err, /21 files stayed/);
});
