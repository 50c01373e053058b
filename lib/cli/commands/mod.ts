/**
 * The tree of commands on one page. A group's file is loaded only when its command runs.
 *
 * @module
 */

import type { Command, Group } from "../words/command.ts";

/** A group or a single command at the top of the tree. */
interface Entry {
  /** The word that names it. */
  readonly name: string;
  /** Other words for it. */
  readonly aliases: readonly string[];
  /** Loads it. */
  load(): Promise<Group | Command>;
  /** Loads some of a group's commands alone, by name: those that must start quickly. */
  readonly quick: ReadonlyMap<string, () => Promise<Command>>;
}

/** Everything at the top of the tree, in the order of the help text. */
export const TREE: readonly Entry[] = [
  entry("auth", [], async () => (await import("./auth.ts")).auth),
  entry("init", [], async () => (await import("./init.ts")).init),
  entry("projects", ["proj"], async () => (await import("./projects.ts")).projects),
  entry("apps", [], async () => (await import("./apps.ts")).apps),
  entry("products", ["prod"], async () => (await import("./products.ts")).products),
  entry("entitlements", ["ent"], async () => (await import("./entitlements.ts")).entitlements),
  entry("offerings", ["offer"], async () => (await import("./offerings.ts")).offerings),
  entry("packages", ["pkg"], async () => (await import("./packages.ts")).packages),
  entry("paywalls", [], async () => (await import("./paywalls.ts")).paywalls),
  entry("publish", [], async () => (await import("./publish.ts")).publish),
  entry("subscribers", ["customers", "subs"], async () => {
    return (await import("./subscribers.ts")).subscribers;
  }),
  entry("subscriptions", ["sub"], async () => {
    return (await import("./subscriptions.ts")).subscriptions;
  }),
  entry("purchases", ["purchase"], async () => (await import("./purchases.ts")).purchases),
  entry("invoices", [], async () => (await import("./invoices.ts")).invoices),
  entry("virtual-currencies", ["vc"], async () => {
    return (await import("./virtual_currencies.ts")).virtualCurrencies;
  }),
  entry("webhooks", [], async () => (await import("./webhooks.ts")).webhooks),
  entry("events", [], async () => (await import("./events.ts")).events),
  entry("metrics", [], async () => (await import("./metrics.ts")).metrics),
  entry("charts", [], async () => (await import("./charts.ts")).charts),
  entry("collaborators", ["members"], async () => {
    return (await import("./collaborators.ts")).collaborators;
  }),
  entry("audit-logs", ["audit"], async () => (await import("./audit_logs.ts")).auditLogs),
  entry("service", [], async () => (await import("./service.ts")).service, {
    start: async () => (await import("./service/start.ts")).start,
  }),
  entry("simulate", [], async () => (await import("./simulate.ts")).simulate),
  entry("clock", [], async () => (await import("./clock.ts")).clock),
  entry("scenario", ["scenarios"], async () => (await import("./scenario.ts")).scenario),
  entry("api", [], async () => (await import("./api.ts")).api),
  entry("alias", [], async () => (await import("./alias.ts")).alias),
  entry("commands", [], async () => (await import("./commands.ts")).commands),
  entry("completion", [], async () => (await import("./completion.ts")).completion),
  entry("verify", [], async () => (await import("./verify.ts")).verify),
  entry("doctor", [], async () => (await import("./doctor.ts")).doctor),
  entry("version", [], async () => (await import("./version.ts")).version),
];

/** Whether a word names something at the top of the tree, or asks for help. */
export function isAtTop(word: string): boolean {
  return word === "help" || TREE.some((one) => one.name === word || one.aliases.includes(word));
}

/**
 * The root of the tree, with the one group of the words; with all groups for other words. A command
 * that can be loaded alone is the only one of its group.
 */
export async function loadFor(words: readonly string[]): Promise<Group> {
  const [first = "", second = ""] = words;
  const meant = TREE.find(({ name, aliases }) => name === first || aliases.includes(first));
  const loadAlone = meant?.quick.get(second);
  if (meant && loadAlone) {
    const { name, aliases } = meant;
    const only: Group = { brief: "", aliases, commands: { [second]: await loadAlone() } };
    return { ...ROOT, commands: { [name]: only } };
  }
  const loaded = await Promise.all(
    (meant ? [meant] : TREE).map(async ({ name, load }) => [name, await load()]),
  );
  return { ...ROOT, commands: Object.fromEntries(loaded) };
}

const ROOT = {
  brief: "Manage app subscriptions: catalogue, customers, purchases and reports",
  aliases: [],
  examples: [
    "cli offerings list",
    "cli offerings set-current winter_sale",
    "cli products list --output json",
    "cli help packages attach",
  ],
};

function entry(
  name: string,
  aliases: readonly string[],
  load: () => Promise<Group | Command>,
  quick: Readonly<Record<string, () => Promise<Command>>> = {},
): Entry {
  return { name, aliases, load, quick: new Map(Object.entries(quick)) };
}
