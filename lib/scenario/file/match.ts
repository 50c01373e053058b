/**
 * Matching what happened with what was expected. Maps are checked in the fields that they mention;
 * everything else is exact, unless a matcher says how.
 *
 * @module
 */

import { complain, complainOfVariable, type Scope } from "../values/kinds.ts";
import { closest, didYouMean } from "../../spelling.ts";
import type { Searcher } from "./regular.ts";
import {
  isVariable,
  onlyReference,
  referencesIn,
  replaceReferences,
  withVariables,
} from "../values/references.ts";
import { readMoment } from "../values/times.ts";
import {
  type Json,
  kindOf,
  type Node,
  type Position,
  type Route,
  type ScalarNode,
} from "../values/tree.ts";

/** Something that was expected and is otherwise. */
export interface Difference extends Position {
  /** The keys and indexes that lead to the expectation in the file. */
  readonly route: Route;
  /** Where in the answer: `price`, `items.0.status`. Empty for the whole. */
  readonly where: string;
  /** What was expected, for people. */
  readonly expected: Json;
  /** What is there; undefined where there is nothing. */
  readonly actual: Json | undefined;
  /** The field that was probably meant, where there is none of the name. */
  readonly meant?: string | undefined;
  /** Whether the expectation is an exact value, which can be replaced. */
  readonly exact: boolean;
}

/** What matchers need to know. */
export interface MatchContext {
  /** The value of `${s.field}`; undefined where there is none. */
  value(reference: string): Json | undefined;
  /** The values of `${NAME}`. */
  readonly vars: Readonly<Record<string, string>>;
  /** The time zone of moments without one. */
  readonly zone: string;
  /** What searches with regular expressions. */
  readonly searcher: Searcher;
}

/** A way to match, by the key that asks for it. */
interface Matcher {
  /** What it does, for editors. */
  brief: string;
  /** Its argument as JSON schema. */
  schema: Record<string, unknown>;
  /** Why an argument is wrong; undefined when it is right. */
  check(argument: Node, scope: Scope): string | undefined;
  /** Whether a value matches. */
  accepts(actual: Json | undefined, argument: Node, context: MatchContext, all: Node): boolean;
}

/** The ways to match. */
const MATCHERS: Readonly<Record<string, Matcher>> = {
  contains: {
    brief: "A text with this in it, or a list with all of these in it",
    schema: {},
    check: () => undefined,
    accepts: contains,
  },
  matches: {
    brief: "A text that matches this regular expression",
    schema: { type: "string" },
    check(argument, { searcher }) {
      if (argument.kind !== "scalar") return "a regular expression is a text";
      return searcher.problem(argument.text);
    },
    accepts: (actual, argument, { searcher }) =>
      actual !== undefined && argument.kind === "scalar" &&
      searcher.finds(argument.text, typeof actual === "string" ? actual : JSON.stringify(actual)),
  },
  near: {
    brief: "A number near this one; within says how near (default: 0.005)",
    schema: { type: "number" },
    check: needsNumber,
    accepts(actual, argument, _context, all) {
      const wanted = numberIn(argument);
      const within = all.kind === "map"
        ? all.entries.find(({ key }) => key === "within")?.value
        : undefined;
      const most = within ? numberIn(within) : 0.005;
      if (typeof actual !== "number") return false;
      // The difference of two decimals is as inexact as the larger one.
      const inexact = Number.EPSILON * 8 * Math.max(1, Math.abs(actual), Math.abs(wanted));
      return Math.abs(actual - wanted) <= most + inexact;
    },
  },
  absent: {
    brief: "true: the field is not there, or null",
    schema: { type: "boolean" },
    check: (argument) =>
      argument.kind === "scalar" && typeof argument.value === "boolean"
        ? undefined
        : '"absent" takes true or false',
    accepts: (actual, argument) =>
      (actual === undefined || actual === null) ===
        (argument.kind === "scalar" && argument.value === true),
  },
  one_of: {
    brief: "One of these values",
    schema: { type: "array" },
    check: (argument) => argument.kind === "list" ? undefined : '"one_of" takes a list',
    accepts: (actual, argument, context) =>
      argument.kind === "list" && argument.items.some((item) => same(actual, item, context)),
  },
};

/** The JSON schema of an expected value. */
export const EXPECTED_SCHEMA: Readonly<Record<string, unknown>> = {
  description: "A value; or a map with contains, matches, near, absent or one_of",
};

/** The key of a map's matcher, if the map is one. */
export function matcherIn(node: Node): string | undefined {
  if (node.kind !== "map") return undefined;
  const keys = node.entries.map(({ key }) => key);
  const found = keys.find((key) => Object.hasOwn(MATCHERS, key));
  const rest = keys.filter((key) => key !== found && key !== "within");
  return found !== undefined && rest.length === 0 ? found : undefined;
}

/** Checks the matchers and variables of an expected value when its file is read. */
export function checkExpected(node: Node, scope: Scope): void {
  if (node.kind === "scalar") return checkReferences(node, scope);
  if (node.kind === "list") return node.items.forEach((item) => checkExpected(item, scope));
  const name = matcherIn(node);
  const matcher = name === undefined ? undefined : MATCHERS[name];
  for (const { key, at, value } of node.entries) {
    if (matcher && key === name) {
      const why = matcher.check(value, scope);
      if (why !== undefined) complain(scope, value.at, why);
    } else if (matcher && key === "within") {
      const why = name === "near" ? needsNumber(value) : `"within" goes with near, not ${name}`;
      if (why !== undefined) complain(scope, at, why);
    } else checkExpected(value, scope);
  }
}

/** Checks the variables of a text, and the names in it. They are replaced when the story runs. */
export function checkReferences(node: ScalarNode, scope: Scope): void {
  for (const name of referencesIn(node.text)) {
    if (isVariable(name)) {
      if (scope.vars[name] === undefined) complainOfVariable(name, node.at, scope);
      continue;
    }
    const [head = "", field] = name.split(".");
    if (field === undefined) {
      complain(scope, node.at, `\${${name}} names no field`, `Write \${${name}.id}.`);
    } else if (!scope.names.has(head)) {
      const like = didYouMean(head, [...scope.names.keys()]);
      complain(scope, node.at, `no step above makes ${JSON.stringify(head)}${like}`);
    }
  }
}

function needsNumber(node: Node): string | undefined {
  return Number.isNaN(numberIn(node)) ? `a number is needed here, not ${kindOf(node)}` : undefined;
}

function numberIn(node: Node): number {
  return node.kind === "scalar" && typeof node.value === "number" ? node.value : NaN;
}

/** Everything in which a value differs from what was expected. */
export function differences(
  actual: Json | undefined,
  expected: Node,
  context: MatchContext,
  where = "",
): Difference[] {
  const name = matcherIn(expected);
  const matcher = name === undefined ? undefined : MATCHERS[name];
  const differs = (exact: boolean): Difference => ({
    ...expected.at,
    route: expected.route,
    where,
    expected: shown(expected, context),
    actual,
    exact,
  });
  if (matcher && expected.kind === "map") {
    const argument = expected.entries.find(({ key }) => key === name)?.value;
    const ok = argument && matcher.accepts(actual, argument, context, expected);
    return ok ? [] : [differs(false)];
  }
  if (expected.kind === "scalar") return same(actual, expected, context) ? [] : [differs(true)];
  if (expected.kind === "list") {
    if (!Array.isArray(actual) || actual.length !== expected.items.length) return [differs(true)];
    const list: readonly Json[] = actual;
    return expected.items.flatMap((item, i) =>
      differences(list[i], item, context, fieldPath(where, String(i)))
    );
  }
  if (!isMap(actual)) return [differs(true)];
  return expected.entries.flatMap(({ key: written, value }) => {
    const key = withVariables(written, context.vars);
    const inside = fieldPath(where, key);
    if (Object.hasOwn(actual, key)) return differences(actual[key], value, context, inside);
    const [meant] = closest(key, Object.keys(actual));
    return differences(undefined, value, context, inside).map((one) => ({ ...one, meant }));
  });
}

/** Whether a value is as expected. */
function same(actual: Json | undefined, expected: Node, context: MatchContext): boolean {
  if (expected.kind !== "scalar") return differences(actual, expected, context).length === 0;
  const wanted = resolved(expected, context);
  if (actual === wanted) return true;
  // A variable is text, whatever it stands for.
  if (wanted !== expected.value && valueOfText(wanted) === actual) return true;
  // The wire has moments as milliseconds; a file may have them as people write them.
  if (typeof wanted === "string" && typeof actual === "number") {
    return readMoment(wanted, context.zone) === actual;
  }
  return typeof wanted === "number" && typeof actual === "string" && expected.text === actual;
}

/** A number or truth value that is written as text. */
function valueOfText(text: Json): Json | undefined {
  if (text === "true" || text === "false") return text === "true";
  return typeof text === "string" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function contains(actual: Json | undefined, argument: Node, context: MatchContext): boolean {
  if (typeof actual === "string") {
    return argument.kind === "scalar" && actual.includes(String(resolved(argument, context)));
  }
  if (!Array.isArray(actual)) return false;
  const wanted = argument.kind === "list" ? argument.items : [argument];
  return wanted.every((one) => actual.some((item) => same(item, one, context)));
}

/** A scalar with its variables and references filled in. */
function resolved(node: Node, { vars, value }: MatchContext): Json {
  if (node.kind !== "scalar") return null;
  const whole = onlyReference(node.text);
  if (whole !== undefined && whole.includes(".")) return value(whole) ?? null;
  if (typeof node.value !== "string" || !node.value.includes("${")) return node.value;
  return replaceReferences(
    node.value,
    (name) => String(name.includes(".") ? value(name) ?? "" : vars[name] ?? ""),
  );
}

/** An expected value for people. */
function shown(node: Node, context: MatchContext): Json {
  if (node.kind === "scalar") return resolved(node, context);
  if (node.kind === "list") return node.items.map((item) => shown(item, context));
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, shown(value, context)]));
}

function isMap(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldPath(where: string, key: string): string {
  return where === "" ? key : `${where}.${key}`;
}
