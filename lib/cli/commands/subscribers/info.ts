/**
 * `cli subscribers info`: everything about one subscriber, read in parallel. An unreadable section
 * does not hide the others.
 *
 * @module
 */

import { type Client, rawJson } from "../../../client.ts";
import { ApiError, Cancelled, NetworkError } from "../../../errors.ts";
import {
  each,
  LARGEST_PAGE,
  nestedItems,
  type Page,
  type PageQuery,
  pages,
} from "../../../page.ts";
import {
  type ActiveEntitlement,
  type Customer,
  type CustomerAlias,
  getCustomer,
  listActiveEntitlements,
  listCustomerAliases,
  listCustomerPurchases,
  listCustomerSubscriptions,
} from "../../../resources/customers.ts";
import { listEntitlements } from "../../../resources/entitlements.ts";
import type { Purchase } from "../../../resources/purchases.ts";
import type { Subscription } from "../../../resources/subscriptions.ts";
import { argument, command } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { joinPages } from "../../screen/json_text.ts";
import type { Column } from "../../screen/output.ts";
import { PartlyDone } from "../../screen/outcome.ts";
import { showSubscriberCard } from "./card.ts";
import { endOf, type Holding, keysOf, nameOf, productNames, sourceOf } from "./holdings.ts";

/** One list about a subscriber. */
interface Section<T> {
  /** All its items; empty if they could not be read. */
  items: T[];
  /** The list as the service sent it, or `null`. */
  json: string;
  /** The reason if it could not be read. */
  error?: Error;
}

/** All lists about a subscriber, by their keys in JSON. */
interface Sections {
  /** Its active entitlements. */
  active_entitlements: Section<ActiveEntitlement>;
  /** Its subscriptions, including promotional grants. */
  subscriptions: Section<Subscription>;
  /** Its one-time purchases. */
  purchases: Section<Purchase>;
  /** Its ids. */
  aliases: Section<CustomerAlias>;
}

/** Shows everything about one subscriber. */
export const info = command({
  brief: "Show a subscriber",
  details:
    "Shows active entitlements, subscriptions, purchases and aliases. In JSON each list has " +
    "its own name and is as the service sent it. A list that cannot be read is null, with " +
    "the reason under errors, and the exit code is 9.",
  args: { user_id: argument("The subscriber's app user id, or an alias of it") },
  async run(context, { user_id }) {
    const client = await context.client();
    const customer = await getCustomer(client, user_id);
    const sections = await readSections(client, user_id);
    if (context.out.format === "json") showJson(context, customer, sections);
    else await showCard(context, client, customer, sections);
    const failed = Object.entries(sections).filter(([, { error }]) => error !== undefined);
    if (failed.length > 0) throw notAll(user_id, failed, Object.keys(sections).length);
  },
});

/** The error for a subscriber with unreadable lists. */
function notAll(
  user_id: string,
  failed: [string, Section<unknown>][],
  sections: number,
): PartlyDone {
  const byReason = Map.groupBy(failed, ([, { error }]) => error?.message ?? "");
  const parts = [...byReason].map(([why, group]) =>
    `no ${group.map(([name]) => name).join(", ")}: ${why}`
  );
  const others = failed.length < sections
    ? "The other sections are complete. Run the same command again for the missing ones."
    : "Run the same command again.";
  const cause = refusalOf(failed.map(([, { error }]) => error));
  return new PartlyDone(`Cannot show all of ${JSON.stringify(user_id)}: ${parts.join("; ")}`, {
    // A missing permission will be missing the next time as well.
    ...cause ? { cause } : { hint: others },
  });
}

/** Several refusals as one, with all missing permissions. */
function refusalOf(errors: readonly (Error | undefined)[]): ApiError | undefined {
  const refusals = errors.filter((error): error is ApiError =>
    error instanceof ApiError && error.status === 403
  );
  const [first] = refusals;
  const messages = new Set(refusals.map(({ message }) => message));
  const missingScopes = [...new Set(refusals.flatMap((one) => one.missingScopes))];
  return first && new ApiError([...messages].join("; "), { ...first, missingScopes });
}

/** Reads all lists in parallel. */
async function readSections(client: Client, id: string): Promise<Sections> {
  const read = <T>(list: (client: Client, id: string, query: PageQuery) => Promise<Page<T>>) =>
    readSection(client, list(client, id, { limit: LARGEST_PAGE }));
  const [active_entitlements, subscriptions, purchases, aliases] = await Promise.all([
    read(listActiveEntitlements),
    read(listCustomerSubscriptions),
    read(listCustomerPurchases),
    read(listCustomerAliases),
  ]);
  return { active_entitlements, subscriptions, purchases, aliases };
}

/** Reads all pages of a list, or returns the reason of the failure. */
async function readSection<T>(client: Client, first: Promise<Page<T>>): Promise<Section<T>> {
  try {
    const read = await Array.fromAsync(pages(client, first));
    const texts = read.map((page) => rawJson(page) ?? JSON.stringify(page));
    return { items: read.flatMap((page) => page.items), json: joinPages(texts) };
  } catch (error) {
    if (error instanceof Cancelled || !(error instanceof Error)) throw error;
    return { items: [], json: "null", error };
  }
}

/** Prints one JSON object with a key for each section. */
function showJson(context: Context, customer: Customer, sections: Sections): void {
  const entries = Object.entries(sections);
  const parts = [
    `"customer":${rawJson(customer) ?? JSON.stringify(customer)}`,
    ...entries.map(([name, { json }]) => `${JSON.stringify(name)}:${json}`),
  ];
  const errors = entries.flatMap(([name, { error }]) =>
    error === undefined ? [] : [[name, error.message]]
  );
  if (errors.length > 0) parts.push(`"errors":${JSON.stringify(Object.fromEntries(errors))}`);
  context.out.json(`{${parts.join(",")}}`);
}

/** Shows a card of the subscriber, and its lists below. */
async function showCard(
  context: Context,
  client: Client,
  customer: Customer,
  sections: Sections,
): Promise<void> {
  const { active_entitlements, subscriptions, purchases, aliases } = sections;
  const holdings = [...subscriptions.items, ...purchases.items];
  const [names, keys] = await Promise.all([
    namesOf(context, client, holdings),
    keysFor(context, client, active_entitlements.items, holdings),
  ]);
  showSubscriberCard(context, customer);
  // The unreadable part may be the source of the access.
  const isWhole = !subscriptions.error && !purchases.error;
  const columns = entitlementColumns({ holdings, isWhole, names, keys });
  show(context, "Active entitlements", active_entitlements, columns);
  show(context, "Subscriptions", subscriptions, subscriptionColumns(names));
  show(context, "Purchases", purchases, purchaseColumns(names));
  show(context, "Aliases", aliases, ALIAS_COLUMNS);
}

/** The stores' names of products. Without them, ids are shown. */
async function namesOf(
  { out }: Context,
  client: Client,
  holdings: readonly Holding[],
): Promise<ReadonlyMap<string, string>> {
  try {
    return await productNames(client, holdings);
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof NetworkError)) throw error;
    out.warn(`Products are shown by their ids: ${error.message}`);
    return new Map();
  }
}

/** Lookup keys by ids: from the holdings, or else requested. Without them, ids are shown. */
async function keysFor(
  { out }: Context,
  client: Client,
  active: readonly ActiveEntitlement[],
  holdings: readonly Holding[],
): Promise<ReadonlyMap<string, string>> {
  const known = keysOf(holdings.flatMap((one) => nestedItems(one.entitlements)));
  if (active.every(({ entitlement_id }) => known.has(entitlement_id))) return known;
  try {
    return keysOf(
      await Array.fromAsync(each(client, listEntitlements(client, { limit: LARGEST_PAGE }))),
    );
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof NetworkError)) throw error;
    out.warn(`Entitlements are shown by their ids: ${error.message}`);
    return known;
  }
}

/** Shows one section: its items, `none`, or the reason of the failure. */
function show<T>(
  { out }: Context,
  title: string,
  { items, error }: Section<T>,
  columns: readonly Column<T>[],
): void {
  const count = error === undefined ? `${items.length}` : "unknown";
  const empty = error === undefined ? "none" : `Cannot be read: ${error.message}`;
  out.table(items, columns, { title: `${title} (${count})`, empty });
}

/** Columns for active entitlements, with their sources if all of them are known. */
function entitlementColumns({ holdings, isWhole, names, keys }: {
  holdings: readonly Holding[];
  isWhole: boolean;
  names: ReadonlyMap<string, string>;
  keys: ReadonlyMap<string, string>;
}): Column<ActiveEntitlement>[] {
  const source = (item: ActiveEntitlement) => isWhole ? sourceOf(holdings, item) : undefined;
  return [
    {
      header: "entitlement",
      value: ({ entitlement_id }) => keys.get(entitlement_id) ?? entitlement_id,
      kind: "id",
    },
    { header: "expires", value: (item) => item.expires_at ?? "never", kind: "date" },
    { header: "renews", value: (item) => renewalOf(source(item)), kind: "word" },
    { header: "store", value: (item) => source(item)?.store, kind: "word" },
    {
      header: "through",
      value: (item) => {
        const found = source(item);
        return found && nameOf(found, names);
      },
    },
  ];
}

/** Whether it renews; nothing if it does not end. */
function renewalOf(source: Holding | undefined): string | undefined {
  return source?.object === "subscription" ? source.auto_renewal_status : undefined;
}

function subscriptionColumns(names: ReadonlyMap<string, string>): Column<Subscription>[] {
  return [
    { header: "id", value: (item) => item.id, kind: "id" },
    { header: "product", value: (item) => nameOf(item, names) },
    // Cut as late as ids: two of them differ at their ends.
    { header: "status", value: (item) => item.status, kind: "id" },
    { header: "access", value: (item) => item.gives_access },
    { header: "ends", value: (item) => endOf(item), kind: "date" },
    { header: "store", value: (item) => item.store, kind: "word" },
  ];
}

function purchaseColumns(names: ReadonlyMap<string, string>): Column<Purchase>[] {
  return [
    { header: "id", value: (item) => item.id, kind: "id" },
    { header: "product", value: (item) => nameOf(item, names) },
    { header: "status", value: (item) => item.status, kind: "word" },
    { header: "purchased", value: (item) => item.purchased_at, kind: "date" },
    { header: "store", value: (item) => item.store, kind: "word" },
  ];
}

const ALIAS_COLUMNS: readonly Column<CustomerAlias>[] = [
  { header: "alias", value: (item) => item.id, kind: "id" },
  { header: "created", value: (item) => item.created_at, kind: "date" },
];
