/**
 * Receives webhooks: verifies their signatures, handles each event once, and prints it.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*" scripts/examples/webhook_receiver.ts
 * ```
 *
 * Creating a webhook needs a running receiver. So first start the service with
 * `cli service start --webhook-targets loopback`, and this program without a secret: it prints the
 * command that creates the webhook. Then start it again with the printed secret in
 * `CLI_WEBHOOK_SECRET`. It listens on port 4020 or on `CLI_WEBHOOK_PORT`.
 *
 * @module
 */

import { isEvent, verifyWebhook } from "../../mod.ts";

const secret = Deno.env.get("CLI_WEBHOOK_SECRET") ?? "";
const port = Number(Deno.env.get("CLI_WEBHOOK_PORT") ?? 4020);
const seen = new Set<string>();

Deno.serve({ hostname: "127.0.0.1", port, onListen: sayWhatIsNext }, async (request) => {
  const event = await verifyWebhook(request, secret).catch((error) => {
    console.error(error.message);
  });
  if (!event) return new Response("Who are you?", { status: 401 });
  // A repeated delivery is the same event: a database would store its id with its effects.
  if (seen.has(event.id)) return new Response("I know");
  if (isEvent(event, "INITIAL_PURCHASE", "RENEWAL")) console.log("paid by", event.app_user_id);
  else console.log(event.type);
  seen.add(event.id);
  return new Response("Thanks");
});

function sayWhatIsNext({ port }: Deno.NetAddr): void {
  const url = `http://127.0.0.1:${port}/`;
  if (secret !== "") return console.error(`Listening on ${url}`);
  console.error(`Listening on ${url}, but without CLI_WEBHOOK_SECRET every event is refused.
Leave this running, and create the webhook:
  cli webhooks create --name Example --url ${url} --events initial_purchase,renewal,expiration
Then start this again with CLI_WEBHOOK_SECRET set to the printed signing_secret, and try it:
  cli webhooks ping <id>`);
}
