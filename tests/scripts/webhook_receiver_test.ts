import { deepEqual, equal, match } from "node:assert/strict";
import type { Webhook } from "../../lib/resources/webhooks.ts";
import { openDesk } from "../support/harness.ts";
import { commandOf, root } from "../support/shop.ts";
import { simulate } from "../support/simulation.ts";
import { childLines } from "../support/store_fixture.ts";

const PORT = /http:\/\/127\.0\.0\.1:(\d+)\//;

/** Runs the example on a free port, with a secret or without. */
async function startReceiver(secret: Record<string, string>) {
  const child = new Deno.Command(Deno.execPath(), {
    args: await commandOf("webhook_receiver"),
    cwd: root,
    env: { NO_COLOR: "1", CLI_WEBHOOK_PORT: "0", ...secret },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const lines = childLines(child);
  let said = "";
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  const hear = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(said);
      if (found) return found[0];
      const { value, done } = await errors.read();
      if (done) throw new Error(`It does not say ${pattern}: ${said}`);
      said += value;
    }
  };
  return {
    url: await hear(PORT),
    lines,
    hear,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      for await (const _ of lines);
      while (!(await errors.read()).done);
      await child.status;
    },
  };
}

Deno.test("webhook_receiver accepts a signed event once, and refuses others", async () => {
  await using desk = await openDesk({ webhookTargets: "loopback", buyers: false });
  const sim = simulate(desk);
  // Creating a webhook, which gives the secret, needs a receiver first.
  await using first = await startReceiver({});
  await first.hear(/ without CLI_WEBHOOK_SECRET every event is refused\.\n/);
  const [, ...words] = (await first.hear(/cli webhooks create .*(?=\n)/)).split(" ");
  await first.hear(/cli webhooks ping <id>\n/);
  const created = await desk.run(...words, "--output", "json");
  equal(created.code, 0, created.err);
  const { id, signing_secret = "" } = created.json() as Webhook;
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  match((await desk.run("webhooks", "ping", id)).err, /answered 401/);
  await first.hear(/^Cannot verify a webhook: there is no secret$/m);

  await using receiver = await startReceiver({ CLI_WEBHOOK_SECRET: signing_secret });
  const path = `/v2/projects/${desk.projectId}/integrations/webhooks/${id}`;
  const event_types = ["initial_purchase", "expiration", "cancellation"];
  equal((await desk.send("POST", path, { url: receiver.url, event_types })).status, 200);
  equal((await desk.run("webhooks", "ping", id)).code, 0);
  equal((await receiver.lines.next()).value, "TEST");
  const sold = await sim.subscribe({ product_id: "notes.pro.monthly", customer_id: "ada" });
  await sim.post(`/webhooks/${id}/faults`, { fault: "duplicate" });
  await sim.act(sold.id, "refund");
  await desk.service.deliverer.idle();
  const printed = [];
  for (let i = 0; i < 3; i++) printed.push((await receiver.lines.next()).value);
  deepEqual(printed, ["paid by ada", "CANCELLATION", "EXPIRATION"]);
  const stranger = await fetch(receiver.url, { method: "POST", body: "{}" });
  deepEqual([stranger.status, await stranger.text()], [401, "Who are you?"]);
  await receiver.hear(/^Cannot trust the webhook: it has no signature$/m);
});
