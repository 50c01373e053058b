/**
 * Idempotency keys: a request sent again under its key is answered as before, without a second
 * effect. The answer is stored in the transaction of the effect, so there is never one without the
 * other.
 *
 * @module
 */

import { Refusal } from "../contract/errors.ts";
import { sha256Hex } from "../records/ids.ts";
import type { Actor } from "../contract/route.ts";
import { fixed, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** How long an answer is remembered: 24 hours. */
const REMEMBERED_MS = 24 * 3_600_000;

/** An answer that was given. */
export interface Remembered {
  /** HTTP status. */
  status: number;
  /** JSON text. */
  text: string;
}

/**
 * The answer given to the request under this key, if it was sent before.
 *
 * @throws {Refusal} 409 when the key came with another request, 400 when it is no key.
 */
export async function rememberedAnswer(
  tx: Tx,
  actor: Actor,
  key: string,
  request: string,
  now: number,
): Promise<Remembered | undefined> {
  if (key === "" || key.length > 255) {
    const message = "'Idempotency-Key' must have 1 to 255 characters";
    throw new Refusal(400, "parameter_error", message, { param: "Idempotency-Key" });
  }
  const { rows: [row] } = await fixed<Row<"idempotency_keys">>`
    select * from idempotency_keys
    where account_id = ${actor.account_id} and key = ${key}
      and created_at > ${now - REMEMBERED_MS}`.execute(tx);
  if (!row) return undefined;
  if (row.request_hash === sha256Hex(request)) return { status: row.status, text: row.body };
  const message = "The idempotency key was already used for a different request";
  throw new Refusal(409, "idempotency_error", message, { param: "Idempotency-Key" });
}

/** Remembers the answer to a request under its key. */
export async function rememberAnswer(
  tx: Tx,
  actor: Actor,
  key: string,
  request: string,
  answer: Remembered,
  now: number,
): Promise<void> {
  const { status, text } = answer;
  // What is a day old may still be there, and no longer counts.
  await fixed`
    insert into idempotency_keys (account_id, key, request_hash, status, body, created_at)
    values (${actor.account_id}, ${key}, ${sha256Hex(request)}, ${status}, ${text}, ${now})
    on conflict (account_id, key) do update set request_hash = excluded.request_hash,
      status = excluded.status, body = excluded.body, created_at = excluded.created_at`
    .execute(tx);
}

/** Forgets answers that are a day old. */
export async function forgetAnswers(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom("idempotency_keys").where("created_at", "<=", now - REMEMBERED_MS).execute();
}
