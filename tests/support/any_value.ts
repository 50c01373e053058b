/**
 * Values made from schemas, and by the names of fields where a schema does not say enough.
 *
 * @module
 */

import { fc } from "./properties.ts";
import { RECIPES } from "../../lib/service/sim/trigger/recipes.ts";
import { junk, type Strewing } from "./junk.ts";
import type { Stock } from "./request_stock.ts";
import { type Schema, schemas } from "./request_targets.ts";

/** What a request is made with. */
export interface Making extends Strewing {
  /** The ids that it may name. */
  stock: Stock;
}

/** A value that a schema describes, or nearly. */
export function valueOf(schema: Schema, making: Making, depth = 0): fc.Arbitrary<unknown> {
  const { $ref, anyOf, oneOf, items, properties, kind } = schema;
  const ids = kind === undefined ? [] : making.stock.of(kind);
  if (ids.length > 0) return fc.constantFrom(...ids);
  const known = $ref && schemas[$ref.split("/").at(-1) ?? ""];
  if (known) return valueOf(known, making, depth);
  const choices = anyOf ?? oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valueOf(choice, making, depth)));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === "string") return textOf(schema, making);
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "null") return fc.constant(null);
  if (schema.type === "integer" || schema.type === "number") {
    const { minimum = -10, maximum = 1000 } = schema;
    return making.often(
      fc.constantFrom(minimum, minimum + 1, maximum),
      fc.constantFrom(minimum - 1, maximum + 1, 0.5),
    );
  }
  if (schema.type === "array") {
    return fc.array(valueOf(items ?? {}, making, depth + 1), { maxLength: 3 });
  }
  if (properties) return objectOf(schema, properties, making, depth);
  return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 });
}

/** Text of about the right length. */
function textOf(
  { minLength = 0, maxLength = 20 }: Schema,
  making: Making,
): fc.Arbitrary<string> {
  const fitting = [minLength, minLength + 1, maxLength].filter((size) => size < 2000);
  const bad = [Math.max(0, minLength - 1), Math.min(maxLength + 1, 2000)];
  const sizes = making.often(fc.constantFrom(...fitting), fc.constantFrom(...bad));
  const letters = fc.tuple(sizes, fc.constantFrom("x", "y", "é", "😀"))
    .map(([size, letter]) => letter.repeat(size));
  const names = fc.constantFrom("a", "b", "c", "2026-11-23");
  return fc.oneof(letters, names, fc.string({ unit: "grapheme", maxLength: 8 }));
}

/** An object: the required fields nearly always, the others now and then, faults strewn in. */
function objectOf(
  { required = [] }: Schema,
  properties: Record<string, Schema>,
  making: Making,
  depth: number,
): fc.Arbitrary<unknown> {
  // Of the others about one, for two seldom go together.
  const optional = Object.keys(properties).length - required.length;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const plain = valueOf(schema, making, depth + 1);
    const isOpen = !schema.enum && !("const" in schema) && !schema.kind;
    const known = isOpen ? goodValue(name, making.stock) : undefined;
    const value = making.mostly(known ? making.often(known, plain) : plain, junk);
    const isRequired = required.includes(name);
    const present = value.map((one): [string, unknown][] => [[name, one]]);
    const absent = fc.constant<[string, unknown][]>([]);
    if (isRequired) return making.mostly(present, absent);
    return fc.oneof({ weight: 1, arbitrary: present }, {
      weight: Math.max(optional, 3),
      arbitrary: absent,
    });
  });
  const extra = making.mostly(
    fc.constant<[string, unknown][]>([]),
    fc.tuple(fc.string(), junk).map((field): [string, unknown][] => [field]),
  );
  return fc.tuple(...fields, extra).map((parts) => Object.fromEntries(parts.flat()));
}

const DAY_MS = 86_400_000;

/** A moment some days from the project's time. Clocks are moved there, so it is not too far away. */
function moments({ now }: Stock, ...days: number[]): fc.Arbitrary<number> {
  return fc.constantFrom(...days.map((count) => now + count * DAY_MS));
}

const durations = fc.constantFrom("P1W", "P2W", "P1M", "P3M", "P1Y");
const dates = fc.constantFrom("2026-01-01", "2026-11-23");
const eventTypes = fc.uniqueArray(
  fc.constantFrom("initial_purchase", "renewal", "cancellation", "expiration"),
  { minLength: 1, maxLength: 3 },
);

let made = 0;

/** A name that nothing has yet. */
const fresh = fc.constantFrom("a", "b").map((letter) => `${letter}${++made}`);

/** Good values of fields by their names. */
const GOOD: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  duration: durations,
  trial_duration: durations,
  grace_period_duration: durations,
  grace: durations,
  trial: fc.oneof(fc.boolean(), durations),
  for: durations,
  by: fc.constantFrom("P1D", "P3D", "P1W", "P1M"),
  price: fc.constantFrom(0, 9.99, 79.99, 999, 9999),
  country: fc.constantFrom("DE", "US", "JP"),
  currency: fc.constantFrom("USD", "EUR", "JPY"),
  start_date: dates,
  end_date: dates,
  period: fc.constantFrom("day", "week", "month"),
  selectors: fc.constantFrom("{}", '{"revenue_type":"proceeds"}'),
  limit: fc.constantFrom("1", "2", "100"),
  wait_ms: fc.constantFrom("0", "1"),
  type: fc.constantFrom(...Object.keys(RECIPES)),
  event_types: eventTypes,
  types: eventTypes,
  overrides: fc.constant({}),
  refund_window_days: fc.constantFrom(90, 36_500),
  email: fresh.map((name) => `${name}@example.com`),
  account_email: fc.constant("owner@example.com"),
  scope: fc.constantFrom("*:*:read_write", "project_configuration:apps:read"),
  lookup_key: fresh,
  store_identifier: fresh,
  id: fresh,
  code: fresh.map((name) => name.toUpperCase()),
  bundle_id: fresh.map((name) => `com.example.${name}`),
  package_name: fresh.map((name) => `com.example.${name}`),
  name: fresh,
  alias: fresh,
  customer_id: fresh,
  display_name: fc.constant("A name"),
};

/** Fields that name objects of a kind which is not their own name. */
const NAMED: Readonly<Record<string, string>> = {
  target_customer: "customers",
  webhook: "webhooks",
  url: "urls",
};

/** A good value of a field of this name, if the name says what that is. */
export function goodValue(name: string, stock: Stock): fc.Arbitrary<unknown> | undefined {
  if (name === "to" || name === "until") return moments(stock, 0, 1, 8, 40);
  if (name === "starts_at") return moments(stock, 0, 1, 8);
  if (name === "expires_at") return moments(stock, 1, 8, 40, 400);
  if (name === "since") return moments(stock, -1, -8);
  const stem = name.replace(/_ids?$/, "");
  const ids = stock.of(NAMED[stem] ?? `${stem}s`);
  if (ids.length === 0 || (stem === name && !(stem in NAMED))) return GOOD[name];
  const id = fc.constantFrom(...ids);
  if (name.endsWith("_ids")) return fc.uniqueArray(id, { minLength: 1, maxLength: 3 });
  const fallback = GOOD[name];
  return fallback ? fc.oneof(id, fallback) : id;
}
