/**
 * What can be expected after a step, and how it is written.
 *
 * @module
 */

import { EVENT_FIELDS } from "../../event_fields.ts";
import { SENT_EVENT_TYPES } from "../../event_types.ts";
import {
  anything,
  complain,
  customer,
  type Field,
  type Kind,
  mapOf,
  moment,
  oneOf,
  readFields,
  schemaOf,
  type Scope,
  text,
  truth,
  whole,
} from "../values/kinds.ts";
import { sold } from "../values/names.ts";
import { checkExpected, checkReferences, EXPECTED_SCHEMA } from "./match.ts";
import { madeFields, metricsKind } from "./resource_fields.ts";
import { referencesIn, withVariables } from "../values/references.ts";
import { didYouMean } from "../../spelling.ts";
import { type Entry, entryOf, kindOf, type Node, type ScalarNode } from "../values/tree.ts";

/** Something that can be expected. */
interface Expectation {
  /** What it is, for editors. */
  readonly brief: string;
  /** How it is written, as JSON schema. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Checks how it is written. What is wrong is among the problems. */
  check(node: Node, scope: Scope): void;
}

const value: Kind = {
  what: "a value",
  schema: EXPECTED_SCHEMA,
  read(node, scope) {
    checkExpected(node, scope);
    return null;
  },
};

const ACCESS = mapOf(customer, accessKind(), "a map of customers to lists of entitlements");

const PAST: Readonly<Record<string, Field>> = {
  at: { brief: "The moment", kind: moment, required: true },
  access: { brief: "The entitlements of customers then", kind: ACCESS, required: true },
};

const CHART: Readonly<Record<string, Field>> = {
  name: { brief: "The chart's name", kind: text(100), required: true },
  query: { brief: "Its query", kind: mapOf(text(100), anything, "a map of parameters") },
  answer: { brief: "What the answer has", kind: value, required: true },
};

/** The longest that a handler may take to get there, in seconds. */
const LONGEST_WAIT_S = 600;

/** The fields of a request to the program under test. */
const HANDLER: Readonly<Record<string, Field>> = {
  get: { brief: "The address that is asked", kind: template(2000), required: true },
  method: { brief: "The method (default: GET)", kind: oneOf("GET", "POST") },
  headers: {
    brief: "Headers of the request",
    kind: mapOf(text(100), template(4000), "a map of names to values"),
  },
  status: { brief: "The status of the answer (default: 200)", kind: whole(100, 599) },
  json: { brief: "What the answer has", kind: value },
  or_missing: { brief: "true: an answer 404 will do as well", kind: truth },
  within_s: {
    brief: "Seconds that it may take to get there (default: 5)",
    kind: whole(0, LONGEST_WAIT_S),
  },
};

/** Everything that can be expected. */
export const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
  events: events("All events since the last check, in order"),
  events_include: events("Some of the events since the last check, in order"),
  access: fromKind("The entitlements that customers have now", ACCESS),
  past: listOf("The entitlements that customers had", PAST, "an entry of past"),
  subscription: fromKind(
    "Fields of subscriptions, by the names that steps gave",
    madeFields(value, "subscription"),
  ),
  purchase: fromKind(
    "Fields of one-time purchases, by the names that steps gave",
    madeFields(value, "purchase", "subscription"),
  ),
  invoices: fromKind(
    "The invoices of customers, oldest first",
    mapOf(customer, value, "a map of customers to lists of invoices"),
  ),
  balances: fromKind(
    "What customers have of virtual currencies",
    mapOf(
      customer,
      mapOf(sold("coins", "the code of a virtual currency"), value, "a map of codes to amounts"),
      "a map of customers to balances",
    ),
  ),
  attributes: fromKind(
    "The attributes of customers",
    mapOf(customer, value, "a map of customers to attributes"),
  ),
  metrics: fromKind("Headline numbers", metricsKind(value, text(100))),
  charts: listOf("Answers of charts", CHART, "a chart"),
  handler: listOf("What the program under test answers", HANDLER, "a request"),
};

/** A text of at most so many characters, whose references are replaced when the story runs. */
function template(most: number): Kind {
  const { schema } = text(most);
  return {
    what: "a text",
    schema,
    read(node, scope) {
      if (node.kind !== "scalar" || node.value === null) {
        return complain(scope, node.at, `a text is needed here, not ${kindOf(node)}`);
      }
      checkReferences(node, scope);
      if (node.text.length <= most) return node.text;
      const length = node.text.length;
      return complain(scope, node.at, `the text has ${length} characters; ${most} are allowed`);
    },
  };
}

/** Whether an expectation is a list, of which one item may stand for itself. */
function listOf(
  brief: string,
  fields: Readonly<Record<string, Field>>,
  owner: string,
): Expectation {
  const schema = schemaOf(fields);
  return {
    brief,
    schema: { anyOf: [schema, { type: "array", items: schema }] },
    check(node, scope) {
      for (const item of itemsOf(node)) readFields(item, fields, scope, owner);
    },
  };
}

/** The items of a list, or the one that stands for itself. */
export function itemsOf(node: Node): readonly Node[] {
  return node.kind === "list" ? node.items : [node];
}

function fromKind(brief: string, kind: Kind): Expectation {
  return { brief, schema: kind.schema, check: (node, scope) => void kind.read(node, scope) };
}

/** A list of entitlements, or how it is matched. */
function accessKind(): Kind {
  const key = sold("entitlement", "the lookup key of an entitlement");
  const list = { type: "array", items: { type: "string" } };
  return {
    what: "a list of lookup keys",
    schema: { anyOf: [list, { type: "object" }] },
    read(node, scope) {
      if (node.kind === "list") return node.items.map((item) => key.read(item, scope) ?? null);
      if (node.kind === "map") return value.read(node, scope);
      const what = `a list of lookup keys is needed here, not ${kindOf(node)}`;
      return complain(scope, node.at, what, "Write [] for no access.");
    },
  };
}

/** A list of events: a type, or a map with the type and other fields. */
function events(brief: string): Expectation {
  const type = { anyOf: [{ enum: SENT_EVENT_TYPES }, { type: "string" }] };
  const map = { type: "object", required: ["type"], properties: { type } };
  return {
    brief,
    schema: { type: "array", items: { anyOf: [type, map] } },
    check(node, scope) {
      if (node.kind !== "list") {
        const what = `a list of events is needed here, not ${kindOf(node)}`;
        return void complain(scope, node.at, what, "Write [] for no events.");
      }
      for (const item of node.items) checkEvent(item, scope);
    },
  };
}

function checkEvent(item: Node, scope: Scope): void {
  if (item.kind === "scalar") {
    checkReferences(item, scope);
    return checkType(item, scope);
  }
  const type: Entry | undefined = entryOf(item, "type");
  if (type?.value.kind !== "scalar") {
    return void complain(scope, item.at, 'an event is a type, or a map with the field "type"');
  }
  checkType(type.value, scope);
  checkFields(item, scope);
  checkExpected(item, scope);
}

/** Without this check, the absence of a misspelled field would always hold. */
function checkFields(item: Node, scope: Scope): void {
  if (item.kind !== "map") return;
  for (const { key, at } of item.entries) {
    if (Object.hasOwn(EVENT_FIELDS, withVariables(key, scope.vars))) continue;
    const like = didYouMean(key, Object.keys(EVENT_FIELDS));
    complain(scope, at, `no event has the field ${JSON.stringify(key)}${like}`);
  }
}

function checkType(node: ScalarNode, scope: Scope): void {
  const type = withVariables(node.text, scope.vars);
  if (SENT_EVENT_TYPES.includes(type)) return;
  // Its references are checked as those of other texts.
  if (referencesIn(type).length > 0) return;
  const like = didYouMean(type, SENT_EVENT_TYPES);
  complain(scope, node.at, `there is no event of the type ${JSON.stringify(type)}${like}`);
}
