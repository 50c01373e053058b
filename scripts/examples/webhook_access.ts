/**
 * Stores each customer's access in a database, from webhooks alone, and passes `cli verify`.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*" scripts/examples/webhook_access.ts
 * ```
 *
 * In another terminal, with the same CLI_WEBHOOK_SECRET:
 *
 * ```sh
 * cli verify http://127.0.0.1:4021/hook --state 'http://127.0.0.1:4021/users/{customer}'
 * ```
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { verifyWebhook, type WebhookEvent } from "../../mod.ts";

const secret = Deno.env.get("CLI_WEBHOOK_SECRET") ?? "";
const port = Number(Deno.env.get("CLI_WEBHOOK_PORT") ?? 4021);
// A file in place of :memory: survives a restart.
const db = new DatabaseSync(":memory:");
db.exec(`
  CREATE TABLE events (id TEXT PRIMARY KEY) STRICT;
  CREATE TABLE holdings (
    key TEXT PRIMARY KEY, customer TEXT NOT NULL, entitlements TEXT NOT NULL, live INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE ids (id TEXT PRIMARY KEY, customer TEXT NOT NULL) STRICT;
`);

/** The types after which access is there. CANCELLATION and BILLING_ISSUE end nothing. */
const GIVES = new Set([
  "INITIAL_PURCHASE",
  "RENEWAL",
  "UNCANCELLATION",
  "NON_RENEWING_PURCHASE",
  "REFUND_REVERSED",
  "SUBSCRIPTION_EXTENDED",
]);

Deno.serve({ hostname: "127.0.0.1", port, onListen }, async (request) => {
  const { pathname } = new URL(request.url);
  if (request.method === "GET") return Response.json({ pro: hasPro(decodeURIComponent(pathname)) });
  const event = await verifyWebhook(request, secret).catch(() => undefined);
  if (!event) return new Response(null, { status: 401 });
  // The id and its effect are stored together, before the answer.
  db.exec("BEGIN");
  try {
    if (isNew(event.id)) apply(event);
    db.exec("COMMIT");
    return new Response();
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
});

function isNew(id: string): boolean {
  return db.prepare("INSERT OR IGNORE INTO events VALUES (?)").run(id).changes === 1;
}

/** The first id of a customer. */
function customerOf(id: string): string {
  const row = db.prepare("SELECT customer FROM ids WHERE id = ?").get(id);
  return row ? String(row.customer) : id;
}

/** Remembers the ids of a customer, and moves what it had under another one. */
function learn(ids: string[], customer: string): void {
  const know = db.prepare("INSERT OR REPLACE INTO ids VALUES (?, ?)");
  const move = db.prepare("UPDATE holdings SET customer = ? WHERE customer = ?");
  for (const id of ids) {
    know.run(id, customer);
    move.run(customer, id);
  }
}

function apply(event: WebhookEvent): void {
  const fields = event as unknown as Record<string, unknown>;
  if (fields.environment === "SANDBOX") return;
  if (event.type === "TRANSFER") {
    const ids = texts(fields.transferred_to);
    const to = customerOf(ids[0] ?? "");
    learn(ids, to);
    const move = db.prepare("UPDATE holdings SET customer = ? WHERE customer = ?");
    for (const from of texts(fields.transferred_from)) move.run(to, customerOf(from));
    return;
  }
  learn(texts(fields.aliases), String(fields.original_app_user_id ?? fields.app_user_id));
  const gives = GIVES.has(event.type);
  if (!gives && event.type !== "EXPIRATION") return;
  const customer = customerOf(String(fields.app_user_id));
  const key = String(fields.original_transaction_id ?? `${customer} ${fields.product_id}`);
  const entitlements = JSON.stringify(texts(fields.entitlement_ids));
  db.prepare("INSERT OR REPLACE INTO holdings VALUES (?, ?, ?, ?)")
    .run(key, customer, entitlements, gives ? 1 : 0);
}

function hasPro(pathname: string): boolean {
  const customer = pathname.split("/").at(-1) ?? "";
  const rows = db.prepare("SELECT entitlements FROM holdings WHERE customer = ? AND live = 1")
    .all(customerOf(customer));
  return rows.some(({ entitlements }) => JSON.parse(String(entitlements)).includes("pro"));
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function onListen({ port }: Deno.NetAddr): void {
  console.error(`Listening on http://127.0.0.1:${port}/`);
}
