/**
 * What customers do besides buying, and what is done for them: ids, grants, attributes, currencies.
 *
 * @module
 */

import type { Client } from "../../client.ts";
import { each, LARGEST_PAGE } from "../../page.ts";
import { listAppPublicKeys, listApps } from "../../resources/apps.ts";
import {
  createCustomer,
  grantEntitlement,
  listCustomerPurchases,
  listCustomerSubscriptions,
  revokeGrantedEntitlement,
  setCustomerAttributes,
  transferCustomer,
} from "../../resources/customers.ts";
import { listEntitlements } from "../../resources/entitlements.ts";
import { listProducts } from "../../resources/products.ts";
import { getSdkSubscriber } from "../../resources/sdk_subscribers.ts";
import { changeSettings, type ProductPrice, setProductPrice } from "../../simulator/catalogue.ts";
import { changeBalances, signInCustomer } from "../../simulator/customers.ts";
import { CannotDo } from "./cannot_do.ts";
import type { Deed, Given } from "./deed.ts";
import {
  code,
  customer,
  type Field,
  mapOf,
  moment,
  number,
  period,
  periodOrNone,
  text,
  whole,
} from "../values/kinds.ts";
import { sold } from "../values/names.ts";

/** The most of a currency that there can be. */
const MOST_COINS = 2_000_000_000;

const WHO: Field = { brief: "The customer", kind: customer, required: true };

const ENTITLEMENT: Field = {
  brief: "The entitlement's lookup key",
  kind: sold("entitlement", "an entitlement"),
  required: true,
};

/** Deeds on customers and on what is sold, by their names in a file. */
export const customerDeeds: Readonly<Record<string, Deed>> = {
  customer: {
    brief: "The app creates a customer.",
    short: "id",
    fields: { id: { brief: "The customer's id", kind: customer, required: true } },
    perform: ({ client, values }) => appear(client, String(values.id)),
  },
  alias: {
    brief: "A customer signs in with another id.",
    fields: { customer: WHO, alias: { brief: "The other id", kind: customer, required: true } },
    perform: ({ simulator, values }) =>
      signInCustomer(simulator, String(values.customer), { alias: String(values.alias) }),
  },
  find: {
    brief: "Names the latest purchase of a product that a customer has.",
    makes: "subscription",
    fields: {
      customer: WHO,
      product: { brief: "The product", kind: sold("product", "a product"), required: true },
    },
    perform: findBought,
  },
  transfer: {
    brief: "Everything that a customer bought goes to another customer.",
    fields: {
      from: { brief: "Who has it", kind: customer, required: true },
      to: { brief: "Who gets it", kind: customer, required: true },
    },
    perform: ({ client, values }) =>
      transferCustomer(client, String(values.from), { target_customer_id: String(values.to) }),
  },
  grant: {
    brief: "The customer gets a promotional grant of an entitlement.",
    fields: {
      customer: WHO,
      entitlement: ENTITLEMENT,
      for: { brief: "How long", kind: period },
      until: { brief: "Until when", kind: moment },
    },
    choice: { of: ["for", "until"], required: true },
    async perform(given) {
      const { client, values } = given;
      const until = values.until ?? await given.later(String(values.for));
      return await grantEntitlement(client, String(values.customer), {
        entitlement_id: await entitlementId(given),
        expires_at: Number(until),
      });
    },
  },
  revoke: {
    brief: "The grant of an entitlement ends.",
    fields: { customer: WHO, entitlement: ENTITLEMENT },
    async perform(given) {
      const entitlement_id = await entitlementId(given);
      const { client, values } = given;
      return await revokeGrantedEntitlement(client, String(values.customer), { entitlement_id });
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
    perform({ client, values }) {
      const set = Object.entries(values.set ?? {});
      const changes = set.map(([name, value]) => ({ name, value: String(value) }));
      return setCustomerAttributes(client, String(values.customer), changes);
    },
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
    perform({ simulator, values }) {
      const { product, trial, grace, ...rest } = values;
      const terms = { ...rest, trial_duration: trial, grace_period_duration: grace };
      // The kinds of the fields have checked the values.
      return setProductPrice(simulator, String(product), terms as unknown as ProductPrice);
    },
  },
  refund_window: {
    brief: "How old a payment may be that is refunded.",
    short: "days",
    fields: { days: { brief: "The age in days", kind: whole(0, 36_500), required: true } },
    perform: ({ simulator, values }) =>
      changeSettings(simulator, { refund_window_days: Number(values.days) }),
  },
};

/** The ids that the API takes for a new customer. */
const API_ID = /^[\w-]+$/;

/** Creates a customer. Ids that only apps make, such as anonymous ones, come from an app. */
export async function appear(client: Client, id: string): Promise<object> {
  if (API_ID.test(id)) return await createCustomer(client, { id });
  const { items: [app] } = await listApps(client, { limit: 1 });
  const { items: [key] } = app ? await listAppPublicKeys(client, app.id) : { items: [] };
  if (!key) throw new CannotDo(`the catalogue has no app that could create ${JSON.stringify(id)}`);
  return await getSdkSubscriber(client.with({ credential: key.key }), id);
}

/** The latest subscription or purchase of a product that a customer has. */
async function findBought({ client, values }: Given): Promise<object> {
  const owner = String(values.customer);
  const products = new Map<string, string>();
  for await (const { id, store_identifier } of each(client, listProducts(client))) {
    products.set(id, store_identifier);
  }
  const isIt = ({ product_id }: { product_id: string | null }) =>
    products.get(product_id ?? "") === values.product;
  const found: object[] = [];
  for await (const one of each(client, listCustomerSubscriptions(client, owner))) {
    if (isIt(one)) found.push(one);
  }
  for await (const one of each(client, listCustomerPurchases(client, owner))) {
    if (isIt(one)) found.push(one);
  }
  const latest = found.at(-1);
  if (latest) return latest;
  throw new CannotDo(`${JSON.stringify(owner)} has not bought ${JSON.stringify(values.product)}`);
}

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
      reference: { brief: "What it is for", kind: text(255) },
    },
    perform: ({ simulator, values }) =>
      changeBalances(simulator, String(values.customer), {
        adjustments: { [String(values.currency)]: sign * Number(values.amount) },
        ...values.reference !== undefined && { reference: String(values.reference) },
      }),
  };
}

/** The id of the entitlement whose lookup key a step names. */
async function entitlementId({ values, client }: Given): Promise<string> {
  const first = listEntitlements(client, { limit: LARGEST_PAGE });
  for await (const { id, lookup_key } of each(client, first)) {
    if (lookup_key === values.entitlement) return id;
  }
  throw new CannotDo(`there is no entitlement ${JSON.stringify(values.entitlement)}`);
}
