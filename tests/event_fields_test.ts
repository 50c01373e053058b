import { deepEqual, ok } from "node:assert/strict";
import { EVENT_FIELDS } from "../lib/event_fields.ts";
import { openFolder } from "./support/scenarios.ts";

Deno.test("every field of the events that the service sends is known", async () => {
  await using folder = await openFolder();
  const unknown = new Set<string>();
  let count = 0;
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  await using server = Deno.serve(options, async (request) => {
    const { event } = await request.json();
    for (const field of Object.keys(event)) {
      if (!Object.hasOwn(EVENT_FIELDS, field)) unknown.add(`${event.type} ${field}`);
    }
    count++;
    return new Response();
  });
  const pack = `${folder.path}/pack`;
  await folder.run("scenario", "init", pack);
  const url = `http://127.0.0.1:${server.addr.port}`;
  await folder.run("scenario", "run", pack, "--webhook", url);
  ok(count > 40, String(count));
  deepEqual([...unknown], []);
});
