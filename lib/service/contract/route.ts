/**
 * One contract per route. Routing, validation, error bodies, audit entries and the served OpenAPI
 * document all come from it.
 *
 * @module
 */

import { z } from "zod";
import type { Clock } from "../clock.ts";
import type { Scope } from "./scopes.ts";
import type { ProjectTx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import type { Targets } from "../outbound/targets.ts";

/** HTTP methods of the API. */
export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Which counter a request runs up: customer information, project configuration, or charts. */
export type RateClass = "customers" | "configuration" | "charts";

/** The status of a success: done, created, or found elsewhere. */
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
  /** What the client may do, space-separated. */
  scope: string;
}

/** The names in a path template: `"id"` for `/offerings/{id}`. */
export type NamesIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** One request in the hands of a route: what came in, and the transaction it runs in. */
export interface Call<Params extends string = string, Query = unknown, Body = unknown> {
  /** The transaction, in the project. A GET reads a snapshot; everything else is all or nothing. */
  readonly tx: ProjectTx;
  /** The project in the path. */
  readonly project: Row<"projects">;
  /** The values in the path, decoded. */
  readonly params: Readonly<Record<Params, string>>;
  /** The query, validated. */
  readonly query: Query;
  /** The parts that `expand` asks for. */
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
  /** Validates the body. Call it once the objects in the path are found, so that 404 comes first. */
  body(): Body;
}

/** The call of a route that belongs to no project: `tx.whole` is what it works with. */
export type AccountCall<Params extends string = string, Query = unknown, Body = unknown> = Omit<
  Call<Params, Query, Body>,
  "project"
>;

/** A request before its transaction: nothing is locked, and nothing that is read here has to last. */
export interface Preparation<Params extends string = string, Query = unknown, Body = unknown> {
  /** Reads what the handler will meet. */
  read<T>(work: (call: Call<Params, Query, Body>) => Promise<T>): Promise<T>;
  /** The guard before other people's addresses. */
  readonly targets: Targets;
}

/** What a route promises. */
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
  /** Rules that no schema of one parameter can say, for the OpenAPI document. */
  description?: string;
  /** What values in the path must be, where not any text will do: JSON schemas by name. */
  pathSchemas?: Readonly<Record<string, object>>;
  /** The HTTP method. */
  method: Method;
  /** The path below the project, or from the root when it starts with `/v1/` or `/v2/`. */
  path: P;
  /** The permission or permissions it needs. The first one's domain decides which rate limit counts. */
  scope: Scope | readonly Scope[];
  /** The query, besides `expand`. Parameters it does not name are ignored. */
  query?: Query;
  /** What `expand` accepts, and the permission or permissions that each value needs. */
  expand?: Record<string, Scope | readonly Scope[]>;
  /** The body. Without it the route takes none, or an empty one. */
  body?: Body;
  /** The answer of a success. */
  response: z.ZodType<Response>;
  /** The status of a success. Default 200. */
  status?: SuccessStatus;
  /** Where an answer of status 302 leads to. */
  location?: (answer: Response) => string;
  /** The audit entry that a success writes. */
  audit?: Audit<P, Response>;
  /** Does what takes the network, before the transaction: there, nobody else could write meanwhile. */
  prepare?: (
    request: Preparation<NamesIn<P>, z.infer<Query>, z.infer<Body>>,
  ) => Promise<void>;
  /** The operation that this public spelling stands for. */
  alias?: string;
}

/** An audit entry: the action, or a function that tells it and its target from call and answer. */
type Audit<P extends string, Response> =
  | string
  | ((call: Call<NamesIn<P>>, answer: Response) => AuditEntry);

/** What an audit entry says was done to what. */
export interface AuditEntry {
  /** What was done, such as `offering_created`. */
  action_type: string;
  /** The kind of thing it was done to. */
  target_type: string;
  /** The id of the thing it was done to. */
  target_identifier: string;
}

/** What is told of an operation, whoever may use it. */
export interface Operation {
  /** The operation's name, the same as the library's function. */
  readonly name: string;
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** Rules that no schema of one parameter can say, for the OpenAPI document. */
  readonly description?: string;
  /** What values in the path must be, where not any text will do: JSON schemas by name. */
  readonly pathSchemas?: Readonly<Record<string, object>>;
  /** The HTTP method. */
  readonly method: Method;
  /** The path below the project, or from the root when it starts with `/v1/`, `/v2/` or `/_sim/`. */
  readonly path: string;
  /** The permissions it needs; none where a public SDK key is the credential. */
  readonly scopes: readonly Scope[];
  /** The query, empty where the contract names none. */
  readonly query: z.ZodObject;
  /** What `expand` accepts and needs, empty where the contract names none. */
  readonly expand: ReadonlyMap<string, readonly Scope[]>;
  /** The body, where the operation takes one. */
  readonly body: z.ZodType | undefined;
  /** The answer of a success. */
  readonly response: z.ZodType;
  /** The status of a success. */
  readonly status: SuccessStatus;
  /** Whether it answers 201 where it has created something. */
  readonly creates?: true;
  /** The operation that this public spelling stands for. */
  readonly alias?: string;
}

/** A route, its types forgotten. */
export interface Route extends Operation {
  /** The limit that its requests count towards. */
  readonly rate: RateClass;
  /** Where an answer leads to, if the route sends its callers elsewhere. */
  readonly location: ((answer: unknown) => string) | undefined;
  /** Tells the audit entry of a success, where the route writes one. */
  readonly audit: ((call: Call, answer: unknown) => AuditEntry) | undefined;
  /** Does what has to be done before the transaction, where there is anything. */
  readonly prepare: ((request: Preparation) => Promise<void>) | undefined;
  /** Does what the contract says. */
  handle(call: Call): Promise<unknown>;
}

const RATES: Readonly<Record<string, RateClass>> = {
  project_configuration: "configuration",
  customer_information: "customers",
  charts_metrics: "charts",
};

/** Declares a route: what it promises, and the function that keeps the promise. */
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
    // The server hands a route only calls that it has validated against this very contract.
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

/** The entry for an answer that is the changed object itself. */
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
