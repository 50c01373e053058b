import { deepEqual, equal, match } from "node:assert/strict";
import { openApiDocument } from "../../../lib/service/contract/openapi.ts";
import { operations } from "../../../lib/service/routes/mod.ts";

/** A parameter of an operation. */
interface Parameter {
  /** Its name. */
  name: string;
  /** Its place. */
  in: string;
  /** Whether a request must have it. */
  required: boolean;
}

/** The parts of an operation that are compared. */
interface Documented {
  /** Its name. */
  operationId?: string;
  /** What it does. */
  summary?: string;
  /** What else there is to say. */
  description?: string;
  /** All parameters. */
  parameters: Parameter[];
  /** The answers by status. */
  responses: Record<string, {
    /** Its meaning. */
    description: string;
  }>;
}

/** The parts of the document that are compared. */
interface OpenApi {
  /** The operations by path and method. */
  paths: Record<string, Record<string, Documented | undefined> | undefined>;
  /** Shared schemas. */
  components: { schemas: Record<string, unknown> };
}

const { paths, components }: OpenApi = JSON.parse(openApiDocument(operations, "1.2.3"));

/** An operation that is there. */
function operationAt(method: string, path: string): Documented {
  const found = paths[path]?.[method];
  if (!found) throw new Error(`${method} ${path} is missing`);
  return found;
}

/** The headers of an operation, with whether each is required. */
function headersOf({ parameters }: Documented): [string, boolean][] {
  return parameters.filter((one) => one.in === "header")
    .map(({ name, required }) => [name, required]);
}

const PROJECT = "/v2/projects/{project_id}";

Deno.test("changes have an idempotency key, and operations of apps the headers of SDKs", () => {
  deepEqual(headersOf(operationAt("get", `${PROJECT}/customers`)), []);
  deepEqual(headersOf(operationAt("post", `${PROJECT}/customers`)), [["Idempotency-Key", false]]);
  const sdk: [string, boolean][] = [
    ["X-Platform", false],
    ["X-Version", false],
    ["X-Dates", false],
  ];
  deepEqual(headersOf(operationAt("get", "/v1/subscribers/{user}")), sdk);
  deepEqual(headersOf(operationAt("post", "/v1/receipts")), sdk);
});

Deno.test("an operation that can expand its answer has its other parameters, too", () => {
  const ofProducts = operations.filter(({ name }) => /^(list|get)Products?$/.test(name));
  const { paths }: OpenApi = JSON.parse(openApiDocument(ofProducts, "1.2.3"));
  const queryOf = (path: string) =>
    paths[PROJECT + path]?.["get"]?.parameters.filter((one) => one.in === "query")
      .map(({ name }) => name);
  deepEqual(queryOf("/products"), ["limit", "starting_after", "app_id", "expand"]);
  deepEqual(queryOf("/products/{id}"), ["expand"]);
});

Deno.test("the document has the statuses of each operation", () => {
  const statuses = (method: string, path: string) =>
    Object.keys(operationAt(method, path).responses).map(Number);
  const errors = [400, 401, 403, 404, 409, 413, 422, 423, 429, 500, 503, 507];
  const ofApps = [400, 401, 403, 404, 405, 409, 413, 422, 500, 501, 503, 507];
  deepEqual(statuses("get", `${PROJECT}/customers`), [200, ...errors]);
  deepEqual(statuses("post", `${PROJECT}/customers`), [201, ...errors]);
  deepEqual(statuses("post", "/v1/receipts"), [200, ...ofApps]);
  const read = operationAt("get", "/v1/subscribers/{user}");
  deepEqual(Object.keys(read.responses).map(Number), [200, 201, 304, ...ofApps]);
  equal(read.responses["304"]?.description, "The same as in the answer with this tag");
  match(read.responses["405"]?.description ?? "", /^The address exists, but not with this method/);
  equal(read.responses["501"]?.description, "This service does not offer the operation");
});

Deno.test("each operation has a name of its own and whole sentences", () => {
  const all = Object.values(paths).flatMap((methods) => Object.values(methods ?? {}));
  const names = all.map((one) => one?.operationId);
  equal(new Set(names).size, operations.length);
  for (const one of all) {
    match(one?.operationId ?? "", /^[a-z]\w+$/);
    match(one?.summary ?? "", /^[A-Z].*\.$/s);
    if (one?.description !== undefined) match(one.description, /^\S.*\.$/s);
  }
});

Deno.test("the document has the fields of errors", () => {
  const { Error: error, SdkError: ofApps } = components.schemas;
  const fields = (schema: unknown) => {
    const { required, properties } = schema as {
      required: string[];
      properties: Record<string, unknown>;
    };
    return [required, Object.keys(properties)];
  };
  deepEqual(fields(error), [["object", "type", "message", "retryable"], [
    ...["object", "type", "message", "retryable", "param", "backoff_ms"],
    ...["referenced_object_ids", "missing_scopes"],
  ]]);
  deepEqual(fields(ofApps), [["code", "message"], ["code", "message", "attribute_errors"]]);
  const { properties } = ofApps as { properties: { attribute_errors: { items: unknown } } };
  deepEqual(fields(properties.attribute_errors.items), [["key_name", "message"], [
    "key_name",
    "message",
  ]]);
});
