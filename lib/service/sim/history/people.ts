/**
 * Which customers belong to a customer's history: those who shared subscriptions with it, or
 * exchanged purchases.
 *
 * @module
 */

import { unprocessable } from "../../contract/errors.ts";
import type { ProjectCall } from "../../records/find.ts";

/** The most customers of one history. */
const MOST_CUSTOMERS = 50;

/** The ids of the customers, the given one first. */
export async function connectedCustomers(place: ProjectCall, id: string): Promise<string[]> {
  const ids = [id];
  for (const one of ids) {
    for (const other of await neighboursOf(place, one)) {
      if (!ids.includes(other)) ids.push(other);
    }
    if (ids.length > MOST_CUSTOMERS) {
      const message = `More than ${MOST_CUSTOMERS} customers shared or exchanged purchases with it`;
      throw unprocessable(message);
    }
  }
  return ids;
}

/** The customers with whom one shared or exchanged something. */
async function neighboursOf(place: ProjectCall, id: string): Promise<string[]> {
  const { tx } = place;
  const owned = await tx.selectFrom("subscriptions")
    .select(["id", "customer_id", "original_customer_id", "shared_from_id"])
    .where((eb) => eb.or([eb("customer_id", "=", id), eb("original_customer_id", "=", id)]))
    .execute();
  const bought = await tx.selectFrom("purchases").select(["customer_id", "original_customer_id"])
    .where((eb) => eb.or([eb("customer_id", "=", id), eb("original_customer_id", "=", id)]))
    .execute();
  const shared = owned.flatMap(({ shared_from_id }) => shared_from_id ?? []);
  const family = owned.length === 0 ? [] : await tx.selectFrom("subscriptions")
    .select("customer_id")
    .where((eb) =>
      eb.or([
        eb("id", "in", [...shared, ""]),
        eb("shared_from_id", "in", owned.map((row) => row.id)),
      ])
    ).execute();
  const ids = [
    ...[...owned, ...bought].flatMap((row) => [row.customer_id, row.original_customer_id]),
    ...family.map((row) => row.customer_id),
    ...await giversOf(place, id),
  ];
  // A customer that was deleted or merged has no records of its own.
  const known = await tx.selectFrom("customers").select("id")
    .where("id", "in", [...new Set([...ids, ""])]).orderBy("seq").execute();
  return known.map((row) => row.id);
}

/** The customers from whom purchases came. */
async function giversOf({ tx }: ProjectCall, id: string): Promise<string[]> {
  const rows = await tx.selectFrom("events").select("payload")
    .where("customer_id", "=", id).where("type", "=", "TRANSFER").execute();
  const aliases = rows.flatMap(({ payload }) => transferredFrom(payload));
  if (aliases.length === 0) return [];
  const found = await tx.selectFrom("customer_aliases").select("customer_id")
    .where("alias", "in", aliases).execute();
  return found.map((row) => row.customer_id);
}

function transferredFrom(payload: string): string[] {
  const { event } = JSON.parse(payload) as { event?: { transferred_from?: unknown } };
  return Array.isArray(event?.transferred_from) ? event.transferred_from.map(String) : [];
}
