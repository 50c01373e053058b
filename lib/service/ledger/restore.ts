/**
 * Whose purchases are, when a second customer asks for them: the project's restore behavior decides.
 *
 * @module
 */

import type { Call } from "../contract/route.ts";
import { isAnonymous } from "../domain/events.ts";
import type { Place } from "../records/find.ts";
import { mergeCustomers, type Move, moveHoldings } from "./ownership.ts";

type Now = Pick<Call, "tx" | "project" | "now">;

/**
 * Lets a customer restore what another one has bought. The two become one customer where the owner is
 * anonymous, and where purchases are shared. Returns the customer who has the purchases then, or
 * undefined when they stay.
 */
export async function restoreHoldings(call: Now, move: Move): Promise<string | undefined> {
  const { restore_behavior } = call.project;
  const isNobodys = await isAllAnonymous(call, move.from);
  if (isNobodys || restore_behavior === "share") return await join(call, move, isNobodys);
  return await giveHoldings(call, move);
}

/**
 * Gives what an anonymous customer has bought to the customer who signs in. Returns the customer who
 * has it then, or undefined when it stays.
 */
export async function giveHoldings(call: Now, move: Move): Promise<string | undefined> {
  const { restore_behavior } = call.project;
  if (restore_behavior === "keep") return undefined;
  if (restore_behavior === "share") return await join(call, move, true);
  await moveHoldings(call, move);
  return move.to;
}

/** Whether a customer has never signed in: every id of it was made by an SDK. */
export async function isAllAnonymous({ tx }: Place, customerId: string): Promise<boolean> {
  const rows = await tx.selectFrom("customer_aliases").select("alias")
    .where("customer_id", "=", customerId).execute();
  return rows.every(({ alias }) => isAnonymous(alias));
}

/** Makes one of two customers. The one who has signed in gives its name to both. */
async function join(call: Now, { from, to }: Move, ownerJoins: boolean): Promise<string> {
  const stays = !ownerJoins && await isAllAnonymous(call, to);
  const [gone, kept] = stays ? [to, from] : [from, to];
  await mergeCustomers(call, { from: gone, to: kept });
  return kept;
}
