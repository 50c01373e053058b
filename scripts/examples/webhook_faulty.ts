/**
 * A webhook handler with faults that `cli verify` finds: `webhook_access.ts` is the right one.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*" scripts/examples/webhook_faulty.ts
 * ```
 *
 * In another terminal, with the same CLI_WEBHOOK_SECRET:
 *
 * ```sh
 * cli verify http://127.0.0.1:4022/hook --state 'http://127.0.0.1:4022/users/{customer}'
 * ```
 *
 * @module
 */

import { verifyWebhook } from "../../mod.ts";

const secret = Deno.env.get("CLI_WEBHOOK_SECRET") ?? "";
const port = Number(Deno.env.get("CLI_WEBHOOK_PORT") ?? 4022);
const access = new Set<string>();

Deno.serve({ hostname: "127.0.0.1", port, onListen }, async (request) => {
  const { pathname } = new URL(request.url);
  if (request.method === "GET") {
    const customer = decodeURIComponent(pathname.split("/").at(-1) ?? "");
    return Response.json({ pro: access.has(customer) });
  }
  const event = await verifyWebhook(request, secret).catch(() => undefined);
  if (!event) return new Response(null, { status: 401 });
  const { type, app_user_id } = event as { type: string; app_user_id?: string };
  if (app_user_id === undefined) return new Response();
  // Fault: a cancellation turns off renewal, and access lasts until EXPIRATION.
  if (type === "CANCELLATION" || type === "EXPIRATION") access.delete(app_user_id);
  // Fault: what is bought in the sandbox costs nothing.
  else if (type === "INITIAL_PURCHASE" || type === "RENEWAL") access.add(app_user_id);
  return new Response();
});

function onListen({ port }: Deno.NetAddr): void {
  console.error(`Listening on http://127.0.0.1:${port}/`);
}
