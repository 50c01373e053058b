/**
 * What customers do besides buying, and what is done for them: ids, grants, attributes, currencies.
 *
 * @module
 */

import { path } from "../../path.ts";
import { CannotDo } from "./cannot_do.ts";
import type { Deed, DeedRequest, Given } from "./mod.ts";
import {
  code,
  customer,
  type Field,
  mapOf,
  moment,
  number,
  period,
  periodOrNone,
  sold,
  text,
  whole,
} from "../file/kinds.ts";
import type { Json } from "../file/tree.ts";

/** The most of a currency that there can be. */
const MOST_COINS = 2_000_000_000;

const WHO: Field = { brief: "The customer", kind: customer, required: true };

const ENTITLEMENT: Field = {
  brief: "The entitlement's lookup key",
  kind: sold("entitlement", "an entitlement"),
  required: true,
};

/** The request that lets a customer sign in with another id. */
export function aliasRequest(project: string, id: string, alias: string): DeedRequest {
  const place = path`/_sim/projects/${project}/customers/${id}/aliases`;
  return { method: "POST", path: place, body: { alias } };
}

/** The request that gives a customer some of a currency, or takes it. */
export function currencyRequest(
  project: string,
  id: string,
  body: { adjustments: Readonly<Record<string, number>>; reference?: Json | undefined },
): DeedRequest {
  return { method: "POST", path: path`/_sim/projects/${project}/customers/${id}/currencies`, body };
}

/** The request that sets the price and the terms of a product. */
export function priceRequest(project: string, product: string, body: object): DeedRequest {
  return { method: "POST", path: path`/_sim/projects/${project}/products/${product}/price`, body };
}

/** The request that changes settings that only the simulator has. */
export function settingsRequest(project: string, body: object): DeedRequest {
  return { method: "POST", path: path`/_sim/projects/${project}/settings`, body };
}

/** Deeds on customers and on what is sold, by their names in a file. */
export const customerDeeds: Readonly<Record<string, Deed>> = {
  customer: {
    brief: "The app creates a customer.",
    short: "id",
    fields: { id: { brief: "The customer's id", kind: customer, required: true } },
    requests: ({ values }) => [{
      method: "POST",
      path: path`/customers`,
      body: { id: values.id },
    }],
  },
  alias: {
    brief: "A customer signs in with another id.",
    fields: { customer: WHO, alias: { brief: "The other id", kind: customer, required: true } },
    requests: ({ project, values }) => [
      aliasRequest(project, String(values.customer), String(values.alias)),
    ],
  },
  transfer: {
    brief: "Everything that a customer bought goes to another customer.",
    fields: {
      from: { brief: "Who has it", kind: customer, required: true },
      to: { brief: "Who gets it", kind: customer, required: true },
    },
    requests: ({ values }) => [{
      method: "POST",
      path: path`/customers/${String(values.from)}/actions/transfer`,
      body: { target_customer_id: values.to },
    }],
  },
  grant: {
    brief: "The customer gets an entitlement as a present.",
    fields: {
      customer: WHO,
      entitlement: ENTITLEMENT,
      for: { brief: "How long", kind: period },
      until: { brief: "Until when", kind: moment },
    },
    choice: { of: ["for", "until"], required: true },
    async requests(given) {
      const { values } = given;
      const expires_at = values.until ?? await given.later(String(values.for));
      return [{
        method: "POST",
        path: path`/customers/${String(values.customer)}/actions/grant_entitlement`,
        body: { entitlement_id: await entitlementId(given), expires_at },
      }];
    },
  },
  revoke: {
    brief: "The grant of an entitlement ends.",
    fields: { customer: WHO, entitlement: ENTITLEMENT },
    async requests(given) {
      return [{
        method: "POST",
        path: path`/customers/${String(given.values.customer)}/actions/revoke_granted_entitlement`,
        body: { entitlement_id: await entitlementId(given) },
      }];
    },
  },
  attributes: {
    brief: "Attributes of the customer are set; an empty text removes one.",
    fields: {
      customer: WHO,
      set: {
        brief: "The values by name",
        kind: mapOf(text(40), text(500), "a map of names to values"),
        required: true,
      },
    },
    requests: ({ values }) => [{
      method: "POST",
      path: path`/customers/${String(values.customer)}/attributes`,
      body: {
        attributes: Object.entries(values.set ?? {}).map(([name, value]) => ({ name, value })),
      },
    }],
  },
  give: coins("The customer gets some of a virtual currency.", 1),
  spend: coins("The customer spends some of a virtual currency.", -1),
  price: {
    brief: "The store sells a product at another price or with other terms from now on.",
    fields: {
      product: {
        brief: "The product",
        kind: sold("product", "a product"),
        required: true,
      },
      price: { brief: "The price", kind: number(0, 100_000_000), required: true },
      currency: { brief: "The currency (default: USD)", kind: code(3, "a currency") },
      duration: { brief: "The length of a period", kind: period },
      trial: { brief: "The length of the trial, or none", kind: periodOrNone },
      grace: { brief: "The grace period, or none", kind: periodOrNone },
    },
    requests({ project, values }) {
      const { product, trial, grace, ...rest } = values;
      const body = { ...rest, trial_duration: trial, grace_period_duration: grace };
      return [priceRequest(project, String(product), body)];
    },
  },
  refund_window: {
    brief: "How old a payment may be that is refunded.",
    short: "days",
    fields: { days: { brief: "The age in days", kind: whole(0, 36_500), required: true } },
    requests: ({ project, values }) => [
      settingsRequest(project, { refund_window_days: values.days }),
    ],
  },
};

function coins(brief: string, sign: 1 | -1): Deed {
  return {
    brief,
    fields: {
      customer: WHO,
      currency: {
        brief: "The currency's code",
        kind: sold("coins", "the code of a virtual currency"),
        required: true,
      },
      amount: { brief: "How much", kind: whole(1, MOST_COINS), required: true },
      reference: { brief: "What it is for", kind: text(250) },
    },
    requests: ({ project, values }) => [
      currencyRequest(project, String(values.customer), {
        adjustments: { [String(values.currency)]: sign * Number(values.amount) },
        reference: values.reference,
      }),
    ],
  };
}

/** The id of the entitlement whose lookup key a step names. */
async function entitlementId({ values, read }: Given): Promise<string> {
  const { items } = await read<{ items: { id: string; lookup_key: string }[] }>({
    method: "GET",
    path: path`/entitlements`,
    query: { limit: 1000 },
  });
  const found = items.find(({ lookup_key }) => lookup_key === values.entitlement);
  if (found) return found.id;
  throw new CannotDo(`there is no entitlement ${JSON.stringify(values.entitlement)}`);
}
