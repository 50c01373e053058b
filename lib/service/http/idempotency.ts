/**
 * Idempotency keys: a repeated request with the same key gets the first answer and has no second
 * effect. The transaction of the effect also stores the answer.
 *
 * @module
 */

import { Refusal } from "../contract/errors.ts";
import { sha256Hex } from "../records/ids.ts";
import type { Actor } from "../contract/route.ts";
import { fixed, type TextTx, type Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** The time that an answer is stored: 24 hours. */
const REMEMBERED_MS = 24 * 3_600_000;

/** A stored answer. */
export interface Remembered {
  /** HTTP status. */
  status: number;
  /** JSON text. */
  text: string;
}

/**
 * The first answer to the request with this key, if any.
 *
 * @throws {Refusal} 409 when another request used the key, 400 for an invalid key.
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
  throw alreadyUsed();
}

/**
 * Stores the answer to a request with its key.
 *
 * @throws {Refusal} 409 when a request in another project used the key at the same moment.
 */
export async function rememberAnswer(
  tx: Tx,
  actor: Actor,
  key: string,
  request: string,
  answer: Remembered,
  now: number,
): Promise<void> {
  const { status, text } = answer;
  // An expired answer may still be stored; it no longer counts. One that counts came since this
  // transaction looked: requests in other projects do not wait for this one.
  const stored = await fixed`
    insert into idempotency_keys (account_id, key, request_hash, status, body, created_at)
    values (${actor.account_id}, ${key}, ${sha256Hex(request)}, ${status}, ${text}, ${now})
    on conflict (account_id, key) do update set request_hash = excluded.request_hash,
      status = excluded.status, body = excluded.body, created_at = excluded.created_at
    where idempotency_keys.created_at <= ${now - REMEMBERED_MS}`.change(tx);
  if (stored === 0) throw alreadyUsed();
}

function alreadyUsed(): Refusal {
  const message = "The idempotency key was already used for a different request";
  return new Refusal(409, "idempotency_error", message, { param: "Idempotency-Key" });
}

/** Deletes expired answers. */
export async function forgetAnswers(tx: TextTx, now: number): Promise<void> {
  await fixed`delete from idempotency_keys where created_at <= ${now - REMEMBERED_MS}`.execute(tx);
}
