/**
 * What customers and stores do to subscriptions and purchases.
 *
 * @module
 */

import { path } from "../../path.ts";
import { CannotDo } from "./cannot_do.ts";
import type { Deed, DeedRequest, Given } from "./mod.ts";
import {
  customer,
  type Field,
  made,
  moment,
  number,
  oneOf,
  period,
  periodOrNone,
  sold,
  text,
  truth,
} from "../file/kinds.ts";

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

const PAYMENT: Field = { brief: "Which payment (default: the latest)", kind: text(250) };

const REASONS = [
  "UNSUBSCRIBE",
  "BILLING_ERROR",
  "DEVELOPER_INITIATED",
  "PRICE_INCREASE",
  "CUSTOMER_SUPPORT",
  "UNKNOWN",
];

/** The request that does something to a subscription. */
export function subscriptionRequest(
  project: string,
  id: string,
  name: string,
  body: object = {},
): DeedRequest {
  return {
    method: "POST",
    path: path`/_sim/projects/${project}/subscriptions/${id}/${name}`,
    body,
  };
}

/** The request that refunds something bought, or undoes that. */
export function refundRequest(
  project: string,
  id: string,
  name: "refund" | "reverse_refund",
  body: object = {},
): DeedRequest {
  // The local service makes all ids itself, and these begin so.
  return id.startsWith("purc")
    ? { method: "POST", path: path`/_sim/projects/${project}/purchases/${id}/${name}`, body }
    : subscriptionRequest(project, id, name, body);
}

/** Makes a deed that is done to a subscription. */
function act(
  brief: string,
  name: string,
  fields: Readonly<Record<string, Field>> = {},
  more: Partial<Deed> = {},
): Deed {
  return {
    brief,
    short: "subscription",
    fields: { subscription: SUBSCRIPTION, ...fields },
    requests: ({ project, values, id }) => {
      const { subscription, ...body } = values;
      return [subscriptionRequest(project, id(subscription), name, body)];
    },
    ...more,
  };
}

/** Deeds on subscriptions, by their names in a file. */
export const subscriptionDeeds: Readonly<Record<string, Deed>> = {
  renew: act("The store charges for the next period now.", "renew"),
  fail: act("A charge fails.", "fail", {
    when: { brief: "Now, or at the renewal", kind: oneOf("now", "renewal") },
    grace: { brief: "The grace period, or none", kind: periodOrNone },
  }),
  recover: act("Charges go through again, and the outstanding one is made.", "recover"),
  cancel: act("The customer turns off auto-renewal.", "cancel"),
  uncancel: act("The customer turns auto-renewal on again.", "uncancel"),
  pause: act("The subscription pauses at the end of its period.", "pause", {
    for: { brief: "How long", kind: period },
    until: { brief: "Until when", kind: moment },
  }, { choice: { of: ["for", "until"], required: false } }),
  resume: act("A pause ends.", "resume"),
  change_product: act("The customer changes to another product.", "change_product", {
    product: { brief: "The new product", kind: sold("product", "a product"), required: true },
    when: { brief: "Now, or at the end of the period", kind: oneOf("now", "period_end") },
    price: { brief: "The price (default: the product's)", kind: number(0, 100_000_000) },
    duration: { brief: "The length of a period", kind: period },
  }, {
    requests: ({ project, values, id }) => {
      const { subscription, product, ...rest } = values;
      const body = { product_id: product, ...rest };
      return [subscriptionRequest(project, id(subscription), "change_product", body)];
    },
  }),
  extend: act("The store extends the period.", "extend", {
    by: { brief: "By how much", kind: period },
    until: { brief: "Until when", kind: moment },
  }, { choice: { of: ["by", "until"], required: true } }),
  expire: act("The subscription ends immediately.", "expire", {
    reason: { brief: "Why", kind: oneOf(...REASONS) },
  }),
  raise_price: act("The store announces a higher price.", "raise_price", {
    price: { brief: "The new price", kind: number(0, 100_000_000), required: true },
  }),
  agree_to_price: act("The customer agrees to the higher price.", "agree_to_price"),
  share: act("The customer shares the subscription with the family.", "family_share", {
    with: { brief: "The member of the family", kind: customer, required: true },
  }, {
    requests: ({ project, values, id }) => {
      const body = { customer_id: values.with };
      return [subscriptionRequest(project, id(values.subscription), "family_share", body)];
    },
    makes: "subscription",
  }),
  refund: {
    brief: "The store refunds a payment.",
    short: "of",
    fields: {
      of: BOUGHT,
      transaction_id: PAYMENT,
      keep_access: { brief: "true: the subscription goes on", kind: truth },
    },
    requests: (given) => giveBack(given, "refund"),
  },
  reverse_refund: {
    brief: "The store undoes a refund.",
    short: "of",
    fields: { of: BOUGHT, transaction_id: PAYMENT },
    requests: (given) => giveBack(given, "reverse_refund"),
  },
  pay: {
    brief: "The customer pays the oldest invoice of web billing that is not paid.",
    short: "customer",
    fields: { customer: { brief: "Who pays", kind: customer, required: true } },
    async requests({ project, values, read }) {
      const owner = String(values.customer);
      const { items } = await read<{ items: { id: string; paid_at: number | null }[] }>({
        method: "GET",
        path: path`/customers/${owner}/invoices`,
      });
      const unpaid = items.find(({ paid_at }) => paid_at === null);
      if (!unpaid) throw new CannotDo(`${JSON.stringify(owner)} has no invoice to pay`);
      const place = path`/_sim/projects/${project}/invoices/${unpaid.id}/pay`;
      return [{ method: "POST", path: place }];
    },
  },
};

function giveBack(
  { project, values, id }: Given,
  name: "refund" | "reverse_refund",
): DeedRequest[] {
  const { of, ...body } = values;
  return [refundRequest(project, id(of), name, body)];
}
