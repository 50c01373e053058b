/**
 * The abilities and rules of each store.
 *
 * @module
 */

import { DAY_MS, parseDuration } from "./calendar.ts";
import { sha256Of } from "./sha256.ts";

/** An ability that only some stores have. */
export type StoreAbility =
  | "uncancel"
  | "pause"
  | "change_product"
  | "extend"
  | "reverse_refund"
  | "family_share"
  | "bring_currency"
  | "grant_temporarily";

const APPLE = ["app_store", "mac_app_store"];

/** The stores with each ability. The test store has all of them. */
const ABLE: Readonly<Record<StoreAbility, readonly string[]>> = {
  uncancel: [...APPLE, "play_store", "amazon", "roku", "svc_billing"],
  pause: ["play_store"],
  change_product: [...APPLE, "play_store", "stripe"],
  extend: [...APPLE, "play_store", "amazon", "stripe"],
  reverse_refund: APPLE,
  family_share: APPLE,
  bring_currency: [...APPLE, "play_store", "stripe", "svc_billing"],
  grant_temporarily: [...APPLE, "play_store"],
};

/** Whether all subscriptions of an app are one group, of which a customer has one at a time. */
export function oneGroupPerApp(store: string): boolean {
  return APPLE.includes(store);
}

/** Whether a store can do something. */
export function isAble(store: string, ability: StoreAbility): boolean {
  return store === "test_store" || ABLE[ability].includes(store);
}

/** The stores whose payments the API can refund. For the others only the store itself can. */
export function refundsByApi(store: string): boolean {
  return ["play_store", "svc_billing", "test_store"].includes(store);
}

/** A store's page to manage subscriptions, or null if it has none. */
export function managementUrl(store: string, id: string): string | null {
  const pages: Record<string, string> = {
    app_store: "https://apps.apple.com/account/subscriptions",
    mac_app_store: "https://apps.apple.com/account/subscriptions",
    play_store: "https://play.google.com/store/account/subscriptions",
    amazon: "https://www.amazon.com/yourmembershipsandsubscriptions",
    roku: "https://my.roku.com/account/subscriptions",
    // Gap: the portal of web billing has no public address. This one is reserved and never resolves.
    svc_billing: `https://billing.invalid/manage/${id}`,
  };
  return pages[store] ?? null;
}

/** The platform of a store's customers, as chart filters name it. */
export function platformOf(store: string): string {
  const platforms: Record<string, string> = {
    app_store: "iOS",
    mac_app_store: "macOS",
    play_store: "Android",
    amazon: "Android",
    roku: "Roku",
    stripe: "Web",
    svc_billing: "Web",
    paddle: "Web",
  };
  return platforms[store] ?? "Other";
}

/** The same platform as an app reports it of a customer: Android's and the web's are in small letters. */
export function reportedPlatform(store: string): string {
  const platform = platformOf(store);
  return platform === "Android" || platform === "Web" ? platform.toLowerCase() : platform;
}

/** How often a subscription of the test store renews before it ends. */
export const MOST_RENEWALS_IN_TEST_STORE = 5;

/** Whether a store renews a subscription again after this many renewals. */
export function renewsAgain(store: string, renewals: number): boolean {
  return store !== "test_store" || renewals < MOST_RENEWALS_IN_TEST_STORE;
}

/** The real length of a product's period in a store. The test store's periods are shorter. */
export function periodIn(store: string, duration: string): string {
  if (store !== "test_store") return duration;
  const { months } = parseDuration(duration);
  if (months >= 12) return "PT60M";
  if (months >= 6) return "PT30M";
  if (months >= 3) return "PT15M";
  if (months >= 2) return "PT10M";
  return "PT5M";
}

/**
 * The store's transaction id. The same subscription, number and moment give the same id, so that a
 * replay repeats it. `at` is when the paid period starts, in milliseconds; `original` is the id of the
 * first transaction, if there is one.
 */
export function transactionId(
  owner: { project_id: string; id: string; store: string },
  { number, at, original }: { number: number; at: number; original?: string },
): string {
  const { store } = owner;
  if (store === "play_store" && original !== undefined) return `${original}..${number - 2}`;
  const hex = sha256Of(`${owner.project_id}/${owner.id}/${number}`);
  const digits = (from: number, count: number) =>
    BigInt(`0x${hex.slice(from, from + 16)}`).toString().padStart(count, "0").slice(-count);
  if (store === "app_store" || store === "mac_app_store") return digits(0, 18);
  if (store === "play_store") {
    return `GPA.${digits(0, 4)}-${digits(16, 4)}-${digits(32, 4)}-${digits(40, 5)}`;
  }
  const prefixes: Record<string, string> = {
    stripe: "in_",
    svc_billing: "txn_",
    paddle: "txn_",
    promotional: "promo_",
    test_store: "test_",
  };
  return (prefixes[store] ?? `${store}_`) + dayDigits(at) + hex.slice(4, 20);
}

/** A UUID for an event, derived from a text. It begins with the event's day. */
export function derivedUuid(text: string, at: number): string {
  const hex = datedHex(text, at, 32);
  const variant = (8 + Number(`0x${hex[16]}`) % 4).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    // Version 8 marks a UUID with custom contents.
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

/** Hexadecimal digits derived from a text. */
export function derivedHex(text: string, length: number): string {
  return sha256Of(text).slice(0, length);
}

/**
 * Hexadecimal digits derived from a text. The first four count the days until `at`, a moment in
 * milliseconds: ids of one day then lie together in their index, and a commit writes fewer pages.
 */
export function datedHex(text: string, at: number, length: number): string {
  return dayDigits(at) + sha256Of(text).slice(4, length);
}

/** Four hexadecimal digits. They begin anew in the year 2149, which only costs speed. */
function dayDigits(at: number): string {
  return Math.floor(Math.max(0, at) / DAY_MS).toString(16).padStart(4, "0").slice(-4);
}
