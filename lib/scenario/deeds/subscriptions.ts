/**
 * What customers and stores do to subscriptions and purchases.
 *
 * @module
 */

import { each, LARGEST_PAGE } from "../../page.ts";
import { listCustomerInvoices } from "../../resources/customers.ts";
import { listSubscriptionTransactions } from "../../resources/subscriptions.ts";
import { EXPIRATION_REASONS } from "../../event_types.ts";
import { payInvoice, refundPurchase, reversePurchaseRefund } from "../../simulator/purchases.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import {
  agreeToPrice,
  cancelSubscription,
  changeProduct,
  expireSubscription,
  extendSubscription,
  failCharge,
  pauseSubscription,
  raisePrice,
  recoverCharge,
  refundSubscription,
  renewSubscription,
  resumeSubscription,
  reverseSubscriptionRefund,
  shareSubscription,
  uncancelSubscription,
} from "../../simulator/subscriptions.ts";
import { CannotDo } from "./cannot_do.ts";
import type { Deed, Given } from "./deed.ts";
import {
  customer,
  type Field,
  moment,
  number,
  oneOf,
  period,
  periodOrNone,
  text,
  truth,
  whole,
} from "../values/kinds.ts";
import { made, sold } from "../values/names.ts";

const SUBSCRIPTION: Field = {
  brief: "The subscription, by the name that a step gave it",
  kind: made("subscription"),
  required: true,
};

const BOUGHT: Field = {
  brief: "The subscription or purchase, by the name that a step gave it",
  kind: made("subscription", "purchase"),
  required: true,
};

/** The fields that choose a payment. */
const PAYMENT: Readonly<Record<string, Field>> = {
  payment: {
    brief: "Which payment, by its number from 1 (default: the latest)",
    kind: whole(1, 10_000),
  },
  transaction_id: { brief: "Which payment, by the store's id", kind: text(250) },
};

/** A payment is chosen in one way. */
const ONE_PAYMENT = { of: ["payment", "transaction_id"], required: false };

/** Makes a deed that is done to a subscription. */
function act<Body>(
  brief: string,
  send: (simulator: Simulator, id: string, body: Body) => Promise<object>,
  fields: Readonly<Record<string, Field>> = {},
  more: Partial<Deed> & { body?(values: Given["values"]): Given["values"] } = {},
): Deed {
  const { body = asItIs, ...rest } = more;
  return {
    brief,
    short: "subscription",
    fields: { subscription: SUBSCRIPTION, ...fields },
    perform({ simulator, values, id }) {
      const { subscription, ...given } = values;
      // The kinds of the fields have checked the values.
      return send(simulator, id(subscription), body(given) as Body);
    },
    ...rest,
  };
}

function asItIs(values: Given["values"]): Given["values"] {
  return values;
}

/** Deeds on subscriptions, by their names in a file. */
export const subscriptionDeeds: Readonly<Record<string, Deed>> = {
  renew: act("The store charges for the next period now.", renewSubscription),
  fail: act("A charge fails.", failCharge, {
    when: { brief: "Now, or at the renewal", kind: oneOf("now", "renewal") },
    grace: { brief: "The grace period, or none", kind: periodOrNone },
  }),
  recover: act("Charges go through again, and the outstanding one is made.", recoverCharge),
  cancel: act("The customer turns off auto-renewal.", cancelSubscription),
  uncancel: act("The customer turns auto-renewal on again.", uncancelSubscription),
  pause: act("The subscription pauses at the end of its period.", pauseSubscription, {
    for: { brief: "How long", kind: period },
    until: { brief: "Until when", kind: moment },
  }, { choice: { of: ["for", "until"], required: false } }),
  resume: act("A pause ends.", resumeSubscription),
  change_product: act("The customer changes to another product.", changeProduct, {
    product: { brief: "The new product", kind: sold("product", "a product"), required: true },
    when: { brief: "Now, or at the end of the period", kind: oneOf("now", "period_end") },
    price: { brief: "The price (default: the product's)", kind: number(0, 100_000_000) },
    duration: { brief: "The length of a period", kind: period },
  }, {
    body: ({ product = null, ...rest }) => ({ product_id: product, ...rest }),
  }),
  extend: act("The store extends the period.", extendSubscription, {
    by: { brief: "By how much", kind: period },
    until: { brief: "Until when", kind: moment },
  }, { choice: { of: ["by", "until"], required: true } }),
  expire: act("The subscription ends immediately.", expireSubscription, {
    reason: { brief: "Why", kind: oneOf(...EXPIRATION_REASONS) },
  }),
  raise_price: act("The store announces a higher price.", raisePrice, {
    price: { brief: "The new price", kind: number(0, 100_000_000), required: true },
  }),
  agree_to_price: act("The customer agrees to the higher price.", agreeToPrice),
  share: act("The customer shares the subscription with the family.", shareSubscription, {
    with: { brief: "The member of the family", kind: customer, required: true },
  }, {
    body: (values) => ({ customer_id: values.with ?? null }),
    makes: "subscription",
  }),
  refund: {
    brief: "The store refunds a payment.",
    short: "of",
    fields: {
      of: BOUGHT,
      ...PAYMENT,
      keep_access: { brief: "true: the subscription goes on", kind: truth },
    },
    choice: ONE_PAYMENT,
    async perform(given) {
      const { simulator, values: { keep_access }, id } = given;
      const bought = id(given.values.of);
      if (isPurchase(bought)) return await refundPurchase(simulator, bought);
      const payment = await paymentOf(given, bought);
      const keeps = keep_access === undefined ? {} : { keep_access: keep_access === true };
      return await refundSubscription(simulator, bought, { ...payment, ...keeps });
    },
  },
  reverse_refund: {
    brief: "The store undoes a refund.",
    short: "of",
    fields: { of: BOUGHT, ...PAYMENT },
    choice: ONE_PAYMENT,
    async perform(given) {
      const { simulator, values, id } = given;
      const bought = id(values.of);
      return isPurchase(bought)
        ? await reversePurchaseRefund(simulator, bought)
        : await reverseSubscriptionRefund(simulator, bought, await paymentOf(given, bought));
    },
  },
  pay: {
    brief: "The customer pays the oldest invoice of web billing that is not paid.",
    short: "customer",
    fields: { customer: { brief: "Who pays", kind: customer, required: true } },
    async perform({ simulator, client, values }) {
      const owner = String(values.customer);
      const first = listCustomerInvoices(client, owner, { limit: LARGEST_PAGE });
      for await (const { id, paid_at } of each(client, first)) {
        if (paid_at === null) return await payInvoice(simulator, id);
      }
      throw new CannotDo(`${JSON.stringify(owner)} has no invoice to pay`);
    },
  },
};

/** The payment that a step names; nothing for the latest one. */
async function paymentOf(
  { client, values: { payment, transaction_id } }: Given,
  subscription: string,
): Promise<{ transaction_id?: string }> {
  if (transaction_id !== undefined) return { transaction_id: String(transaction_id) };
  if (payment === undefined) return {};
  const query = { limit: 100, sort: "purchased_at" } as const;
  const made: string[] = [];
  for await (
    const { id, status } of each(client, listSubscriptionTransactions(client, subscription, query))
  ) {
    if (status !== "failed") made.push(id);
  }
  const id = made[Number(payment) - 1];
  if (id !== undefined) return { transaction_id: id };
  throw new CannotDo(`there is no payment ${payment}; payments so far: ${made.length}`);
}

/** Whether an id is that of something bought once: the service makes all ids, and these begin so. */
function isPurchase(id: string): boolean {
  return id.startsWith("purc");
}
