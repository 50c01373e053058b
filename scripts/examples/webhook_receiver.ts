/**
 * Receives webhooks: checks who sends them, acts on each event once, and says what happens.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*" scripts/examples/webhook_receiver.ts
 * ```
 *
 * It needs `CLI_WEBHOOK_SECRET`, the signing secret that `cli webhooks create` shows, and listens on
 * port 4020 or on `CLI_WEBHOOK_PORT`. A local service sends to it when it was started with
 * `--webhook-targets loopback`.
 *
 * @module
 */

import { isEvent, verifyWebhook } from "../../mod.ts";

const secret = Deno.env.get("CLI_WEBHOOK_SECRET") ?? "";
const port = Number(Deno.env.get("CLI_WEBHOOK_PORT") ?? 4020);
const seen = new Set<string>();

Deno.serve({ hostname: "127.0.0.1", port }, async (request) => {
  const event = await verifyWebhook(request, secret).catch(() => undefined);
  if (!event) return new Response("Who are you?", { status: 401 });
  // What is delivered again is the same event: a database would keep its id with what it does.
  if (seen.has(event.id)) return new Response("I know");
  if (isEvent(event, "INITIAL_PURCHASE", "RENEWAL")) console.log("paid by", event.app_user_id);
  else console.log(event.type);
  seen.add(event.id);
  return new Response("Thanks");
});
