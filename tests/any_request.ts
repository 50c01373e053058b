/**
 * Requests made from the served OpenAPI document: most of them nearly right, some of them junk.
 *
 * @module
 */

import fc from "fast-check";
import { routes } from "../lib/service/mod.ts";
import { openApiDocument } from "../lib/service/openapi.ts";

/** A request below the service's address. */
export interface AnyRequest {
  /** The operation that it was made for. */
  operation: string;
  /** The method. */
  method: string;
  /** Path and query. */
  path: string;
  /** The text of the body. */
  body: string | undefined;
  /** Headers besides the credential. */
  headers: Record<string, string>;
}

/** Ids that exist, by the word that stands before them in paths. */
export type Ids = Record<string, string[]>;

/** The part of JSON Schema that the document uses. */
interface Schema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

/** The part of an operation that a request is made of. */
interface Operation {
  operationId: string;
  parameters: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
}

/** The part of the document that is read. */
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const document: Document = JSON.parse(openApiDocument(routes, "test"));

const junkText = fc.oneof(
  fc.constantFrom(
    ..."|\u0000|\ud800|😀|%|%00|../..|'|\"|$|{}|[]|null|0|-1|1e999|__proto__|constructor".split(
      "|",
    ),
    "x".repeat(256),
    "x".repeat(1501),
    "😀".repeat(2000),
  ),
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
);

const junk: fc.Arbitrary<unknown> = fc.oneof(
  junkText,
  fc.constantFrom(null, true, 0, -1, 1.5, 2 ** 53, -0, 1e300, {}, [], [[]], { a: { b: [null] } }),
  fc.jsonValue(),
);

const junkBody = fc.oneof(
  fc.constantFrom(
    "{",
    "[]",
    "null",
    "1",
    '"',
    "\ufeff{}",
    '{"a":1,"a":2}',
    '{"__proto__":{}}',
    "NaN",
  ),
  fc.json(),
  fc.string({ unit: "binary", minLength: 1 }).filter((text) => text.trim() !== ""),
);

/** Requests for all operations of the document, with these ids among others in their paths. */
export function anyRequest(ids: Ids): fc.Arbitrary<AnyRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation }))
  );
  return fc.constantFrom(...operations).chain(({ path, method, operation }) =>
    fc.record({
      operation: fc.constant(operation.operationId),
      method: fc.constant(method.toUpperCase()),
      path: fc.tuple(anyPath(path, ids), anyQuery(operation)).map(([p, query]) => p + query),
      body: method === "get" ? fc.constant(undefined) : anyBody(operation, ids),
      headers: anyHeaders,
    })
  );
}

const anyHeaders = fc.record({
  "Content-Type": oftenOr(
    fc.constant("application/json"),
    fc.constantFrom("text/plain", "*/*", ""),
  ),
  "Idempotency-Key": oftenOr(fc.uuid(), fc.constantFrom("a", "b", "", "x".repeat(256))),
  "User-Agent": fc.string({ unit: fc.constantFrom(..."abc/ \u00ff") }),
}, { requiredKeys: ["Content-Type"] });

/** A path template with values in it: mostly ids that exist, else ids that do not, or no ids. */
function anyPath(template: string, ids: Ids): fc.Arbitrary<string> {
  const segments = template.split("/").map((segment, i, all) => {
    if (!segment.startsWith("{")) return fc.constant(segment);
    const kind = all[i - 1] ?? "";
    const known = fc.constantFrom(...ids[kind] ?? ["none"]);
    const strange = oftenOr(junkText, fc.constantFrom(...Object.values(ids).flat()));
    const id = kind === "projects" ? mostlyOr(known, strange) : oftenOr(known, strange);
    const encoded = id.map((text) => encodeURIComponent(text.toWellFormed()));
    const raw = fc.constantFrom(
      "%",
      "%zz",
      "%C0%AF",
      "a%2",
      "%2e",
      "..",
      "",
      ";",
      "a&b=c",
      "%F0%9F",
    );
    return mostlyOr(encoded, raw);
  });
  return fc.tuple(...segments).map((parts) => parts.join("/"));
}

/** A value as it stands in a query. */
function queryText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/** A query with some of the operation's parameters, and some that it does not have. */
function anyQuery({ parameters }: Operation): fc.Arbitrary<string> {
  const own = parameters.filter((parameter) => parameter.in === "query").map(({ name, schema }) =>
    fc.tuple(
      fc.constant(name),
      oftenOr(valueOf(schema, {}).map(queryText), junkText),
    )
  );
  const other = fc.tuple(fc.constantFrom("expand", "limit", "surprise"), junkText);
  const pairs = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.oneof(...own, other), { minLength: 1, maxLength: 3 }) },
  );
  return pairs.map((all) => {
    const query = all.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`);
    return query.length > 0 ? `?${query.join("&")}` : "";
  });
}

/** A body, where the operation has one: mostly as its schema says, with faults strewn in. */
function anyBody(
  { requestBody }: Operation,
  ids: Ids,
): fc.Arbitrary<string | undefined> {
  const schema = requestBody?.content["application/json"].schema;
  if (!schema) return mostlyOr(fc.constant(undefined), junkBody);
  const json = valueOf(schema, ids).map((value) => JSON.stringify(value));
  return oftenOr(json, junkBody);
}

/** A value that a schema describes, or nearly. */
function valueOf(schema: Schema, ids: Ids, depth = 0): fc.Arbitrary<unknown> {
  const { $ref, anyOf, oneOf, items, properties } = schema;
  const known = $ref && document.components.schemas[$ref.split("/").at(-1) ?? ""];
  if (known) return valueOf(known, ids, depth);
  const choices = anyOf ?? oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valueOf(choice, ids, depth)));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === "string") return textOf(schema, ids);
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "null") return fc.constant(null);
  if (schema.type === "integer" || schema.type === "number") {
    const { minimum = -10, maximum = 1000 } = schema;
    return oftenOr(
      fc.constantFrom(minimum, minimum + 1, maximum),
      fc.constantFrom(minimum - 1, maximum + 1, 0.5),
    );
  }
  if (schema.type === "array") {
    return fc.array(valueOf(items ?? {}, ids, depth + 1), { maxLength: 3 });
  }
  if (properties) return objectOf(schema, properties, ids, depth);
  return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 });
}

/** Text of about the right length, or an id. */
function textOf(
  { minLength = 0, maxLength = 20 }: Schema,
  ids: Ids,
): fc.Arbitrary<string> {
  const good = [minLength, minLength + 1, maxLength].filter((size) => size < 2000);
  const bad = [Math.max(0, minLength - 1), Math.min(maxLength + 1, 2000)];
  const sizes = oftenOr(fc.constantFrom(...good), fc.constantFrom(...bad));
  const letters = fc.tuple(sizes, fc.constantFrom("x", "y", "é", "😀"))
    .map(([size, letter]) => letter.repeat(size));
  const names = fc.constantFrom("a", "b", "c", "2026-11-23", ...Object.values(ids).flat());
  return fc.oneof(letters, names, fc.string({ unit: "grapheme", maxLength: 8 }));
}

/** An object: the required fields nearly always, the others now and then, faults strewn in. */
function objectOf(
  { required = [] }: Schema,
  properties: Record<string, Schema>,
  ids: Ids,
  depth: number,
): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => {
    // `product_id` and `product_ids` want ids of products, and so on.
    const own = ids[`${name.replace(/_ids?$/, "")}s`] ?? [];
    const inner = /_ids?$/.test(name) && own.length > 0 ? { [name]: own } : ids;
    const value = mostlyOr(valueOf(schema, inner, depth + 1), junk);
    const weight = required.includes(name) ? 30 : 1;
    const present = value.map((one): [string, unknown][] => [[name, one]]);
    const absent = fc.constant<[string, unknown][]>([]);
    return fc.oneof({ weight, arbitrary: present }, { weight: 1, arbitrary: absent });
  });
  const extra = mostlyOr(
    fc.constant<[string, unknown][]>([]),
    fc.tuple(fc.string(), junk).map((field): [string, unknown][] => [field]),
  );
  return fc.tuple(...fields, extra).map((parts) => Object.fromEntries(parts.flat()));
}

/** Often the one, now and then the other. */
function oftenOr<A, B>(often: fc.Arbitrary<A>, rarely: fc.Arbitrary<B>): fc.Arbitrary<A | B> {
  return fc.oneof({ weight: 12, arbitrary: often }, { weight: 1, arbitrary: rarely });
}

/** Mostly the one, once in a while the other. */
function mostlyOr<A, B>(mostly: fc.Arbitrary<A>, rarely: fc.Arbitrary<B>): fc.Arbitrary<A | B> {
  return fc.oneof({ weight: 50, arbitrary: mostly }, { weight: 1, arbitrary: rarely });
}
