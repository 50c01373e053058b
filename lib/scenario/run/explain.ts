/**
 * What explains a difference: which event, which charge, why access ended.
 *
 * @module
 */

import { path } from "../../path.ts";
import { type Bench, fieldOf, listAll, readAll, type SeenEvent } from "./bench.ts";
import { isoMoment } from "../values/times.ts";
import type { Json } from "../values/tree.ts";

/** The fields of an event that say why it is there. */
const REASONS = ["cancel_reason", "expiration_reason", "grace_period_expiration_at_ms"];

/** An event in one sentence, with the step that it came with. */
export function tellEvent(bench: Bench, event: SeenEvent): string {
  const { type, at, fields, step } = event;
  const who = fieldOf(fields, "app_user_id") ?? fieldOf(fields, "transferred_to");
  const product = fieldOf(fields, "product_id");
  const why = REASONS.flatMap((name) => {
    const value = fieldOf(fields, name);
    if (value === undefined || value === null) return [];
    return [typeof value === "number" ? `grace until ${isoMoment(value)}` : String(value)];
  });
  const about = [
    typeof who === "string" ? `for ${who}` : "",
    typeof product === "string" ? `of ${product}` : "",
    chargeOf(fields),
    why.length > 0 ? `(${why.join(", ")})` : "",
  ];
  return [type, ...about.filter((one) => one !== ""), `at ${isoMoment(at)}`, origin(bench, step)]
    .join(" ");
}

/** The charge that an event is about, if any. */
function chargeOf(fields: Json): string {
  const price = fieldOf(fields, "price_in_purchased_currency");
  if (typeof price !== "number" || price === 0) return "";
  const id = fieldOf(fields, "transaction_id");
  const what = price < 0 ? "refund" : "charge";
  return `with the ${what} of ${Math.abs(price)} ${fieldOf(fields, "currency") ?? ""}${
    typeof id === "string" ? ` (${id})` : ""
  }`;
}

/** The step that something came with. */
function origin({ scenario }: Bench, number: number): string {
  const step = scenario.steps[number - 1];
  return step ? `came with step ${number} (${step.title}, line ${step.at.line})` : "came first";
}

/** A subscription or purchase. */
type Holding = { readonly [key: string]: Json };

/** How many sentences about things of one kind are shown. */
const MOST_TOLD = 20;

/** The latest of several sentences, with the number of the others. */
function latest(sentences: readonly string[], noun: string): string[] {
  const others = sentences.length - MOST_TOLD;
  if (others <= 0) return [...sentences];
  return [`${others} earlier ${noun}${others === 1 ? "" : "s"}`, ...sentences.slice(-MOST_TOLD)];
}

/** Why a customer has access or not: each subscription and purchase, and the last event of each. */
export async function explainAccess(bench: Bench, customer: string): Promise<string[]> {
  const { stage } = bench;
  const list = await listAll<Holding>(stage, path`/customers/${customer}/subscriptions`);
  if ("refused" in list) return [`There is no customer ${JSON.stringify(customer)}`];
  const told = latest(list.items.map((one) => tellSubscription(bench, one)), "subscription");
  const bought = await readAll<Holding>(stage, path`/customers/${customer}/purchases`);
  const once = latest(
    bought.map((one) => `The purchase ${one.id} is ${words(one.status)}`),
    "purchase",
  );
  const last = bench.seen.findLast(({ fields }) => concerns(fields, customer));
  const event = last ? [`The last event: ${tellEvent(bench, last)}`] : [];
  const all = [...told, ...once];
  return [...all.length > 0 ? all : [`${customer} has bought nothing`], ...event];
}

/** Where a subscription stands, in one sentence. */
export function tellSubscription(bench: Bench, one: { readonly [key: string]: Json }): string {
  const { id, status, gives_access, auto_renewal_status } = one;
  const end = one.ends_at ?? one.current_period_ends_at;
  const name = [...bench.made].find(([, { id: own }]) => own === id)?.[0];
  const who = name === undefined ? `The subscription ${id}` : `The subscription ${name} (${id})`;
  const until = typeof end === "number"
    ? status === "expired" ? ` since ${isoMoment(end)}` : ` until ${isoMoment(end)}`
    : "";
  return `${who} is ${words(status)}${until}, ${words(auto_renewal_status)}, and gives ${
    gives_access === true ? "access" : "no access"
  }`;
}

/** Whether an event is about a customer. */
function concerns(fields: Json, customer: string): boolean {
  const ids = [
    "app_user_id",
    "original_app_user_id",
    "aliases",
    "transferred_from",
    "transferred_to",
  ];
  return ids.some((name) => {
    const value = fieldOf(fields, name);
    return Array.isArray(value) ? value.includes(customer) : value === customer;
  });
}

function words(value: Json | undefined): string {
  return String(value ?? "unknown").replaceAll("_", " ");
}
