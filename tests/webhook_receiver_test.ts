import { deepEqual, equal } from "node:assert/strict";
import { createWebhook } from "../lib/resources/webhooks.ts";
import { openDesk } from "./harness.ts";
import { commandOf, root } from "./shop.ts";
import { simulate } from "./simulation.ts";
import { childLines } from "./store_fixture.ts";

const PORT = /http:\/\/127\.0\.0\.1:(\d+)\//;

/** Runs the example on a free port. */
async function startReceiver(secret: string) {
  const child = new Deno.Command(Deno.execPath(), {
    args: await commandOf("webhook_receiver"),
    cwd: root,
    env: { NO_COLOR: "1", CLI_WEBHOOK_SECRET: secret, CLI_WEBHOOK_PORT: "0" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const lines = childLines(child);
  // The runtime itself says where it listens.
  let said = "";
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  while (!PORT.test(said)) {
    const { value, done } = await errors.read();
    if (done) throw new Error(`It does not listen: ${said}`);
    said += value;
  }
  return {
    url: PORT.exec(said)?.[0] ?? "",
    lines,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      for await (const _ of lines);
      while (!(await errors.read()).done);
      await child.status;
    },
  };
}

Deno.test("webhook_receiver takes what is signed, once, and turns others away", async () => {
  await using desk = await openDesk({ webhookTargets: "loopback", buyers: false });
  const sim = simulate(desk);
  // The secret is known only once there is a webhook, which needs somebody at its address.
  await using first = await startReceiver("whsec_none");
  const { id, signing_secret = "" } = await createWebhook(desk.client, {
    name: "Example",
    url: first.url,
    event_types: ["initial_purchase", "expiration", "cancellation"],
  });
  await using receiver = await startReceiver(signing_secret);
  const path = `/v2/projects/${desk.projectId}/integrations/webhooks/${id}`;
  equal((await desk.send("POST", path, { url: receiver.url })).status, 200);
  const sold = await sim.subscribe({ product_id: "notes.pro.monthly", customer_id: "ada" });
  await sim.post(`/webhooks/${id}/faults`, { fault: "duplicate" });
  await sim.act(sold.id, "refund");
  await desk.service.deliverer.idle();
  const printed = [];
  for (let i = 0; i < 3; i++) printed.push((await receiver.lines.next()).value);
  deepEqual(printed, ["paid by ada", "CANCELLATION", "EXPIRATION"]);
  const stranger = await fetch(receiver.url, { method: "POST", body: "{}" });
  deepEqual([stranger.status, await stranger.text()], [401, "Who are you?"]);
});
