/**
 * Checks requests and answers against the served OpenAPI document, with an independent validator.
 *
 * @module
 */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { operations } from "../../lib/service/routes/mod.ts";
import { publicRoutes } from "../../lib/service/routes/mod.ts";
import { adminRoutes, simRoutes } from "../../lib/service/sim/routes.ts";
import { openApiDocument } from "../../lib/service/contract/openapi.ts";

/** The parts of the document that are looked at. */
interface OpenApi {
  /** Operations by path and method. */
  paths: Record<string, Record<string, Operation>>;
  /** Schemas by name. */
  components: { schemas: Record<string, object> };
}

/** One operation of the document. */
interface Operation {
  /** Its name. */
  operationId: string;
  /** Its parameters. */
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  /** Its body. */
  requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  /** Its answers by status. */
  responses: Record<string, { content: Record<string, { schema: object }> }>;
}

type Fetch = (request: Request) => Promise<Response>;

const document: OpenApi = JSON.parse(
  openApiDocument([...operations, ...publicRoutes, ...simRoutes, ...adminRoutes], "test"),
);
/** The operations by the number of segments of their paths. */
const patterns = Map.groupBy(
  Object.entries(document.paths).map(([template, methods]) => ({
    segments: template.split("/").length,
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`),
    methods,
  })),
  ({ segments }) => segments,
);
// Most schemas are used a few times only: code that is copied and optimized takes longer to make.
const ajv = new Ajv2020({
  ...{ strict: false, allErrors: true, validateFormats: false },
  ...{ inlineRefs: false, code: { optimize: false } },
});
ajv.addSchema({ $id: "doc:", ...document });
const validators = new Map<object, ValidateFunction>();

/** Names of operations that some test in this process had answered with success. */
export const operationsSeen = new Set<string>();

/** Wraps a fetch so that every exchange under `/v1`, `/v2` and `/_sim` is validated. */
export function checkedFetch(fetch: Fetch): Promise<Fetch> {
  return Promise.resolve(async (request) => {
    const { pathname } = new URL(request.url);
    if (!/^\/(v[12]|rcbilling|_sim)\//.test(pathname)) return await fetch(request);
    const sentText = request.body === null ? "" : await request.clone().text().catch(() => "");
    const response = await fetch(request);
    const text = await response.clone().text();
    checkExchange(request, sentText, response, text);
    return response;
  });
}

/** Throws when an answer is not an error of the API. */
export function checkError(answer: unknown, label: string): void {
  hold(document.components.schemas["Error"], answer, `${label}: error`);
}

/** Throws when an exchange is not as the document says. */
function checkExchange(request: Request, sent: string, response: Response, text: string): void {
  const url = new URL(request.url);
  const operation = operationAt(request.method, url.pathname);
  const label = `${request.method} ${url.pathname} → ${response.status}`;
  // Nothing has changed since the caller's last read.
  if (response.status === 304) {
    if (text !== "" || !operation?.responses[304]) throw new Error(`${label}: not as documented`);
    return;
  }
  const answer: unknown = JSON.parse(text);
  if (!operation) {
    const { Error, SdkError } = document.components.schemas;
    const error = /^\/(v1|rcbilling)\//.test(url.pathname) ? SdkError : Error;
    hold(error, answer, `${label}: error of an unknown path`);
    return;
  }
  const described = operation.responses[response.status];
  if (!described) throw new Error(`${label}: the document has no such status`);
  hold(described.content["application/json"]?.schema, answer, `${label}: answer`);
  if (!response.ok) return;
  operationsSeen.add(operation.operationId);
  for (const parameter of operation.parameters) {
    if (parameter.in === "query") checkParameter(parameter, url, label);
  }
  const body: unknown = sent === "" ? undefined : JSON.parse(sent);
  const schema = operation.requestBody?.content["application/json"]?.schema;
  if (body !== undefined && schema) hold(schema, body, `${label}: body`);
  if (body === undefined && operation.requestBody?.required) {
    throw new Error(`${label}: the document requires a body`);
  }
}

/** Checks one query parameter of a request that the service accepted. */
function checkParameter(
  parameter: Operation["parameters"][number],
  url: URL,
  label: string,
): void {
  const values = url.searchParams.getAll(parameter.name);
  const { schema } = parameter;
  if (values.length === 0) {
    if (parameter.required) throw new Error(`${label}: ${parameter.name} is required`);
    return;
  }
  const type = "type" in schema ? schema.type : undefined;
  const value = type === "array"
    ? values.flatMap((one) => one.split(","))
    : type === "integer"
    ? Number(values.at(-1))
    : values.at(-1);
  hold(schema, value, `${label}: ${parameter.name}`);
}

/** The operation of a path. */
function operationAt(method: string, pathname: string): Operation | undefined {
  for (const { pattern, methods } of patterns.get(pathname.split("/").length) ?? []) {
    const found = methods[method.toLowerCase()];
    if (found && pattern.test(pathname)) return found;
  }
  return undefined;
}

/** Validates a value; throws with the reason. */
function hold(schema: object | undefined, value: unknown, label: string): void {
  if (!schema) throw new Error(`${label}: the document has no schema`);
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc:#/')));
    validators.set(schema, validate);
  }
  if (!validate(value)) {
    throw new Error(`${label} does not fit the document: ${ajv.errorsText(validate.errors)}`);
  }
}
