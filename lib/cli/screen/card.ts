/**
 * Cards: every field of an answer under its own name, so that people and scripts use the same
 * names.
 *
 * @module
 */

import { rawJson } from "../../client.ts";
import type { Context } from "../context.ts";
import type { Cell, Field } from "./output.ts";

/**
 * Shows one answer: a card, or the service's own JSON. `rows` is the name of the array with the
 * rows of a table, if the answer has several objects.
 */
export function showOne(context: Context, answer: object | null, rows?: string): void {
  const { out } = context;
  if (out.format === "json") return out.json(rawJson(answer) ?? JSON.stringify(answer), rows);
  // A write may have an empty answer.
  if (answer === null) return out.done("Done");
  out.card(answer, cardFields(answer));
}

/** The lines of a card: the id, then the other fields in their order, with nested ones dotted. */
export function cardFields(answer: object): Field<object>[] {
  const { object, id, ...fields } = flat(asSent(answer), "");
  const meanings = NULLS[String(object)] ?? {};
  return Object.entries({ ...id !== undefined && { id }, ...fields }).map(([label, value]) => ({
    label,
    value: () => value ?? meanings[label],
    kind: /_(at|date)$/.test(label) ? "time" : "text",
  }));
}

/** The meaning of null in some fields: it is not always a missing value. */
const NULLS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  webhook_integration: { event_types: "all", environment: "all", app_id: "all" },
};

/** The answer with every number as text that JavaScript would write differently. */
function asSent(answer: object): object {
  const text = rawJson(answer);
  return text === undefined ? answer : JSON.parse(text, keepNumber);
}

/** Keeps 9007199254740993 from becoming 9007199254740992, and 0.10 from becoming 0.1. */
function keepNumber(_name: string, value: unknown, place?: { source?: string }): unknown {
  const source = place?.source;
  return typeof value === "number" && source !== undefined && String(value) !== source
    ? source
    : value;
}

/** The fields of an object and of the objects in it, by dotted name. */
function flat(value: object, prefix: string): Record<string, Cell> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, Cell][] => {
      const label = prefix + name;
      const items = itemsOf(inner);
      if (items) return [[label, items.map(nameOf).join(", ")]];
      if (typeof inner !== "object" || inner === null) return [[label, inner]];
      // Two levels down, an object of the API only refers to an object with its own card.
      if (prefix !== "" && "object" in inner && "id" in inner) return [[label, nameOf(inner)]];
      const fields = Object.entries(flat(inner, `${label}.`));
      return fields.length === 0 ? [[label, null]] : fields;
    }),
  );
}

/** The elements of an array, or of a list as the service sends it. */
function itemsOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const isList = typeof value === "object" && value !== null && "object" in value &&
    value.object === "list" && "items" in value;
  return isList && Array.isArray(value.items) ? value.items : undefined;
}

/** Fields that name an object, the most specific first. */
const NAMES = [
  "lookup_key",
  "store_identifier",
  "code",
  "name",
  "productID",
  "entitlement_id",
  "id",
];

/** An element of an array on one line: the name of an object, the text of anything else. */
export function nameOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const fields: Record<string, unknown> = { ...value };
  const name = NAMES.map((field) => fields[field]).find((one) => typeof one === "string");
  if (typeof name === "string") return name;
  // A product in a package is wrapped in its criteria there.
  return "product" in value && value.product ? nameOf(value.product) : JSON.stringify(value);
}
