/**
 * Suggestions for unknown words.
 *
 * @module
 */

import { closest } from "../../spelling.ts";
import { findEntry, isGroup } from "./find_entry.ts";
import type { Group } from "./tree.ts";

/** Verbs of other programs for ours. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  get: ["view", "info", "show"],
  show: ["view", "info"],
  view: ["info", "show"],
  describe: ["view", "info", "show"],
  details: ["view", "info"],
  info: ["view", "show"],
  ls: ["list"],
  all: ["list"],
  add: ["create"],
  new: ["create"],
  edit: ["update"],
  set: ["update"],
  modify: ["update"],
  rm: ["delete"],
  remove: ["delete"],
  destroy: ["delete"],
  find: ["search"],
  restore: ["unarchive"],
  stop: ["freeze"],
  pause: ["freeze"],
  start: ["run"],
  resume: ["run"],
};

/** Whole commands of other programs, and likely misplacements of our own. */
const COMMANDS: Readonly<Record<string, string>> = {
  login: "auth login",
  signin: "auth login",
  logout: "auth logout",
  signout: "auth logout",
  whoami: "auth status",
  start: "service start",
  serve: "service start",
  listen: "events listen",
  trigger: "events trigger",
  status: "auth status",
  members: "collaborators list",
  "invoices list": "subscribers invoices",
  "subscriptions list": "subscribers info",
  "purchases list": "subscribers info",
  "entitlements grant": "subscribers grant",
  "entitlements revoke": "subscribers revoke",
  "offerings publish": "publish offering",
  "offerings current": "offerings set-current",
  "paywalls publish": "publish offering",
  "paywalls update": "publish offering",
  "projects use": "init",
  "auth switch": "auth use",
  "auth whoami": "auth status",
  "auth show": "auth status",
  "auth remove": "auth logout",
  "charts list": "charts get",
  "clock set": "clock advance",
  "metrics list": "metrics overview",
};

/** Verbs that are not suggested because of a few common letters. */
const FOR_GOOD = new Set(["delete", "refund", "revoke", "transfer", "cancel", "archive", "reset"]);

/** Commands that a word in a group may mean, likeliest first. */
export function meantBy(root: Group, names: readonly string[], word: string): string[] {
  const typed = [...names, word].join(" ").toLowerCase();
  const known = COMMANDS[typed];
  if (known !== undefined) return [known];
  const { entry } = findEntry(root, names);
  const here = isGroup(entry) ? entry.commands : {};
  const verb = VERBS[word.toLowerCase()]?.find((one) => one in here);
  if (verb !== undefined) return [[...names, verb].join(" ")];
  // Almost every word of three letters is similar to a short alias.
  const called = Object.entries(here).flatMap(([name, one]) =>
    [name, ...isGroup(one) ? one.aliases.filter(({ length }) => length > 3) : []]
      .map((alias) => [alias, name] as const)
  );
  const meant = likely(word.toLowerCase(), called.map(([alias]) => alias))
    .map((alias) => called.find(([other]) => other === alias)?.[1] ?? alias)
    .filter((one) => !FOR_GOOD.has(one) || one.slice(0, 2) === word.slice(0, 2).toLowerCase());
  return [...new Set(meant)].map((one) => [...names, one].join(" "));
}

/** Flags that lower a protection begin so. No other word is taken for one. */
const LOOSENING = "allow-";

/** The flag that an unknown one may mean. */
export function likelyFlag(word: string, known: readonly string[]): string | undefined {
  const isMeant = word.startsWith(LOOSENING.slice(0, -1));
  return likely(word, known.filter((one) => isMeant || !one.startsWith(LOOSENING)))[0];
}

/** Known words that begin with a word, or else have a similar spelling. */
function likely(word: string, known: readonly string[]): string[] {
  const longer = word.length > 2 ? known.filter((one) => one.startsWith(word)) : [];
  return longer.length > 0 ? longer : closest(word, known);
}
