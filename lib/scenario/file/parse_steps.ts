/**
 * Reading the steps of a scenario.
 *
 * @module
 */

import type { Deed } from "../deeds/deed.ts";
import { DEEDS } from "../deeds/mod.ts";
import { EXPECTATIONS } from "./expectations.ts";
import { checkWords, complain, moment, period, readFields, type Scope } from "../values/kinds.ts";
import { checkExpected } from "./match.ts";
import { didYouMean } from "../../spelling.ts";
import type { Action, Check, Step } from "./scenario.ts";
import { entryOf, type Json, kindOf, type MapNode, type Node, plain } from "../values/tree.ts";

/** The most steps of a scenario. */
const MOST_STEPS = 1000;

/** Reads the steps. */
export function readSteps(node: Node | undefined, root: MapNode, scope: Scope): Step[] {
  if (node?.kind !== "list" || node.items.length === 0) {
    const what = node ? `"steps" is a list, not ${kindOf(node)}` : 'the scenario has no "steps"';
    complain(scope, node?.at ?? root.at, node?.kind === "list" ? '"steps" is empty' : what);
    return [];
  }
  if (node.items.length > MOST_STEPS) {
    complain(scope, node.at, `"steps" has ${node.items.length} items; ${MOST_STEPS} are allowed`);
    return [];
  }
  return node.items.flatMap((item, i) => readStep(item, i + 1, scope) ?? []);
}

/** Everything that a step can begin with. */
const ACTIONS: readonly string[] = [...Object.keys(DEEDS), "advance", "to"];

function readStep(node: Node, number: number, scope: Scope): Step | undefined {
  if (node.kind !== "map") {
    const word = node.kind === "scalar" && ACTIONS.includes(node.text) ? node.text : "cancel: s";
    const hint = word.includes(":") ? `Write a step such as - ${word}` : `Write - ${word}:`;
    return complain(scope, node.at, `step ${number} is a map, not ${kindOf(node)}`, hint);
  }
  const known = [...ACTIONS, "as", "expect"];
  for (const { key, at } of node.entries) {
    if (known.includes(key)) continue;
    complain(
      scope,
      at,
      `there is no action ${JSON.stringify(key)}${didYouMean(key, known)}`,
      "See all actions with: cli scenario schema",
    );
  }
  const actions = node.entries.filter(({ key }) => ACTIONS.includes(key));
  const [first, second] = actions;
  if (second) {
    complain(
      scope,
      second.at,
      `step ${number} has two actions, ${first?.key} and ${second.key}`,
      "Write two steps.",
    );
  }
  const action = first && readAction(first.key, first.value, node, scope);
  const { checks, refused } = readExpect(entryOf(node, "expect")?.value, scope);
  if (
    !first && node.entries.every(({ key }) => known.includes(key)) && checks.length === 0 &&
    !refused
  ) {
    complain(scope, node.at, `step ${number} does nothing and expects nothing`);
  }
  if (refused && !first) {
    complain(scope, refused.at, '"refused" needs an action in the same step');
  }
  return { at: node.at, number, title: titleOf(first?.key, first?.value), action, refused, checks };
}

/** Reads what a step does. */
function readAction(
  name: string,
  value: Node,
  step: MapNode,
  scope: Scope,
): Action | undefined {
  if (name === "advance") {
    const by = period.read(value, scope);
    return typeof by === "string" ? { by } : undefined;
  }
  if (name === "to") {
    const to = moment.read(value, scope);
    return typeof to === "number" ? { to } : undefined;
  }
  const deed = DEEDS[name];
  if (!deed) return undefined;
  checkHeld(name, deed, step, scope);
  const values = readDeed(name, deed, value, scope);
  return { deed: name, values, as: readName(step, name, deed, values, scope) };
}

/** Makes sure that events wait at a step which needs that, or do not wait. */
function checkHeld(name: string, { when }: Deed, step: MapNode, scope: Scope): void {
  const at = entryOf(step, name)?.at ?? step.at;
  if (when === "held" && !scope.held) {
    complain(scope, at, `no step above holds events that "${name}" could deliver`);
  } else if (when === "not held" && scope.held) {
    const next = "Deliver the events first: - release:";
    complain(scope, at, `"${name}" cannot come while a step above holds the events`, next);
  }
  if (name === "hold") scope.held = true;
  if (name === "release") scope.held = false;
}

/** Reads the fields of a deed. */
function readDeed(name: string, deed: Deed, value: Node, scope: Scope): Record<string, Json> {
  const { short, fields, choice } = deed;
  const [only] = short === undefined ? [] : [fields[short]];
  let values: Record<string, Json>;
  const isShort = value.kind === "list" || value.kind === "scalar" && value.value !== null;
  if (isShort && only && short !== undefined) {
    const read = only.kind.read(value, scope);
    values = read === undefined ? {} : { [short]: read };
  } else if (value.kind === "scalar" && value.value === null && Object.keys(fields).length === 0) {
    values = {};
  } else values = readFields(value, fields, scope, `"${name}"`);
  const given = choice?.of.filter((field) => values[field] !== undefined) ?? [];
  if (choice && given.length > 1) {
    complain(scope, value.at, `"${name}" takes ${choice.of.join(" or ")}, not both`);
  } else if (choice?.required && given.length === 0 && !mentions(value, choice.of)) {
    complain(scope, value.at, `"${name}" needs ${choice.of.join(" or ")}`);
  }
  return values;
}

function mentions(node: Node, keys: readonly string[]): boolean {
  return keys.some((key) => entryOf(node, key) !== undefined);
}

/** Reads the name of what a step makes. */
function readName(
  step: MapNode,
  deed: string,
  { makes }: Deed,
  values: Readonly<Record<string, Json>>,
  scope: Scope,
): string | undefined {
  const entry = entryOf(step, "as");
  if (!entry) return undefined;
  const name = plain(entry.value);
  if (!makes) return complain(scope, entry.at, `"${deed}" makes nothing that "as" could name`);
  if (typeof name !== "string" || !/^[a-z][a-z0-9_]{0,39}$/.test(name)) {
    const rule = "a name has lower-case letters, digits and underscores";
    return complain(scope, entry.value.at, `${kindOf(entry.value)} is not a name: ${rule}`);
  }
  if (scope.names.has(name)) {
    return complain(scope, entry.value.at, `a step above already made ${JSON.stringify(name)}`);
  }
  const { product } = values;
  const once = typeof product === "string" && scope.once?.includes(product);
  scope.names.set(name, once ? "purchase" : scope.once && makes);
  return name;
}

/** Reads what is expected after a step. */
function readExpect(
  node: Node | undefined,
  scope: Scope,
): { checks: Check[]; refused: Node | undefined } {
  const checks: Check[] = [];
  let refused: Node | undefined;
  if (!node) return { checks, refused };
  if (node.kind !== "map") {
    complain(scope, node.at, `"expect" is a map, not ${kindOf(node)}`);
    return { checks, refused };
  }
  const known = [...Object.keys(EXPECTATIONS), "refused"];
  checkWords(node, known, scope, '"expect"');
  for (const { key, at, value } of node.entries) {
    if (key === "refused") {
      refused = readRefused(value, scope);
      continue;
    }
    const expectation = Object.hasOwn(EXPECTATIONS, key) ? EXPECTATIONS[key] : undefined;
    expectation?.check(value, scope);
    if (expectation) checks.push({ kind: key, at, node: value });
  }
  return { checks, refused };
}

/** Reads the expected refusal. `false` expects none. */
function readRefused(node: Node, scope: Scope): Node | undefined {
  if (node.kind === "map") checkExpected(node, scope);
  else if (node.kind === "list" || typeof node.value !== "boolean") {
    complain(scope, node.at, `"refused" is true, false or a map, not ${kindOf(node)}`);
  } else if (!node.value) return undefined;
  return node;
}

/** What a step is, for people. */
function titleOf(name: string | undefined, value: Node | undefined): string {
  if (name === undefined || !value) return "expect";
  if (value.kind === "scalar") return value.value === null ? name : `${name} ${value.text}`;
  if (value.kind === "list") return name;
  const told = value.entries.filter(({ value }) => value.kind === "scalar").slice(0, 2);
  const words = told.map(({ value }) => value.kind === "scalar" ? value.text : "");
  return [name, ...words].join(" ");
}
