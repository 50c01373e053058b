/**
 * The stored attempts of deliveries.
 *
 * @module
 */

import { type ProjectTx, writeRows } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

/** The stored part of an attempt. */
export type Attempt = Omit<
  Row<"attempts">,
  "project_id" | "delivery_id" | "number" | "next_attempt_at"
>;

/**
 * The message for an attempt that the service itself interrupted. It does not count towards the
 * limit.
 */
export const INTERRUPTED =
  "The service stopped during this attempt; the receiver may have received it";

/** Records an attempt that began and has no known end. */
export async function recordInterrupted(
  tx: ProjectTx,
  delivery: Row<"deliveries">,
  now: number,
): Promise<void> {
  const { integration_id, attempts, leased_at } = delivery;
  const { url } = await tx.selectFrom("webhook_integrations").select("url")
    .where("id", "=", integration_id).executeTakeFirstOrThrow();
  const unknown = {
    address: null,
    request_headers: "{}",
    status: null,
    response_headers: null,
    response_body: null,
    response_cut: 0,
    timing: "{}",
  };
  const started_at = leased_at ?? now;
  const attempt = { ...unknown, started_at, url, error: INTERRUPTED };
  await recordAttempts(tx, delivery, [attempt], now);
  await tx.updateTable("deliveries").set({ attempts: attempts + 1 }).where("id", "=", delivery.id)
    .execute();
}

/** Stores attempts after the earlier ones of the same delivery. */
export async function recordAttempts(
  tx: ProjectTx,
  { id, attempts: before }: Pick<Row<"deliveries">, "id" | "attempts">,
  attempts: readonly Attempt[],
  next_attempt_at: number | null,
): Promise<void> {
  await writeRows(tx, "attempts", numbered(id, before, attempts, next_attempt_at));
}

/** Attempts as rows. */
export function numbered(
  delivery_id: string,
  before: number,
  attempts: readonly Attempt[],
  next_attempt_at: number | null,
): Omit<Row<"attempts">, "project_id">[] {
  return attempts.map((attempt, i) => ({
    ...attempt,
    delivery_id,
    number: before + i + 1,
    next_attempt_at,
  }));
}
