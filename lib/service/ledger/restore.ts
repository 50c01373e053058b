/**
 * The owner of purchases that a second customer restores. The project's restore behavior decides.
 *
 * @module
 */

import type { Call } from "../contract/route.ts";
import { isAnonymous } from "../domain/events.ts";
import type { ProjectCall } from "../records/find.ts";
import { mergeCustomers, type Move, moveHoldings } from "./ownership.ts";

type Now = Pick<Call, "tx" | "project" | "now">;

/**
 * Lets a customer restore another one's purchases. Both are merged if the owner is anonymous, or if
 * purchases are shared. Returns the owner afterwards, or undefined if the purchases stay.
 */
export async function restoreHoldings(call: Now, move: Move): Promise<string | undefined> {
  const { restore_behavior } = call.project;
  const isNobodys = await isAllAnonymous(call, move.from);
  if (isNobodys || restore_behavior === "share") return await join(call, move, isNobodys);
  return await giveHoldings(call, move);
}

/**
 * Moves the purchases of an anonymous customer to the customer who signs in. Returns the owner
 * afterwards, or undefined if they stay.
 */
export async function giveHoldings(call: Now, move: Move): Promise<string | undefined> {
  const { restore_behavior } = call.project;
  if (restore_behavior === "keep") return undefined;
  if (restore_behavior === "share") return await join(call, move, true);
  await moveHoldings(call, move);
  return move.to;
}

/** Whether a customer has never signed in: an SDK generated all its ids. */
export async function isAllAnonymous({ tx }: ProjectCall, customerId: string): Promise<boolean> {
  const rows = await tx.selectFrom("customer_aliases").select("alias")
    .where("customer_id", "=", customerId).execute();
  return rows.every(({ alias }) => isAnonymous(alias));
}

/** Merges two customers under the id of the one who has signed in. */
async function join(call: Now, { from, to }: Move, ownerJoins: boolean): Promise<string> {
  const stays = !ownerJoins && await isAllAnonymous(call, to);
  const [gone, kept] = stays ? [to, from] : [from, to];
  await mergeCustomers(call, { from: gone, to: kept });
  return kept;
}
