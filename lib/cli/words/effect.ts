/**
 * What commands do to the world: some read, the others change something. A command that nobody has
 * looked at counts as one that changes something.
 *
 * @module
 */

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

/** Other commands that read, as a whole. */
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

/** Whether a command, given by its names, only reads. */
export function isReading(names: readonly string[]): boolean {
  return READING_COMMANDS.has(names.join(" ")) ||
    (names.length > 1 && READING.has(names.at(-1) ?? ""));
}

/** What a command does. */
export function effectOf(names: readonly string[]): Effect {
  return isReading(names) ? "reads" : "writes";
}
