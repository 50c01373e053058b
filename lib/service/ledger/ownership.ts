/**
 * Changes of ownership: moves purchases from one customer to another, or removes them.
 *
 * @module
 */

import { joinBalances } from "../records/balances.ts";
import { deleteRow } from "../records/changes.ts";
import { delivery, transferEvent } from "../domain/events.ts";
import { mirror } from "../domain/family.ts";
import { movementsOfDeletion } from "../domain/ledger.ts";
import type { Purchase } from "../domain/purchase.ts";
import type { Subscription } from "../domain/step.ts";
import { changed, expire } from "../domain/subscription.ts";
import { moveCohort } from "./cohorts.ts";
import { readEventFacts } from "./event_facts.ts";
import { forgetAttributes } from "./forget.ts";
import { momentsOf } from "./moments.ts";
import type { ProjectCall } from "../records/find.ts";
import { newUuid } from "../records/random.ts";
import { type Journal, openJournal } from "./journal.ts";
import type { Call } from "../contract/route.ts";
import { columnsWith, deleteRowsWith, rowsWith } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";

type Now = Pick<Call, "tx" | "project" | "now">;

/** A transfer from one customer to another. */
export interface Move {
  /** The id of the current owner. */
  from: string;
  /** The id of the new owner. */
  to: string;
  /** Only purchases in these apps. Default: everything, also promotional grants. */
  appIds?: readonly string[] | undefined;
}

/**
 * Moves subscriptions and purchases with their access. They keep their ids and their first owner.
 * One event reports it, unless only promotional grants move.
 *
 * Gap: invoices and balances of virtual currencies stay with the first customer, who may have spent
 * some.
 */
export async function moveHoldings(call: Now, move: Move): Promise<void> {
  const subscriptions = (await readSubscriptions(call, move.from)).filter(inApps(move));
  const purchases = (await readPurchases(call, move.from)).filter(inApps(move));
  await joinGrants(call, subscriptions, move);
  await setOwner(call, "subscriptions", subscriptions, move.to);
  await setOwner(call, "purchases", purchases, move.to);
  const [first] = [...subscriptions, ...purchases].filter(({ app_id }) => app_id !== null);
  if (!first) return;
  const journal = await openJournal(call);
  const { facts } = journal;
  const event = transferEvent({
    id: newUuid(),
    at: call.now,
    app_id: first.app_id ?? "",
    store: first.store,
    environment: first.environment,
    from: (await facts.customer(move.from)).aliases,
    to: (await facts.customer(move.to)).aliases,
  });
  journal.addEvent({
    id: event.id,
    type: event.type,
    customer_id: move.to,
    app_id: first.app_id,
    environment: first.environment,
    created_at: call.now,
    payload: delivery(event),
  });
  await journal.write();
}

/**
 * Merges two customers: the second one gets everything of the first one, with its ids. If both have
 * an attribute or an assigned offering, the second one's stays.
 */
export async function mergeCustomers(call: Now, move: Move): Promise<void> {
  const { tx, project, now } = call;
  const { from, to } = move;
  await joinGrants(call, await readSubscriptions(call, from), move);
  for (const table of ["subscriptions", "purchases", "invoices"] as const) {
    await tx.updateTable(table).set({ customer_id: to }).where("customer_id", "=", from).execute();
  }
  const facts = readEventFacts(call);
  const [source, heir] = [await facts.customer(from), await facts.customer(to)];
  // Charts of cohorts group payments by the day on which the customer was first seen.
  await moveCohort(call, source, heir);
  await tx.updateTable("movements").set({ customer_id: to, customer_since: heir.since })
    .where("at", "in", momentsOf(tx, [from])).where("customer_id", "=", from).execute();
  await tx.updateTable("customer_aliases").set({ customer_id: to })
    .where("customer_id", "=", from).execute();
  const kept = tx.selectFrom("customer_attributes").select("name").where("customer_id", "=", to);
  await tx.updateTable("customer_attributes").set({ customer_id: to })
    .where("customer_id", "=", from)
    .where("name", "not in", kept).execute();
  const timed = tx.selectFrom("attribute_times").select("name").where("customer_id", "=", to);
  await tx.updateTable("attribute_times").set({ customer_id: to })
    .where("customer_id", "=", from).where("name", "not in", timed).execute();
  await joinBalances(call, { from, to });
  const assigned = tx.selectFrom("assigned_offerings").select("customer_id");
  await tx.updateTable("assigned_offerings").set({ customer_id: to })
    .where("customer_id", "=", from)
    .where((eb) => eb.val(to), "not in", assigned).execute();
  const gone = await tx.selectFrom("customers").selectAll()
    .where("id", "=", from).executeTakeFirstOrThrow();
  await deleteRow({ tx, project, now }, "customers", "customer", gone);
}

/**
 * Deletes the data of a customer before the customer itself. Web-billing subscriptions end; those
 * of stores continue there, unknown to the service. No event reports it. The ledger keeps the money
 * without its customer; recorded events stay, without personal attributes.
 */
export async function removeHoldings(
  call: Now,
  { id, first_seen_at: since }: Pick<Row<"customers">, "id" | "first_seen_at">,
): Promise<void> {
  const { tx } = call;
  const own = { customer_id: id };
  const subscriptions = await rowsWith(tx, "subscriptions", own, ["seq"]);
  // Most customers have nothing, and to build queries for that takes longer than to run them.
  if (subscriptions.length > 0) await endHoldings(call, subscriptions, since);
  for (const table of ["invoices", "purchases", "subscriptions"] as const) {
    await deleteRowsWith(tx, table, own);
  }
  await forgetAttributes(call, id);
  // An index holds these columns. For more, SQLite would read all movements of the project.
  const moments = await columnsWith(tx, "movements", ["at"], { customer_since: since, ...own });
  if (moments.length === 0) return;
  await moveCohort(call, { id, since }, undefined);
  await tx.updateTable("movements").set({ customer_id: null })
    .where("at", "in", momentsOf(tx, [id])).where("customer_id", "=", id).execute();
}

/** Records the end of a customer's subscriptions before they are deleted. */
async function endHoldings(
  call: Now,
  subscriptions: readonly Subscription[],
  since: number,
): Promise<void> {
  const journal = await openJournal(call);
  for (const row of subscriptions) {
    journal.addMovements(movementsOfDeletion(row, call.now, since));
    if (row.share_count > 0) await endShares(journal, call, row);
  }
  await journal.write();
  await leaveSources(call, subscriptions);
}

function inApps({ appIds }: Move): (row: { app_id: string | null }) => boolean {
  return ({ app_id }) => appIds === undefined || app_id !== null && appIds.includes(app_id);
}

async function readSubscriptions({ tx }: ProjectCall, owner: string): Promise<Subscription[]> {
  return await tx.selectFrom("subscriptions").selectAll().where("customer_id", "=", owner)
    .orderBy("seq").execute();
}

async function readPurchases({ tx }: ProjectCall, owner: string): Promise<Purchase[]> {
  return await tx.selectFrom("purchases").selectAll().where("customer_id", "=", owner)
    .orderBy("seq").execute();
}

async function setOwner(
  { tx }: ProjectCall,
  table: "subscriptions" | "purchases",
  rows: readonly { id: string }[],
  owner: string,
): Promise<void> {
  for (const { id } of rows) {
    await tx.updateTable(table).set({ customer_id: owner }).where("id", "=", id).execute();
  }
}

/**
 * Merges two active grants of the same entitlement: the new owner's gets the later end, and the
 * moved one expires.
 */
async function joinGrants(call: Now, moved: readonly Subscription[], { to }: Move): Promise<void> {
  const isLive = (row: Subscription) => row.store === "promotional" && row.status !== "expired";
  const own = (await readSubscriptions(call, to)).filter(isLive);
  for (const row of moved.filter(isLive)) {
    const kept = own.find(({ entitlement_id }) => entitlement_id === row.entitlement_id);
    if (!kept) continue;
    const further = Math.max(kept.period_ends_at ?? 0, row.period_ends_at ?? 0);
    await save(call, changed(kept, { period_ends_at: further }));
    await save(call, expire(row, call.now, "expiration", []).after);
  }
}

async function save({ tx }: ProjectCall, row: Subscription): Promise<void> {
  const { status, period_ends_at, due_at } = row;
  await tx.updateTable("subscriptions").set({ status, period_ends_at, due_at })
    .where("id", "=", row.id).execute();
}

/** Ends the family shares of a deleted subscription, but for one that goes with its customer. */
async function endShares(journal: Journal, call: Now, source: Subscription): Promise<void> {
  const { tx, now } = call;
  const members = await tx.selectFrom("subscriptions").selectAll()
    .where("shared_from_id", "=", source.id).where("customer_id", "!=", source.customer_id)
    .orderBy("seq").execute();
  const end = expire(source, now, "deletion", []);
  for (const member of members) {
    const step = mirror(end, member);
    await journal.record({ ...step, after: { ...step.after, shared_from_id: null } });
  }
}

/** Subtracts deleted shares from their sources' counts. */
async function leaveSources(
  { tx }: ProjectCall,
  subscriptions: readonly Subscription[],
): Promise<void> {
  for (const { shared_from_id } of subscriptions) {
    if (shared_from_id === null) continue;
    await tx.updateTable("subscriptions")
      .set((eb) => ({ share_count: eb("share_count", "-", 1) }))
      .where("id", "=", shared_from_id).execute();
  }
}
