/**
 * One contract per route: the source of routing, validation, error bodies, audit entries and the
 * served OpenAPI document.
 *
 * @module
 */

import { z } from "zod";
import type { Clock } from "../time/clock.ts";
import type { Scope } from "./scopes.ts";
import type { ProjectTx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import type { Targets } from "../outbound/targets.ts";

/** HTTP methods of the API. */
export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** The class of rate limits: customer information, project configuration, or charts. */
export type RateClass = "customers" | "configuration" | "charts";

/** The status of a success: done, created, or redirected. */
type SuccessStatus = 200 | 201 | 302;

/** Who is calling. */
export interface Actor {
  /** The account that signed in. */
  account_id: string;
  /** Its e-mail address. */
  email: string;
  /** Its name, if known. */
  name: string | null;
  /** Whether it signs in with a second factor. */
  has_mfa: boolean;
  /** The client that it signed in with. */
  client_id: string;
  /** The permissions of the client, space-separated. */
  scope: string;
}

/** The names in a path template: `"id"` for `/offerings/{id}`. */
export type NamesIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The call of a route: the request's values, and its transaction. */
export interface Call<Params extends string = string, Query = unknown, Body = unknown> {
  /** The transaction, in the project. A GET reads a snapshot; everything else is all or nothing. */
  readonly tx: ProjectTx;
  /** The project in the path. */
  readonly project: Row<"projects">;
  /** The values in the path, decoded. */
  readonly params: Readonly<Record<Params, string>>;
  /** The query, validated. */
  readonly query: Query;
  /** The fields in `expand`. */
  readonly expand: ReadonlySet<string>;
  /** The path and query as sent, for the links in lists. */
  readonly url: URL;
  /** Who is calling. */
  readonly actor: Actor;
  /** The project's time, in milliseconds since 1970. */
  readonly now: number;
  /** Wall time, for tokens and the like. */
  readonly wall: Clock;
  /** The `User-Agent` sent, for the audit log. */
  readonly userAgent: string | null;
  /** Validates the body. Call it after finding the objects in the path, so that 404 comes first. */
  body(): Body;
}

/** The call of a route outside of projects. It works on `tx.whole`. */
export type AccountCall<Params extends string = string, Query = unknown, Body = unknown> = Omit<
  Call<Params, Query, Body>,
  "project"
>;

/** A request before its transaction: nothing is locked, and the data read here may change. */
export interface Preparation<Params extends string = string, Query = unknown, Body = unknown> {
  /** Reads from the database. */
  read<T>(work: (call: Call<Params, Query, Body>) => Promise<T>): Promise<T>;
  /** The check of webhook targets. */
  readonly targets: Targets;
}

/** The contract of a route. */
interface Contract<
  P extends string,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Response,
> {
  /** The operation's name, the same as the library's function. */
  name: string;
  /** One sentence for the OpenAPI document. */
  summary: string;
  /** Rules between parameters, for the OpenAPI document. */
  description?: string;
  /** JSON schemas of restricted values in the path, by name. */
  pathSchemas?: Readonly<Record<string, object>>;
  /** The HTTP method. */
  method: Method;
  /** The path below the project, or from the root when it starts with `/v1/` or `/v2/`. */
  path: P;
  /** The permission or permissions it needs. The first one's domain decides which rate limit counts. */
  scope: Scope | readonly Scope[];
  /** The query, besides `expand`. Parameters it does not name are ignored. */
  query?: Query;
  /** The values of `expand`, each with the permission or permissions it needs. */
  expand?: Record<string, Scope | readonly Scope[]>;
  /** The body. Default: none, or an empty one. */
  body?: Body;
  /** The answer of a success. */
  response: z.ZodType<Response>;
  /** The status of a success. Default 200. */
  status?: SuccessStatus;
  /** The target of an answer with status 302. */
  location?: (answer: Response) => string;
  /** The audit entry that a success writes. */
  audit?: Audit<P, Response>;
  /** Does the work on the network before the transaction, which would block other writers. */
  prepare?: (
    request: Preparation<NamesIn<P>, z.infer<Query>, z.infer<Body>>,
  ) => Promise<void>;
  /** The operation of which this is the public spelling. */
  alias?: string;
}

/** An audit entry: the action, or a function from call and answer to action and target. */
type Audit<P extends string, Response> =
  | string
  | ((call: Call<NamesIn<P>>, answer: Response) => AuditEntry);

/** The action and target of an audit entry. */
export interface AuditEntry {
  /** The action, such as `offering_created`. */
  action_type: string;
  /** The type of the target. */
  target_type: string;
  /** The id of the target. */
  target_identifier: string;
}

/** The description of an operation, for any kind of credential. */
export interface Operation {
  /** The operation's name, the same as the library's function. */
  readonly name: string;
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** Rules between parameters, for the OpenAPI document. */
  readonly description?: string;
  /** JSON schemas of restricted values in the path, by name. */
  readonly pathSchemas?: Readonly<Record<string, object>>;
  /** The HTTP method. */
  readonly method: Method;
  /** The path below the project, or from the root when it starts with `/v1/`, `/v2/` or `/_sim/`. */
  readonly path: string;
  /** The permissions it needs; none where a public SDK key is the credential. */
  readonly scopes: readonly Scope[];
  /** The query; empty without any. */
  readonly query: z.ZodObject;
  /** The values of `expand` and their permissions; empty without any. */
  readonly expand: ReadonlyMap<string, readonly Scope[]>;
  /** The body, if any. */
  readonly body: z.ZodType | undefined;
  /** The answer of a success. */
  readonly response: z.ZodType;
  /** The status of a success. */
  readonly status: SuccessStatus;
  /** Whether it answers 201 after creating something. */
  readonly creates?: true;
  /** The operation of which this is the public spelling. */
  readonly alias?: string;
}

/** A route without its types. */
export interface Route extends Operation {
  /** The rate limit for its requests. */
  readonly rate: RateClass;
  /** The target of its redirects, if any. */
  readonly location: ((answer: unknown) => string) | undefined;
  /** Returns the audit entry of a success, if the route writes one. */
  readonly audit: ((call: Call, answer: unknown) => AuditEntry) | undefined;
  /** Does the work before the transaction, if any. */
  readonly prepare: ((request: Preparation) => Promise<void>) | undefined;
  /** Handles a request. */
  handle(call: Call): Promise<unknown>;
}

const RATES: Readonly<Record<string, RateClass>> = {
  project_configuration: "configuration",
  customer_information: "customers",
  charts_metrics: "charts",
};

/** Declares a route: its contract and its handler. */
export function route<
  P extends string,
  Response,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodType<Record<never, never>>,
>(
  contract: Contract<P, Query, Body, Response>,
  handle: (call: Call<NamesIn<P>, z.infer<Query>, z.infer<Body>>) => Promise<Response>,
): Route {
  const { audit } = contract;
  const scopes = [contract.scope].flat();
  const target = typeof audit === "string"
    ? (_call: Call<NamesIn<P>>, answer: Response) => entryFor(audit, answer)
    : audit;
  return {
    ...contract,
    scopes,
    rate: RATES[scopes[0]?.split(":")[0] ?? ""] ?? "configuration",
    query: contract.query ?? z.object({}),
    expand: new Map(Object.entries(contract.expand ?? {}).map(([part, s]) => [part, [s].flat()])),
    body: contract.body,
    status: contract.status ?? 200,
    // The server validates every call against this contract first.
    audit: target as Route["audit"],
    location: contract.location as Route["location"],
    prepare: contract.prepare as Route["prepare"],
    handle: handle as Route["handle"],
  };
}

/** The whole path of a route, from the root. */
export function fullPath(route: Pick<Operation, "path">): string {
  return /^\/(v[12]|rcbilling|_sim)\//.test(route.path)
    ? route.path
    : `/v2/projects/{project_id}${route.path}`;
}

/** The entry for an answer with the changed object. */
function entryFor(action: string, answer: unknown): AuditEntry {
  const object = typeof answer === "object" && answer !== null ? answer : {};
  const target_type = "object" in object ? String(object.object) : "unknown";
  const target_identifier = "id" in object
    ? String(object.id)
    : "code" in object
    ? String(object.code)
    : "";
  return { action_type: action, target_type, target_identifier };
}
