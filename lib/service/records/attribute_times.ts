/**
 * The times at which attributes were last set, by the clock of the sender. The later of two changes
 * wins, in any order of arrival. Times of removed attributes are kept, too.
 *
 * @module
 */

import type { ProjectCall } from "./find.ts";

/**
 * The times at which a customer's attributes were last set, in milliseconds since 1970, by name.
 */
export async function readAttributeTimes(
  { tx }: ProjectCall,
  customerId: string,
): Promise<Map<string, number>> {
  const rows = await tx.selectFrom("attribute_times").select(["name", "sent_at"])
    .where("customer_id", "=", customerId).execute();
  return new Map(rows.map(({ name, sent_at }) => [name, sent_at]));
}

/** Stores the time at which an attribute was set. */
export async function rememberAttributeTime(
  { tx }: ProjectCall,
  key: { customer_id: string; name: string },
  sent_at: number,
): Promise<void> {
  await tx.insertInto("attribute_times").values({ ...key, sent_at })
    .onConflict((conflict) =>
      conflict.columns(["project_id", "customer_id", "name"]).doUpdateSet({ sent_at })
    ).execute();
}
