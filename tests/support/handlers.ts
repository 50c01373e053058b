/**
 * Webhook handlers for `cli verify`: a right one, and others with one fault each.
 *
 * @module
 */

import { verifyWebhook } from "../../lib/webhook.ts";

/** The faults. */
export const FAULTS = [
  "last write wins",
  "acts before it checks the signature",
  "drops duplicates by type",
  "trusts arrival order",
  "grants on CANCELLATION",
  "forgets grace",
  "forgets transfer",
  "ignores the sandbox flag",
  "parses and writes again before it verifies",
  "answers before it stores and loses it",
  "acts twice on a repeat",
  "fails on an unknown type",
  "forgets aliases",
] as const;

/** A fault. */
export type Fault = typeof FAULTS[number];

/** What somebody holds. */
interface Holding {
  /** Who has it. */
  customer: string;
  /** What it gives. */
  entitlements: string[];
  /** Whether it gives it now. */
  live: boolean;
}

/** An event, as far as handlers look at it. */
interface Event {
  /** Its id. */
  id: string;
  /** Its type. */
  type: string;
  /** Whether money is real. */
  environment?: string;
  /** Who it is about. */
  app_user_id?: string;
  /** The customer's first id. */
  original_app_user_id?: string;
  /** All its ids. */
  aliases?: string[];
  /** What is bought. */
  product_id?: string;
  /** What it gives. */
  entitlement_ids?: string[] | null;
  /** Which subscription it is about. */
  original_transaction_id?: string | null;
  /** Who had it. */
  transferred_from?: string[];
  /** Who has it. */
  transferred_to?: string[];
}

/** The secret that the handlers know. */
export const SECRET = `whsec_${btoa("a secret of the tests 24".padEnd(24, "."))}`;

/** Makes a handler, with a fault or without. */
export function createHandler(fault?: Fault): (request: Request) => Promise<Response> {
  const seen = new Set<string>();
  const types = new Set<string>();
  const held = new Map<string, Holding>();
  const toggled = new Map<string, boolean>();
  const persons = new Map<string, string>();
  let dropped = 0;
  const state = (customer: string) =>
    fault === "acts twice on a repeat"
      ? toggled.get(customer) ?? false
      : [...held.values()].some((one) =>
        one.customer === personOf(persons, customer) && one.live && one.entitlements.includes("pro")
      );
  const act = (event: Event) => {
    if (fault === "acts twice on a repeat") return count(toggled, event);
    if (fault !== "forgets aliases") learn(persons, held, event);
    apply(held, persons, event, fault);
  };
  return async (request) => {
    if (request.method === "GET") {
      const customer = decodeURIComponent(new URL(request.url).pathname.split("/").at(-1) ?? "");
      return Response.json({ pro: state(customer) });
    }
    const text = await request.clone().text();
    if (fault === "acts before it checks the signature") act(JSON.parse(text).event);
    const event = await verified(request, text, fault);
    if (!event) return new Response(null, { status: 401 });
    if (fault === "acts before it checks the signature") return new Response();
    if (fault === "fails on an unknown type" && event.type === "A_NEW_TYPE") {
      return new Response(null, { status: 500 });
    }
    if (fault === "drops duplicates by type") {
      const key = `${event.type} ${event.app_user_id}`;
      if (types.has(key)) return new Response();
      types.add(key);
    } else if (fault !== "trusts arrival order" && fault !== "acts twice on a repeat") {
      if (fault !== "last write wins" && seen.has(event.id)) return new Response();
      seen.add(event.id);
    }
    // It is killed soon after its start and now and then, after it has answered.
    if (fault === "answers before it stores and loses it" && dropped++ % 5 === 0) {
      return new Response();
    }
    act(event);
    return new Response();
  };
}

/** The event of a request whose signature is right. */
async function verified(
  request: Request,
  text: string,
  fault: Fault | undefined,
): Promise<Event | undefined> {
  const again = fault === "parses and writes again before it verifies"
    ? new Request(request, { body: JSON.stringify(sorted(JSON.parse(text))) })
    : request;
  return await verifyWebhook(again, SECRET).catch(() => undefined) as Event | undefined;
}

/** A value with its keys in the order of the alphabet, as some frameworks write JSON. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map((
      [key, one],
    ) => [key, sorted(one)]),
  );
}

/** Counts purchases up and ends down: a repeat counts twice. */
function count(
  toggled: Map<string, boolean>,
  { type, app_user_id = "", environment }: Event,
): void {
  if (environment === "SANDBOX") return;
  if (["INITIAL_PURCHASE", "EXPIRATION"].includes(type)) {
    toggled.set(app_user_id, !(toggled.get(app_user_id) ?? false));
  } else if (type === "RENEWAL") toggled.set(app_user_id, true);
}

const GIVES = [
  ...["INITIAL_PURCHASE", "RENEWAL", "UNCANCELLATION", "NON_RENEWING_PURCHASE"],
  ...["REFUND_REVERSED", "SUBSCRIPTION_EXTENDED"],
];

/** The first id of a customer, as far as it is known. */
function personOf(persons: ReadonlyMap<string, string>, id: string): string {
  return persons.get(id) ?? id;
}

/** Learns which ids are the same customer. */
function learn(persons: Map<string, string>, held: Map<string, Holding>, event: Event): void {
  const { aliases = [], original_app_user_id: person = event.app_user_id ?? "" } = event;
  for (const alias of aliases) persons.set(alias, person);
  for (const one of held.values()) if (aliases.includes(one.customer)) one.customer = person;
}

/** Does what an event says. */
function apply(
  held: Map<string, Holding>,
  persons: Map<string, string>,
  event: Event,
  fault: Fault | undefined,
): void {
  const { type, app_user_id = "", product_id = "", entitlement_ids, environment } = event;
  if (environment === "SANDBOX" && fault !== "ignores the sandbox flag") return;
  if (type === "TRANSFER") {
    if (fault === "forgets transfer") return;
    const { transferred_to = [], transferred_from = [] } = event;
    const to = personOf(persons, transferred_to[0] ?? "");
    for (const id of transferred_to) persons.set(id, to);
    const from = transferred_from.map((id) => personOf(persons, id));
    for (const one of held.values()) if (from.includes(one.customer)) one.customer = to;
    return;
  }
  const own = event.original_transaction_id ?? `${app_user_id} ${product_id}`;
  // One row for each customer: a second subscription takes the place of the first.
  const key = fault === "last write wins" ? app_user_id : own;
  const kept = fault === "forgets aliases" ? held.get(key)?.customer : undefined;
  const customer = kept ?? personOf(persons, app_user_id);
  const entitlements = entitlement_ids ?? [];
  const ends = type === "EXPIRATION" || fault === "forgets grace" && type === "BILLING_ISSUE";
  const gives = GIVES.includes(type) ||
    fault === "grants on CANCELLATION" && type === "CANCELLATION";
  if (ends || gives) held.set(key, { customer, entitlements, live: gives });
}
