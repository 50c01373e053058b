/**
 * The parts of recipes: a customer's subscriptions, obstacles, and running steps.
 *
 * @module
 */

import { z } from "zod";
import { validate } from "../../http/body.ts";
import { nameOf } from "../../domain/actions.ts";
import { beginPaidPeriod } from "../../domain/due.ts";
import { isBelieved } from "../../domain/purchase.ts";
import { isAble } from "../../domain/stores.ts";
import { invalid, unprocessable } from "../../contract/errors.ts";
import { findSubscription } from "../../records/find.ts";
import { newUuid } from "../../records/random.ts";
import { recordSteps } from "../../ledger/journal.ts";
import { moveHoldings } from "../../ledger/ownership.ts";
import type { Row } from "../../store/tables.ts";
import { findOrCreateCustomer } from "../customers.ts";
import { customerId } from "../fields.ts";
import type { SimCall } from "../route.ts";
import { type Deed, type DeedName, DEEDS } from "../subscriptions.ts";
import type { Held, Recipe } from "./recipes.ts";

/** Runs an action on a subscription like its route, within this call. */
export async function perform(
  call: SimCall,
  name: DeedName,
  id: string,
  sent: object,
): Promise<unknown> {
  const deed: Deed = DEEDS[name];
  return await deed.perform(call, id, () => validate(deed.body, sent));
}

/** The subscriptions of a customer that a recipe can use, latest first. */
export async function readHeld(
  { tx }: SimCall,
  customer: Pick<Row<"customers">, "id">,
): Promise<Held[]> {
  const transactions = tx.selectFrom("transactions").selectAll().as("transactions");
  return await tx.selectFrom("subscriptions")
    .leftJoin(
      transactions,
      (join) =>
        join.onRef("transactions.id", "=", "subscriptions.transaction_id")
          .onRef("transactions.subscription_id", "=", "subscriptions.id"),
    )
    .selectAll("subscriptions").select("transactions.status as payment")
    .where("customer_id", "=", customer.id)
    .where("store", "!=", "promotional").where("shared_from_id", "is", null)
    .orderBy("subscriptions.seq", "desc").execute();
}

/** A subscription that a recipe can use, preferably one without obstacles. */
export function chooseHeld(all: readonly Held[], { needs, accepts }: Recipe): Held | undefined {
  if (!accepts) return undefined;
  const able = all.filter((held) => !isBelieved(held) && (!needs || isAble(held.store, needs)));
  return able.find((held) => accepts(held)) ?? able.find((held) => wayBack(held) !== undefined);
}

/** Undoes the obstacles of a recipe one by one, until it can continue. */
export async function clearWay(
  call: SimCall,
  held: Held,
  { accepts = () => true }: Recipe,
): Promise<Held> {
  let state = held;
  while (!accepts(state)) {
    const way = wayBack(state);
    if (!way) {
      throw unprocessable(`${state.id} cannot be used: it is ${nameOf(state)}`);
    }
    await way(call, state);
    state = await rereadHeld(call, state);
  }
  return state;
}

/** A subscription as it is now. */
export async function rereadHeld(call: SimCall, { id }: Pick<Held, "id">): Promise<Held> {
  const { tx } = call;
  const row = await tx.selectFrom("subscriptions").selectAll()
    .where("id", "=", id).executeTakeFirstOrThrow();
  const paid = await tx.selectFrom("transactions").select("status")
    .where("subscription_id", "=", id).where("id", "=", row.transaction_id).executeTakeFirst();
  return { ...row, payment: paid?.status ?? null };
}

/** Whether a customer has purchases whose transfer makes an event. */
export async function hasHoldings(
  { tx }: SimCall,
  customer: Pick<Row<"customers">, "id">,
): Promise<boolean> {
  const subscription = await tx.selectFrom("subscriptions").select("id")
    .where("customer_id", "=", customer.id)
    .where("store", "!=", "promotional").limit(1).executeTakeFirst();
  const purchase = await tx.selectFrom("purchases").select("id")
    .where("customer_id", "=", customer.id).limit(1).executeTakeFirst();
  return (subscription ?? purchase) !== undefined;
}

/** The fields of a transfer. */
export const transferBody = z.strictObject({ target_customer_id: customerId.optional() });

/** Moves all purchases of a customer to another one. */
export async function transfer(
  call: SimCall,
  from: Pick<Row<"customers">, "id">,
  sent: object,
): Promise<void> {
  const { target_customer_id } = validate(transferBody, sent);
  const id = target_customer_id ?? `triggered-${newUuid().slice(0, 8)}`;
  const to = await findOrCreateCustomer(call, id);
  if (to.id === from.id) {
    throw invalid("target_customer_id", "'target_customer_id' must be a different customer");
  }
  await moveHoldings(call, { from: from.id, to: to.id });
}

/** A step towards a normally renewing subscription. */
type Way = (call: SimCall, held: Held) => Promise<unknown>;

/** The next step towards a paid and renewing subscription, if any. */
function wayBack(held: Held): Way | undefined {
  const { status, auto_renewal_status: renewal, store } = held;
  if (status === "expired" || status === "incomplete") return;
  if (renewal === "will_not_renew") return isAble(store, "uncancel") ? act("uncancel") : undefined;
  if (held.charge_fails === 1) return act("recover");
  if (status === "paused" || renewal === "will_pause") return act("resume");
  if (renewal === "requires_price_increase_consent") return act("agree_to_price");
  if (renewal === "will_change_product") {
    return act("change_product", { product_id: held.product_id });
  }
  // No time passes: the period already paid for starts now.
  if (renewal === "has_already_renewed") {
    return async (call, { id }) => {
      await recordSteps(call, [beginPaidPeriod(await findSubscription(call, id), call.now)]);
    };
  }
  return status === "trialing" ? act("renew") : undefined;
}

function act(name: DeedName, body: object = {}): Way {
  return (call, { id }) => perform(call, name, id, body);
}
