/**
 * Everything that the service can be asked for, by whom: the operations of the served document, the
 * simulator's routes, signing in, and what is open to all.
 *
 * @module
 */

import { z } from "zod";
import { operations } from "../../lib/service/routes/mod.ts";
import { openApiDocument } from "../../lib/service/contract/openapi.ts";
import type { SimRoute } from "../../lib/service/sim/route.ts";
import { simRoutes } from "../../lib/service/sim/routes.ts";

/** The part of JSON Schema that the contracts use. */
export interface Schema {
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
  /** Ours: the kind of ids that it wants. */
  kind?: string;
}

/** Whose credential a request carries. */
export type Credential = "token" | "key" | "admin" | "none";

/** Something to ask for. */
export interface Target {
  /** Its name, for the tally. */
  name: string;
  /** The method. */
  method: string;
  /** The path template. */
  path: string;
  /** Whose credential it needs. */
  credential: Credential;
  /** The parameters of the query. */
  query: { name: string; schema: Schema }[];
  /** The body's schema, where it has a body. */
  body?: Schema | undefined;
  /** Whether the body is a form. Default: JSON. */
  isForm?: boolean;
}

/** The part of the served document that is read. */
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** The part of an operation that a request is made of. */
interface Operation {
  operationId: string;
  parameters: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
}

const document: Document = JSON.parse(openApiDocument(operations, "test"));

/** The schemas that `$ref` names. */
export const schemas: Record<string, Schema> = document.components.schemas;

const text: Schema = { type: "string" };

/** The operations of the served document. */
const api: Target[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId, parameters, requestBody }]): Target => ({
    name: operationId,
    method: method.toUpperCase(),
    path,
    credential: /^\/(v1|rcbilling)\//.test(path) ? "key" : "token",
    query: parameters.filter((parameter) => parameter.in === "query"),
    body: operationId === "postSdkReceipt"
      ? object({ app_user_id: text, fetch_token: given("receipts of app_store") }, [
        "app_user_id",
        "fetch_token",
      ])
      : requestBody?.content["application/json"].schema,
  }))
);

/** The simulator's routes below a project. */
const simulator: Target[] = simRoutes.map((route): Target => ({
  name: `${route.method} ${route.path}`,
  method: route.method,
  path: route.path,
  credential: "admin",
  query: Object.entries(schemaOf(route.query).properties ?? {})
    .map(([name, schema]) => ({ name, schema })),
  body: route.method === "GET" ? undefined : bodyOf(route),
}));

/** The schema of a route's body, here and there closer to what can be done. */
function bodyOf({ body, path }: SimRoute): Schema {
  const schema = schemaOf(body ?? z.strictObject({}));
  if (path.endsWith("/change_product")) {
    const product_id = { type: "string", kind: "products of app_store" };
    return { ...schema, properties: { ...schema.properties, product_id } };
  }
  // The app that sends receipts is one of the App Store.
  if (path.endsWith("/receipts")) {
    const product_id = { type: "string", kind: "products of app_store" };
    const term = { const: "P1M" };
    const price = { type: "integer", minimum: 1, maximum: 9 };
    return object({ customer_id: text, product_id, price, duration: term }, [
      ...["customer_id", "product_id", "price", "duration"],
    ]);
  }
  if (path.endsWith("/extend")) {
    const { by = text, until = text } = schema.properties ?? {};
    return { anyOf: [object({ by }, ["by"]), object({ until }, ["until"])] };
  }
  if (path.endsWith("/currencies")) {
    const amount = { type: "integer", minimum: -1, maximum: 1000 };
    return object({ adjustments: object({ COIN: amount }, ["COIN"]) }, ["adjustments"]);
  }
  // Without a bound, a confirmed advance to the year 9999 would fill the memory with renewals.
  if (!/\/clock\/(advance|begin|preview)$/.test(path)) return schema;
  // To pass thousands of years takes its time, and then there is nothing left that lives.
  const number = { type: "integer", minimum: 1, maximum: 86_400_000 };
  const by = { anyOf: [{ type: "string" }, number] };
  return { anyOf: [object({ to: number }, ["to"]), object({ by }, ["by"])] };
}

function schemaOf(type: z.ZodType): Schema {
  // Zod's own type of a schema says less about it.
  return z.toJSONSchema(type, { io: "input", unrepresentable: "any" }) as Schema;
}

/** A text that was given out before. */
function given(kind: string): Schema {
  return { type: "string", kind };
}

/** A schema of an object with these fields, of which the named ones are required. */
function object(properties: Record<string, Schema>, required: string[]): Schema {
  return { type: "object", properties, required };
}

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

/** What has no contract: made by hand from the pages that describe it. */
const others: Target[] = [
  other("POST", "/_sim/tokens", "admin", {
    body: object({
      account_email: text,
      scope: text,
      rotates: { type: "boolean" },
      lifetime_ms: { type: "integer", minimum: 60_000, maximum: 600_000 },
    }, []),
  }),
  other("GET", "/_sim/accounts", "admin"),
  other("POST", "/_sim/accounts", "admin", {
    body: object({ email: text, name: text, project_id: text, role: { enum: ["read_only"] } }, [
      "email",
    ]),
  }),
  other("GET", "/_sim/faults", "admin"),
  other("DELETE", "/_sim/faults", "admin"),
  // Errors that were asked for would look like faults of the service: there is nothing at the path.
  other("POST", "/_sim/faults", "admin", {
    body: {
      anyOf: [
        { const: { path: "/v2/nowhere", status: 500 } },
        { const: { path: "/v2/nowhere", method: "GET", delay_ms: 1, count: 2 } },
        { const: { path: "/v2/nowhere", cut: "after" } },
        { const: { path: "nowhere", status: 500 } },
        { const: { path: "/v2/nowhere", status: 200 } },
        { const: { path: "/v2/nowhere" } },
      ],
    },
  }),
  other("GET", "/oauth2/authorize", "none", {
    query: {
      client_id: { const: "svc-cli" },
      response_type: { const: "code" },
      redirect_uri: { const: "http://127.0.0.1:53682/callback" },
      scope: { enum: ["*:*:read_write", "project_configuration:apps:read"] },
      code_challenge: { const: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" },
      code_challenge_method: { const: "S256" },
      state: text,
    },
  }),
  other("POST", "/oauth2/authorize", "none", {
    isForm: true,
    body: object({
      form: given("forms"),
      account: given("accounts"),
      decision: { enum: ["allow", "allow", "deny"] },
    }, [
      "form",
      "account",
      "decision",
    ]),
  }),
  other("POST", "/oauth2/token", "none", {
    isForm: true,
    body: {
      anyOf: [
        grant("authorization_code", {
          code: given("codes"),
          redirect_uri: { const: "http://127.0.0.1:53682/callback" },
          code_verifier: { const: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" },
        }),
        grant("refresh_token", { refresh_token: given("refresh_tokens") }),
        grant(EXCHANGE, {
          subject_token: given("access_tokens"),
          subject_token_type: { const: ACCESS_TOKEN },
        }),
      ],
    },
  }),
  other("POST", "/oauth2/revoke", "none", {
    isForm: true,
    body: object({ token: given("refresh_tokens"), client_id: { const: "svc-cli" } }, [
      "token",
      "client_id",
    ]),
  }),
  other("GET", "/.well-known/oauth-authorization-server", "none"),
  other("GET", "/health", "none"),
  other("GET", "/openapi.json", "none"),
];

/** What makes the things that others use up is asked for more often. */
const makers = [...api, ...simulator].filter(({ name }) =>
  /^create(Package|Paywall|VirtualCurrency|Entitlement)$|^setOfferingPaywall$/.test(name)
);
const sales = simulator.filter(({ name }) => /\/(purchases|receipts|trigger)$/.test(name));
/** What only follows on something else. */
const sequels = [...api, ...simulator].filter(({ path }) =>
  path === "/v1/receipts" ||
  /\/(change_product|(raise|agree_to)_price|(reverse_)?refund|pause|resume)$/.test(path)
);

/** Everything. */
export const targets: readonly Target[] = [
  ...[...sales, ...makers, ...sequels, ...api],
  ...[...sales, ...makers, ...simulator],
  ...[...sales, ...sales, ...sequels, ...others],
];

function other(
  method: string,
  path: string,
  credential: Credential,
  more: { query?: Record<string, Schema>; body?: Schema; isForm?: boolean } = {},
): Target {
  const { query = {}, ...rest } = more;
  return {
    ...rest,
    name: `${method} ${path}`,
    method,
    path,
    credential,
    query: Object.entries(query).map(([name, schema]) => ({ name, schema })),
  };
}

/** The form of a grant type. */
function grant(name: string, fields: Record<string, Schema>): Schema {
  const all = { grant_type: { const: name }, client_id: { const: "svc-cli" }, ...fields };
  return object(all, Object.keys(all));
}
