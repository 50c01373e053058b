/**
 * The actions of customers and stores on subscriptions.
 *
 * @module
 */

import { z } from "zod";
import { EXPIRATION_REASONS } from "../../event_types.ts";
import {
  agreeToPrice,
  cancel,
  expireNow,
  extend,
  failNext,
  failNow,
  pause,
  raisePrice,
  recover,
  renewNow,
  resume,
  uncancel,
} from "../domain/actions.ts";
import type { Subscription as ShownSubscription } from "../../resources/subscriptions.ts";
import { addDuration } from "../domain/calendar.ts";
import { share } from "../domain/family.ts";
import { convertPrice } from "../domain/money.ts";
import {
  changeAtEnd,
  changeNow,
  checkChangeable,
  keepProduct,
  type Terms,
} from "../domain/product_change.ts";
import { isBelieved } from "../domain/purchase.ts";
import { refund, reverseRefund } from "../domain/refunds.ts";
import { IllegalStep, type Step, type Subscription } from "../domain/step.ts";
import { isAble, type StoreAbility } from "../domain/stores.ts";
import { invalid, Refusal, unprocessable } from "../contract/errors.ts";
import { findSubscription, findTransaction } from "../records/find.ts";
import { newId } from "../records/ids.ts";
import { recordSteps } from "../ledger/journal.ts";
import { showSubscription, subscriptionSchema } from "../records/subscriptions.ts";
import type { Reason } from "../store/holding_tables.ts";
import type { Row } from "../store/tables.ts";
import { findSoldProduct } from "./catalogue.ts";
import { findOrCreateCustomer } from "./customers.ts";
import { customerId, duration, moment, price, priceInMicros, termOf } from "./fields.ts";
import { unable } from "./purchases.ts";
import { type SimCall, type SimRoute, simRoute } from "./route.ts";

/** An action on a subscription, with its body. */
interface Action<Body extends z.ZodType> {
  /** The operation's name. */
  name: string;
  /** One sentence that says what it does. */
  summary: string;
  /** The body. */
  body: Body;
  /** The ability that the store must have. */
  needs?: StoreAbility;
  /** Computes the steps. The answer shows the subscription after the last one. */
  act(
    state: Subscription,
    call: SimCall,
    body: z.infer<Body>,
  ): Promise<Step[] | Step> | Step[] | Step;
}

/** An action on a subscription, for a route or a recipe. */
export interface Deed {
  /** The operation's name. */
  readonly name: string;
  /** One sentence that says what it does. */
  readonly summary: string;
  /** The body. */
  readonly body: z.ZodType;
  /** Runs it. The body is validated after the subscription was found, so that 404 comes first. */
  perform(call: SimCall, id: string, read: () => unknown): Promise<ShownSubscription>;
}

/** Makes an action runnable: it checks the subscription and the body, and records the steps. */
function deed<Body extends z.ZodType>({ name, summary, body, needs, act }: Action<Body>): Deed {
  return {
    name,
    summary,
    body,
    async perform(call, id, read) {
      const row = await findSubscription(call, id);
      // Callers validate their values against this body.
      const sent = read() as z.infer<Body>;
      checkActor(row, needs);
      const steps = [await act(row, call, sent)].flat();
      const after = await recordSteps(call, steps);
      return await showSubscription(call, after.at(-1) ?? row);
    },
  };
}

const NOTHING = z.strictObject({});

const grace = duration.nullable().optional();

const payment = z.strictObject({ transaction_id: z.string().min(1).optional() });

/** The actions on subscriptions, by the last part of the path. */
export const DEEDS = {
  renew: deed({
    name: "renewSubscription",
    summary: "Charges for the next period now: a trial converts, a paid period renews early.",
    body: NOTHING,
    act: (state, { now }) => renewNow(state, now),
  }),
  fail: deed({
    name: "failCharge",
    summary: "Makes a charge fail, now or at the renewal, with the product's grace or another one.",
    body: z.strictObject({ when: z.enum(["now", "renewal"]).default("now"), grace }),
    act(state, { now }, body) {
      const length = body.grace === undefined ? state.grace_duration : body.grace;
      return body.when === "now" ? failNow(state, now, length) : failNext(state, now, length);
    },
  }),
  recover: deed({
    name: "recoverCharge",
    summary: "Makes charges succeed again, and retries the outstanding one.",
    body: NOTHING,
    act: (state, { now }) => recover(state, now),
  }),
  cancel: deed({
    name: "cancelSubscription",
    summary: "Turns off auto-renewal, as the customer does in the store.",
    body: NOTHING,
    act: (state, { now }) => cancel(state, now, "UNSUBSCRIBE"),
  }),
  uncancel: deed({
    name: "uncancelSubscription",
    summary: "Turns auto-renewal on again before the subscription expires.",
    body: NOTHING,
    needs: "uncancel",
    act: (state, { now }) => uncancel(state, now),
  }),
  pause: deed({
    name: "pauseSubscription",
    summary: "Pauses the subscription at the end of its period, until a time or for a duration.",
    body: z.strictObject({ until: moment.optional(), for: duration.optional() }),
    needs: "pause",
    act: (state, { now }, body) => pause(state, now, endOf(state, body)),
  }),
  resume: deed({
    name: "resumeSubscription",
    summary: "Ends a pause, or cancels one that has not started.",
    body: NOTHING,
    act: (state, { now }) => resume(state, now),
  }),
  change_product: deed({
    name: "changeProduct",
    summary: "Changes to another product of the app, now or at the end of the period.",
    body: z.strictObject({
      product_id: z.string().min(1),
      when: z.enum(["now", "period_end"]).default("now"),
      price: price.optional(),
      duration: duration.optional(),
    }),
    needs: "change_product",
    act: changeProduct,
  }),
  refund: deed({
    name: "refundSubscription",
    summary: "Refunds a payment, as the store does. The latest one ends access, unless kept.",
    body: payment.extend({ keep_access: z.boolean().default(false) }),
    async act(state, call, body) {
      const transaction = await paymentOf(call, state, body);
      return refund(state, call.now, transaction, !body.keep_access);
    },
  }),
  reverse_refund: deed({
    name: "reverseSubscriptionRefund",
    summary: "Undoes the refund of a payment.",
    body: payment,
    needs: "reverse_refund",
    act: async (state, call, body) =>
      reverseRefund(state, call.now, await paymentOf(call, state, body)),
  }),
  extend: deed({
    name: "extendSubscription",
    summary: "Extends the period to a time or by a duration.",
    body: z.strictObject({ until: moment.optional(), by: duration.optional() }),
    needs: "extend",
    act(state, { now }, body) {
      const until = endOf(state, { until: body.until, for: body.by });
      if (until === null) throw invalid("by", "Send 'by' or 'until'");
      return extend(state, now, until);
    },
  }),
  expire: deed({
    name: "expireSubscription",
    summary: "Ends the subscription immediately, for its cancellation reason or another one.",
    body: z.strictObject({ reason: z.enum(EXPIRATION_REASONS).optional() }),
    act: (state, { now }, body) => expireNow(state, now, body.reason ?? usualReason(state)),
  }),
  raise_price: deed({
    name: "raisePrice",
    summary: "Announces a higher price. Without consent the subscription ends with its period.",
    body: z.strictObject({ price }),
    act: (state, { now }, body) =>
      raisePrice(state, now, priceInMicros(body.price, state.currency)),
  }),
  agree_to_price: deed({
    name: "agreeToPrice",
    summary: "Accepts the higher price for the customer.",
    body: NOTHING,
    act: (state, { now }) => agreeToPrice(state, now),
  }),
  family_share: deed({
    name: "shareSubscription",
    summary: "Shares the subscription with another family member.",
    body: z.strictObject({ customer_id: customerId }),
    needs: "family_share",
    act: shareWith,
  }),
} as const satisfies Record<string, Deed>;

/** The name of an action on a subscription. */
export type DeedName = keyof typeof DEEDS;

/** The routes of actions on subscriptions. */
export const subscriptionRoutes: readonly SimRoute[] = Object.entries<Deed>(DEEDS).map(
  ([last, { name, summary, body, perform }]) =>
    simRoute({
      name,
      summary,
      method: "POST",
      path: `/subscriptions/{id}/${last}`,
      body,
      response: subscriptionSchema,
    }, (call) => perform(call, call.params.id, () => call.body())),
);

/** The default reason for an end: the reason that its expiry would have. */
function usualReason({ status, cancel_reason }: Subscription): Reason {
  return status === "in_grace_period" ? "BILLING_ERROR" : cancel_reason ?? "UNKNOWN";
}

/** Refuses actions that a grant, a family share or the store does not support. */
function checkActor(state: Subscription, needs: StoreAbility | undefined): void {
  if (state.shared_from_id !== null) {
    throw unprocessable(`It is a family share and follows ${state.shared_from_id}`);
  }
  if (state.store === "promotional") {
    throw unprocessable(
      "A promotional grant cannot be changed; grant the entitlement again with another end",
    );
  }
  if (isBelieved(state)) {
    throw unprocessable(
      "It is temporary access until the store confirms the purchase; make the purchase again",
    );
  }
  if (needs && !isAble(state.store, needs)) throw unable(state.store);
}

/** The new end: a time, or a duration from the end of the period. */
function endOf(
  state: Subscription,
  { until, for: length }: { until?: number | undefined; for?: string | undefined },
): number | null {
  if (until !== undefined && length !== undefined) {
    throw invalid("until", "Send a time or a duration, not both");
  }
  if (length === undefined) return until ?? null;
  return addDuration(state.period_ends_at ?? state.period_starts_at, length);
}

/** The payment: the latest one by default. */
async function paymentOf(
  call: SimCall,
  state: Subscription,
  { transaction_id = state.transaction_id }: z.infer<typeof payment>,
): Promise<Row<"transactions">> {
  if (state.transaction_count === 0) throw new IllegalStep("There is no payment to refund");
  return await findTransaction(call, state.id, transaction_id);
}

async function changeProduct(
  state: Subscription,
  call: SimCall,
  body: {
    product_id: string;
    when: "now" | "period_end";
    price?: number | undefined;
    duration?: string | undefined;
  },
): Promise<Step[]> {
  const product = await findSoldProduct(call, body.product_id);
  checkChangeable(state);
  if (product.id === state.product_id) {
    if (state.pending_product_id !== null) return keepProduct(state, call.now);
    throw new IllegalStep("The subscription already has this product");
  }
  if (product.app_id !== state.app_id || product.type !== "subscription") {
    throw invalid("product_id", "'product_id' must be a subscription of the same app");
  }
  if (body.when === "period_end" && body.duration !== undefined) {
    throw invalid("duration", "'duration' requires an immediate change");
  }
  const terms = termsOf(state, product, body);
  return body.when === "now"
    ? changeNow(state, call.now, terms)
    : changeAtEnd(state, call.now, terms);
}

/** The terms of a product for a product change, in the subscription's currency. */
function termsOf(
  { currency }: Subscription,
  product: Row<"products">,
  { price: units, duration }: { price?: number | undefined; duration?: string | undefined },
): Terms {
  const own = product.price_micros;
  if (units === undefined && own === null) {
    const message = "The product has no price: send 'price', or set one with products/{id}/price";
    throw new Refusal(422, "parameter_error", message, { param: "price" });
  }
  return {
    product_id: product.id,
    duration: termOf(product, duration),
    grace_duration: product.grace_period_duration,
    price_micros: units === undefined
      ? convertPrice(own ?? 0, product.price_currency ?? "USD", currency)
      : priceInMicros(units, currency),
  };
}

async function shareWith(
  state: Subscription,
  call: SimCall,
  { customer_id }: { customer_id: string },
): Promise<Step[]> {
  const member = await findOrCreateCustomer(call, customer_id);
  if (member.id === state.customer_id) {
    throw invalid("customer_id", "The customer already owns the subscription");
  }
  const shared = await call.tx.selectFrom("subscriptions").select("id")
    .where("customer_id", "=", member.id).where("shared_from_id", "=", state.id).executeTakeFirst();
  if (shared) throw new IllegalStep("The subscription is already shared with this customer");
  return share(state, call.now, { id: newId("subscription"), customer_id: member.id });
}
