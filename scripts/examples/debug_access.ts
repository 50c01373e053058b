/**
 * "I paid, but I have no access": shows for one customer the access of each subscription, purchase
 * and grant, and for those without access the reason and the remedy. The arguments are the
 * customer's id and, optionally, the lookup key of an entitlement.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*" scripts/examples/debug_access.ts ada pro
 * ```
 *
 * It needs `CLI_REFRESH_TOKEN` and `CLI_PROJECT_ID`; for a service elsewhere also `CLI_BASE_URL`,
 * and its host after `--allow-net=`.
 *
 * @module
 */

import {
  type Client,
  connect,
  type Customer,
  each,
  type Entitlement,
  getCustomer,
  getEntitlement,
  getProduct,
  listCustomerPurchases,
  listCustomerSubscriptions,
  listEntitlementProducts,
  listEntitlements,
  type Purchase,
  type Subscription,
  ToolkitError,
} from "../../mod.ts";

type Holding = Subscription | Purchase;

/** Explains the access of one customer. Returns whether the customer has it. */
async function debugAccess(client: Client, id: string, key: string | undefined): Promise<boolean> {
  const [customer, wanted] = await Promise.all([
    getCustomer(client, id),
    key === undefined ? undefined : getEntitlement(client, key),
  ]);
  const active = await activeOf(client, customer);
  say(`${customer.id} has ${listed(active.map(({ lookup_key }) => lookup_key))} now`);
  const query = { limit: 100 };
  const holdings: Holding[] = [
    ...await Array.fromAsync(each(client, listCustomerSubscriptions(client, customer.id, query))),
    ...await Array.fromAsync(each(client, listCustomerPurchases(client, customer.id, query))),
  ];
  for (const holding of holdings) await explain(client, holding, wanted);
  if (holdings.length === 0) {
    say(
      "Nothing was ever bought or granted under this id. If the customer paid, it was under " +
        "another",
    );
    say("id: look for the store's order with: cli subscriptions search <order-id>");
  }
  const has = wanted ? active.some((one) => one.id === wanted.id) : active.length > 0;
  if (has) {
    say(
      "The customer has access: if the app does not see it, it asks for another id or entitlement",
    );
  }
  return has;
}

/** The customer's active entitlements. */
async function activeOf(client: Client, customer: Customer): Promise<Entitlement[]> {
  const active: Entitlement[] = [];
  if (!customer.active_entitlements) return active;
  for await (const { entitlement_id } of each(client, customer.active_entitlements)) {
    active.push(await getEntitlement(client, entitlement_id));
  }
  return active;
}

/** Prints the access of a subscription, purchase or grant, with the reasons for missing access. */
async function explain(client: Client, one: Holding, wanted: Entitlement | undefined) {
  const given = one.entitlements.items;
  const product = one.product_id === null ? undefined : await getProduct(client, one.product_id);
  say("");
  say(`${one.id}: ${product?.store_identifier ?? "a grant"} (${one.store}, ${one.environment})`);
  const open = one.object === "subscription" ? one.gives_access : one.status === "owned";
  if (open) say(`  gives ${listed(given.map(({ lookup_key }) => lookup_key))}`);
  else say(`  gives nothing: ${whyClosed(one)}`);
  if (open && product && given.length === 0) {
    say(
      "  missing: no entitlement has this product. Attach it; customers who have paid get " +
        "access, too:",
    );
    say(`  cli entitlements attach ${wanted?.lookup_key ?? "<entitlement>"} ${product.id}`);
  } else if (open && product && wanted && !given.some(({ id }) => id === wanted.id)) {
    say(`  missing: ${wanted.lookup_key} does not have this product. Attach it with:`);
    say(`  cli entitlements attach ${wanted.lookup_key} ${product.id}`);
  }
  if (one.original_customer_id !== one.customer_id) {
    say(`  it was bought as ${one.original_customer_id} and transferred later`);
  }
  if (one.environment === "sandbox") say("  no money was paid: it is a test purchase");
}

/** The reason for missing access, with the remedy. */
function whyClosed(one: Holding): string {
  if (one.object === "purchase") return "it was refunded";
  const ended = day(one.ends_at ?? one.current_period_ends_at);
  switch (one.status) {
    case "expired":
      return one.store === "promotional"
        ? `the grant ended on ${ended}`
        : `it ended on ${ended}; the customer has to subscribe again`;
    case "in_billing_retry":
      return "the last payment failed; the customer has to correct the payment in the store" +
        (one.management_url === null ? "" : `: ${one.management_url}`);
    case "paused":
      return "the customer paused it, and can resume it in the store";
    case "incomplete":
      return "its first payment is not made yet, or it starts in the future";
    default:
      return `its status is ${one.status}`;
  }
}

/** The entitlements whose products can be bought, if nothing else helps. */
async function sayWhatUnlocks(client: Client, wanted: string | undefined): Promise<void> {
  const entitlements = wanted === undefined
    ? await Array.fromAsync(each(client, listEntitlements(client, { limit: 100 })))
    : [await getEntitlement(client, wanted)];
  for (const { id, lookup_key, state } of entitlements) {
    const products = each(client, listEntitlementProducts(client, id, { limit: 100 }));
    const names = (await Array.fromAsync(products)).map((product) => product.store_identifier);
    const archived = state === "inactive" ? " (archived)" : "";
    say("");
    say(`${lookup_key}${archived} comes with: ${listed(names)}`);
  }
}

/** Words as a list, or "nothing". */
function listed(words: readonly string[]): string {
  return words.join(", ") || "nothing";
}

/** A time as its UTC day. */
function day(ms: number | null): string {
  return ms === null ? "an unknown day" : new Date(ms).toISOString().slice(0, 10);
}

/** Prints a line. Ids and names come from others, so control characters are removed. */
function say(line: string): void {
  console.log(line.replace(/\p{Cc}/gu, ""));
}

try {
  const [id, key] = Deno.args;
  if (!id) throw new ToolkitError("Cannot debug access: pass the customer's id");
  const client = await connect();
  if (!await debugAccess(client, id, key)) await sayWhatUnlocks(client, key);
} catch (error) {
  if (!(error instanceof ToolkitError)) throw error;
  console.error(error.hint ? `${error.message}\n${error.hint}` : error.message);
  Deno.exitCode = 1;
}
