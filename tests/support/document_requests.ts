/**
 * Requests made from the served OpenAPI document alone: what somebody sends who has read it, with ids
 * of objects that exist.
 *
 * @module
 */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { goodValue } from "./any_value.ts";
import { fc } from "./properties.ts";
import type { Stock } from "./request_stock.ts";

/** The part of JSON Schema that the document uses. */
export interface DocumentSchema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: DocumentSchema[];
  allOf?: DocumentSchema[];
  oneOf?: DocumentSchema[];
  properties?: Record<string, DocumentSchema>;
  required?: string[];
  additionalProperties?: DocumentSchema | boolean;
  propertyNames?: DocumentSchema;
  items?: DocumentSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  pattern?: string;
  format?: string;
  description?: string;
}

/** An operation of the document. */
export interface DocumentOperation {
  /** Its name. */
  operationId: string;
  /** Rules in words. */
  description?: string;
  /** Its parameters. */
  parameters: { name: string; in: string; required: boolean; schema: DocumentSchema }[];
  /** Its body. */
  requestBody?: {
    description: string;
    required: boolean;
    content: { "application/json": { schema: DocumentSchema } };
  };
  /** Its answers by status. */
  responses: Record<string, { description: string }>;
}

/** The served document. */
export interface ServedDocument {
  /** Operations by path and method. */
  paths: Record<string, Record<string, DocumentOperation>>;
  /** Schemas by name. */
  components: { schemas: Record<string, DocumentSchema> };
}

/** A request that the document allows. */
export interface AllowedRequest {
  /** The path and query. */
  path: string;
  /** The text of the body. */
  body: string | undefined;
}

/** Makes requests out of a document. */
export interface RequestMaker {
  /** Requests for an operation, with ids of the stock as it is now. */
  requests(path: string, operation: DocumentOperation): fc.Arbitrary<AllowedRequest>;
}

/** Text that people and programs send, and text that few programs expect. */
const unit = fc.oneof(
  { weight: 30, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom("\0", "\x01", "\n", " ", "/", "%", "\u200b", "\ufeff") },
);

/** What requests are made with. */
interface Making {
  /** Schemas by name. */
  schemas: Record<string, DocumentSchema>;
  /** The ids that exist. */
  stock: Stock;
  /** Whether a schema allows a value. */
  allows(schema: DocumentSchema, value: unknown): boolean;
}

/** Makes requests out of a document and a stock of ids. */
export function createRequestMaker(document: ServedDocument, stock: Stock): RequestMaker {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "doc:", ...document });
  const validators = new Map<DocumentSchema, ValidateFunction>();
  const allows = (schema: DocumentSchema, value: unknown) => {
    const validate = validators.get(schema) ??
      ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc:#/')));
    validators.set(schema, validate);
    return validate(value) === true;
  };
  const making: Making = { schemas: document.components.schemas, stock, allows };
  return {
    requests: (path, operation) =>
      fc.record({
        path: fc.tuple(anyPath(path, operation, stock), anyQuery(operation, making))
          .map((parts) => parts.join("")),
        body: anyBody(operation, making),
      }),
  };
}

/** A body, where the operation has one. */
function anyBody(
  { requestBody: body }: DocumentOperation,
  making: Making,
): fc.Arbitrary<string | undefined> {
  if (!body) return fc.constant(undefined);
  const { schema } = body.content["application/json"];
  const text = anyValue(schema, "", making).filter((value) => making.allows(schema, value))
    .map((value) => JSON.stringify(value));
  return body.required ? text : fc.oneof(text, fc.constant(undefined));
}

/** A query with the parameters that the operation has. */
function anyQuery({ parameters }: DocumentOperation, making: Making): fc.Arbitrary<string> {
  const query = parameters.filter((one) => one.in === "query");
  const values = fc.record(
    Object.fromEntries(query.map(({ name, schema }) => [name, anyValue(schema, name, making)])),
    { requiredKeys: query.filter(({ required }) => required).map(({ name }) => name) },
  );
  return values.map((all) => {
    const pairs = Object.entries(all).flatMap(([name, value]) => pairsOf(name, value))
      .map((pair) => pair.map(encodeURIComponent).join("="));
    return pairs.length > 0 ? `?${pairs.join("&")}` : "";
  });
}

/** A value that the document allows: mostly one that exists, where its name says what that is. */
function anyValue(schema: DocumentSchema, name: string, making: Making): fc.Arbitrary<unknown> {
  const plain = plainValue(schema, name, making);
  const known = goodValue(name, making.stock);
  if (!known || schema.enum || "const" in schema) return plain;
  return fc.tuple(known, plain, fc.nat({ max: 3 })).map(([good, other, draw]) =>
    draw > 0 && making.allows(schema, good) ? good : other
  );
}

/** A value made from the schema alone. */
function plainValue(schema: DocumentSchema, name: string, making: Making): fc.Arbitrary<unknown> {
  const known = schema.$ref && making.schemas[schema.$ref.split("/").at(-1) ?? ""];
  if (known) return anyValue(known, name, making);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => anyValue(choice, name, making)));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const { minItems = 0, maxItems = 3, items = {} } = schema;
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "string":
      return anyText(schema).filter((text) => making.allows(schema, text));
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "integer":
    case "number":
      return anyNumber(schema).filter((number) => making.allows(schema, number));
    case "array":
      return fc.array(anyValue(items, name.replace(/s$/, ""), making), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, 3)),
      });
    case "object":
      return anyObject(schema, making);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

/** An object with its required fields and some others, and with unknown ones where they may be. */
function anyObject(schema: DocumentSchema, making: Making): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {});
  const own = fc.record(
    Object.fromEntries(fields.map(([name, inner]) => [name, anyValue(inner, name, making)])),
    { requiredKeys: schema.required ?? [] },
  );
  const { additionalProperties: more, propertyNames } = schema;
  if (more === false || (more === undefined && fields.length > 0)) return own;
  const inner = typeof more === "object"
    ? anyValue(more, "", making)
    : fc.jsonValue({ maxDepth: 1 });
  const names = propertyNames
    ? plainValue(propertyNames, "", making)
    : fc.string({ unit, maxLength: 8 });
  const extra = fc.array(fc.tuple(names.map(String), inner), { maxLength: 2 });
  return fc.tuple(own, extra).map(([one, pairs]) => ({ ...Object.fromEntries(pairs), ...one }));
}

/** A parameter as it stands in a query: an object stands there with a parameter for each field. */
function pairsOf(name: string, value: unknown): [name: string, value: string][] {
  if (Array.isArray(value)) return [[name, value.join(",")]];
  if (typeof value !== "object" || value === null) return [[name, String(value)]];
  return Object.entries(value).map(([key, inner]) => [key, String(inner)]);
}

/** Text that a schema allows, short or as long as it may be. */
function anyText({ pattern, allOf = [], format, minLength = 0, maxLength }: DocumentSchema) {
  if (format === "date") return fc.constantFrom("2025-01-01", "2026-01-31");
  if (format === "uri") return fc.webUrl({ validSchemes: ["https"] });
  if (format === "email") return fc.emailAddress();
  const most = maxLength ?? 300;
  const some = fc.string({ unit, minLength, maxLength: Math.max(minLength, Math.min(most, 12)) });
  const long = fc.constantFrom("x".repeat(most), "é".repeat(Math.max(minLength, 1)));
  const free = fc.oneof({ weight: 8, arbitrary: some }, { weight: 1, arbitrary: long });
  const written = pattern ?? allOf.find((one) => one.pattern !== undefined)?.pattern;
  if (written === undefined || /^\^\[\^/.test(written)) return free;
  // What a look-ahead forbids is left out afterwards, by the validator.
  const plain = written.replace(/\(\?[=!](?:[^()]|\([^()]*\))*\)/g, "");
  return fc.stringMatching(new RegExp(plain, "u"), { size: "-1" });
}

/** A number within its bounds, often at one of them. */
function anyNumber({ minimum, maximum, exclusiveMinimum }: DocumentSchema): fc.Arbitrary<number> {
  const min = minimum ?? (exclusiveMinimum === undefined ? -10 : exclusiveMinimum + 1);
  const max = Math.max(min, maximum ?? 2_000_000_000);
  return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max: Math.min(max, min + 1000) }));
}

/** Objects that only their owner's id finds, by the kind of pairs in the stock. */
const PAIRS: readonly [place: string, kind: string][] = [
  ["{subscription_id}/transactions/{transaction_id}", "transactions"],
  ["{id}/invoices/{invoice_id}", "invoices of customers"],
];

/** A path with ids that exist. */
function anyPath(
  path: string,
  { parameters }: DocumentOperation,
  stock: Stock,
): fc.Arbitrary<string> {
  for (const [place, kind] of PAIRS) {
    const pairs = stock.of(kind);
    if (!path.includes(place) || pairs.length === 0) continue;
    return fc.constantFrom(...pairs)
      .chain((one) => anyPath(path.replace(place, one), { ...noParameters, parameters }, stock));
  }
  const segments = path.split("/").map((segment, i, all) => {
    if (!segment.startsWith("{")) return fc.constant(segment);
    const kind = segment === "{project_id}" ? "projects" : all[i - 1] ?? "";
    const schema = parameters.find(({ name }) => `{${name}}` === segment)?.schema;
    const ids = schema?.enum?.map(String) ??
      stock.of(kind === "subscribers" ? "customers" : kind);
    return fc.constantFrom(...ids.length > 0 ? ids : ["none"]).map(encodeURIComponent);
  });
  return fc.tuple(...segments).map((parts) => parts.join("/"));
}

const noParameters = { operationId: "", responses: {} };
