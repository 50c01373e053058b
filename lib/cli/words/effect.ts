/**
 * The effects of commands: some only read, the others write. A command that is not listed counts as
 * one that writes.
 *
 * @module
 */

import { argumentsIn, type FoundEntry, isGroup } from "./find_entry.ts";

/** Whether a command reads or writes. */
export type Effect = "reads" | "writes";

/** Last words of commands that read. */
const READING = new Set([
  "list",
  "view",
  "info",
  "search",
  "status",
  "overview",
  "get",
  "options",
  "preview",
  "products",
  "transactions",
  "entitlements",
  "invoices",
  "deliveries",
  "attempts",
  "types",
]);

/** Other commands that read. */
const READING_COMMANDS = new Set([
  "doctor",
  "version",
  "completion",
  "apps public-keys",
  "apps storekit-config",
  "clock show",
  "subscriptions management-url",
  "invoices file",
  "auth doctor",
  "events listeners secret",
  "simulate events",
  "simulate event",
]);

/** Whether a command only reads. */
export function isReading(names: readonly string[]): boolean {
  return READING_COMMANDS.has(names.join(" ")) ||
    (names.length > 1 && READING.has(names.at(-1) ?? ""));
}

/** Whether a command line only reads. For cli api, that depends on the method. */
export function readsOnly({ names, entry, rest }: FoundEntry): boolean {
  if (names.join(" ") !== "api" || isGroup(entry)) return isReading(names);
  return argumentsIn(entry, rest)[0]?.toUpperCase() === "GET";
}

/** The effect of a command. */
export function effectOf(names: readonly string[]): Effect {
  return isReading(names) ? "reads" : "writes";
}
