/**
 * The OpenAPI 3.1 document, made from the routes' contracts.
 *
 * @module
 */

import { z } from "zod";
import { fullPath, type Operation } from "./route.ts";
import { named } from "./schemas.ts";
import { ALL_SCOPES, SCOPES } from "./scopes.ts";

const ERROR_STATUSES: readonly ErrorStatus[] = [
  400,
  401,
  403,
  404,
  409,
  413,
  422,
  423,
  429,
  500,
  503,
  507,
];
const SDK_ERROR_STATUSES: readonly ErrorStatus[] = [
  400,
  401,
  403,
  404,
  405,
  409,
  413,
  422,
  500,
  501,
  503,
  507,
];

const errorSchema = z.object({
  object: z.literal("error"),
  type: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  param: z.string().nullable().exactOptional(),
  backoff_ms: z.int().min(0).nullable().exactOptional(),
  referenced_object_ids: z.array(z.string()).exactOptional(),
  missing_scopes: z.array(z.string()).exactOptional(),
});

const sdkErrorSchema = z.object({
  code: z.int(),
  message: z.string(),
  attribute_errors: z.array(z.object({ key_name: z.string(), message: z.string() }))
    .exactOptional(),
});

/** The security schemes: an access token, an app's public key, or the admin secret. */
const SECURITY = {
  oauth: {
    type: "oauth2",
    flows: {
      authorizationCode: {
        authorizationUrl: "/oauth2/authorize",
        tokenUrl: "/oauth2/token",
        scopes: Object.fromEntries([...SCOPES, ALL_SCOPES].map((scope) => [scope, ""])),
      },
    },
  },
  sdk_key: { type: "http", scheme: "bearer" },
  admin_secret: { type: "http", scheme: "bearer" },
} as const;

/** JSON text of the document for these routes. */
export function openApiDocument(routes: readonly Operation[], version: string): string {
  const components = new Map<string, unknown>();
  const schema = (type: z.ZodType, io: "input" | "output", isSent = io === "input") => {
    const { $schema: _, $defs = {}, ...own } = z.toJSONSchema(type, {
      io,
      metadata: named,
      unrepresentable: "any",
      override: ({ jsonSchema }) => {
        if (isSent && isFreeText(jsonSchema)) jsonSchema.pattern = NO_NUL;
      },
    });
    for (const [name, definition] of Object.entries($defs)) components.set(name, definition);
    return own;
  };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const item = paths[fullPath(route)] ??= {};
    item[route.method.toLowerCase()] = operation(route, schema);
  }
  components.set("Error", schema(errorSchema, "output"));
  components.set("SdkError", schema(sdkErrorSchema, "output"));
  const document = {
    openapi: "3.1.0",
    info: { title: "Subscription Management Service", version },
    servers: [{ url: "/", description: "This service" }],
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => a < b ? -1 : 1)),
      securitySchemes: securitySchemes(routes),
    },
  };
  return JSON.stringify(document).replaceAll('"#/$defs/', '"#/components/schemas/');
}

/** Makes the schema of a type. Texts from callers contain no NUL. */
type ToSchema = (type: z.ZodType, io: "input" | "output", isSent?: boolean) => object;

/** Whether a schema is for text without a pattern or format. */
function isFreeText({ type, enum: values, const: value, pattern, allOf, format }: Schema): boolean {
  const rules = [values, value, pattern, allOf, format];
  return type === "string" && rules.every((rule) => rule === undefined);
}

type Schema = z.core.JSONSchema.BaseSchema;

/** The rules for all texts and numbers in a body. */
const BODY =
  "Every text must be valid Unicode without the character NUL. A number must be at most " +
  `${Number.MAX_SAFE_INTEGER} in magnitude.`;

/** The meaning of the error statuses, for every operation. */
const MEANINGS = {
  400: "The request is malformed, or a value is not as its description says",
  401: "The credential is missing, unknown or no longer valid",
  403: "The credential does not permit this",
  404: "An object that the request names does not exist",
  405: "The address exists, but not with this method; Allow names its methods",
  409:
    "The change conflicts with another object, such as one of the same name, or one that uses it",
  413: "The body is too large",
  422: "The object's state, its store or the project's limits do not allow this",
  423: "Another request with this Idempotency-Key is under way",
  429: "Too many requests; Retry-After is the time until the next try",
  500: "The service failed",
  501: "This service does not offer the operation",
  503: "The service cannot work now; try again",
  507: "The service's disk is full",
} as const;

/** A status with a meaning. */
type ErrorStatus = keyof typeof MEANINGS;

/** One operation of the document. */
function operation(route: Operation, schema: ToSchema): object {
  const credential = credentialOf(route);
  // Operations with an app's key have errors in the form of version 1.
  const [error, statuses] = credential === "sdk_key"
    ? ["SdkError", SDK_ERROR_STATUSES]
    : ["Error", ERROR_STATUSES];
  const errors = statuses.map((status) => [status, {
    description: MEANINGS[status],
    content: { "application/json": { schema: { $ref: `#/components/schemas/${error}` } } },
  }]);
  return {
    operationId: route.name,
    summary: route.summary,
    ...route.description === undefined ? {} : { description: route.description },
    security: [{ [credential]: route.scopes }],
    parameters: [...pathParameters(route), ...queryParameters(route, schema), ...headers(route)],
    ...route.body && {
      requestBody: {
        description: BODY,
        required: !route.body.safeParse({}).success,
        content: { "application/json": { schema: schema(route.body, "input") } },
      },
    },
    responses: {
      ...successes(route, schema),
      ...Object.fromEntries(errors),
    },
  };
}

/** The security scheme of a route. */
function credentialOf(route: Operation): keyof typeof SECURITY {
  const path = fullPath(route);
  return path.startsWith("/_sim/")
    ? "admin_secret"
    : /^\/(v1|rcbilling)\//.test(path)
    ? "sdk_key"
    : "oauth";
}

/** The success answers. An app's unchanged read gets a 304 without a body. */
function successes(route: Operation, schema: ToSchema): Record<number, object> {
  const content = { "application/json": { schema: schema(route.response, "output") } };
  const isAppsRead = credentialOf(route) === "sdk_key" && route.method === "GET";
  return {
    [route.status]: { description: "Done", content },
    ...route.creates && { 201: { description: "Created", content } },
    ...isAppsRead && { 304: { description: "The same as in the answer with this tag" } },
  };
}

/** The parameters in the path. Each value is one encoded segment. */
function pathParameters(route: Operation): object[] {
  return [...fullPath(route).matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    // No NUL in values of a path or query.
    schema: { type: "string", minLength: 1, pattern: NO_NUL, ...route.pathSchemas?.[name] },
  }));
}

/** The parameters in the query, `expand` among them. */
function queryParameters(route: Operation, schema: ToSchema): object[] {
  const parameters = Object.entries(route.query.shape).map(([name, type]) => ({
    name,
    in: "query",
    required: !z.safeParse(type, undefined).success,
    schema: schema(z.object({ [name]: type }), "output", true),
  })).map((parameter) => ({ ...parameter, schema: onlyProperty(parameter) }));
  const values = [...route.expand.keys()];
  if (values.length === 0) return parameters;
  const expand = { type: "array", minItems: 1, items: { type: "string", enum: values } };
  return [...parameters, { name: "expand", in: "query", required: false, schema: expand }];
}

/** The schema of the only property of a wrapper object. */
function onlyProperty({ name, schema }: { name: string; schema: object }): unknown {
  const properties: unknown = "properties" in schema ? schema.properties : undefined;
  return Object.entries(properties ?? {}).find(([key]) => key === name)?.[1];
}

/** The header for an idempotency key, or the headers of SDKs. */
function headers(route: Operation): object[] {
  const credential = credentialOf(route);
  if (credential === "admin_secret") return [];
  if (credential === "sdk_key") {
    const names = ["X-Platform", "X-Version", "X-Dates"];
    return names.map((name) => ({
      name,
      in: "header",
      required: false,
      schema: { type: "string" },
    }));
  }
  if (route.method === "GET") return [];
  const schema = { type: "string", minLength: 1, maxLength: 255 };
  return [{ name: "Idempotency-Key", in: "header", required: false, schema }];
}

/** A pattern of text without the character NUL. */
const NO_NUL = "^[^\\u0000]*$";

/** The security schemes of some of the routes. */
function securitySchemes(routes: readonly Operation[]): object {
  const used = new Set<string>(routes.map(credentialOf));
  return Object.fromEntries(Object.entries(SECURITY).filter(([name]) => used.has(name)));
}
