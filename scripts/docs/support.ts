/**
 * The page of all operations, and of the excluded ones.
 *
 * @module
 */

import { fullPath, type Operation } from "../../lib/service/contract/route.ts";
import { publicRoutes } from "../../lib/service/routes/mod.ts";
import { table, wrapped } from "../markdown.ts";
import { ABSENT } from "./absent.ts";
import type { LibraryFunction } from "./library.ts";

/** A request of a command. */
export interface CommandRequest {
  /** The command: `offerings list`. */
  command: string;
  /** The method. */
  method: string;
  /** The path. */
  pathname: string;
}

/** Renders the page. Throws when an operation has no function in the library. */
export function renderSupport(
  operations: readonly Operation[],
  functions: ReadonlyMap<string, LibraryFunction>,
  requests: readonly CommandRequest[],
): string {
  const own = operations.filter(({ alias }) => alias === undefined);
  const commands = commandsOf(operations, requests);
  const sections = Map.groupBy(own, ({ name }) => functionOf(name, functions).resource);
  const lines = [
    ...intro(own, commands),
    ...[...sections].flatMap(([resource, rows]) => [
      "",
      `## ${titleOf(resource)}`,
      "",
      ...table([HEAD, ...rows.map((row) => rowOf(row, commands))]),
    ]),
    ...otherSpellings(operations),
    ...otherNames(),
    ...absent(),
  ];
  return `${lines.join("\n")}\n`;
}

const HEAD = ["Operation", "What it does", "Library", "Command", "Permissions"];

/** The first lines of the page. */
function intro(own: readonly Operation[], commands: ReadonlyMap<string, string[]>): string[] {
  const without = own.filter(({ name }) => !commands.has(name)).length;
  const text =
    "Written by `deno task docs` from the service's contracts; do not edit. The API has " +
    `${own.length} operations. The service answers each of them, the library has a function ` +
    `for each, and ${without === 0 ? "each has a command" : `${without} have no command`}. ` +
    "Paths are below `/v2/projects/{project_id}`, unless they begin with a version. The listed " +
    "commands send the operation's request when everything succeeds; commands for the local " +
    "service alone send none. `init` and `auth login`, which need a folder or a person, read " +
    "projects, and `init` reads apps.";
  return ["# What is supported", "", ...wrapped(text)];
}

function rowOf(operation: Operation, commands: ReadonlyMap<string, string[]>): string[] {
  return [
    code(placeOf(operation)),
    operation.summary,
    code(operation.name),
    (commands.get(operation.name) ?? []).map(code).join(", "),
    operation.scopes.length === 0 ? "a public SDK key" : permissions(operation),
  ];
}

/** The permissions that an operation needs, all of them. */
function permissions({ scopes }: Operation): string {
  return scopes.map(code).join(", ");
}

/** Method and path, without the common prefix. */
function placeOf(operation: Operation): string {
  const path = fullPath(operation).replace("/v2/projects/{project_id}/", "/");
  return `${operation.method} ${path}`;
}

/** The second addresses of operations. */
function otherSpellings(operations: readonly Operation[]): string[] {
  const rows = operations.filter(({ alias }) => alias !== undefined);
  const text =
    "The service also answers these addresses, which the public API has in addition or " +
    "instead. The library uses the addresses above.";
  return [
    "",
    "## Second addresses",
    "",
    ...wrapped(text),
    "",
    ...table([
      ["Operation", "What it does", "Belongs to", "Permissions"],
      ...rows.map((row) => [
        code(placeOf(row)),
        row.summary,
        code(row.alias ?? ""),
        permissions(row),
      ]),
    ]),
  ];
}

/**
 * Names of the public API that differ from those of the document, with the requests that accept
 * them and the answers that use them.
 */
const NAMES = [
  [
    "App type `svc_billing`, and the object named after it",
    "`rc_billing`",
    "`POST /apps`, `POST /apps/{id}`",
    "Apps created with it",
  ],
  [
    "Store `svc_billing`",
    "`rc_billing`",
    "Filters of charts, in both forms",
    "`filters` of a chart",
  ],
  [
    "SDK keys `svcb_…`",
    "`rcb_…`",
    "`GET /v1/subscribers/{user}/offerings`",
    "Keys of apps created with `rc_billing`",
  ],
  [
    "Packages `$svc_monthly` and their kind",
    "`$rc_monthly`",
    "`POST /packages`; both are one package",
    "Packages created with it, also for SDKs",
  ],
  [
    "`period` of a chart",
    "`resolution`: a word or its number",
    "`GET /charts/{name}`",
    "`resolution` of a chart",
  ],
  ["`country=US` as a filter", "`filters=[{…}]`", "`GET /charts/{name}`", "`filters` of a chart"],
] as const;

/** The accepted names besides those of the document. */
function otherNames(): string[] {
  const text =
    "The service also accepts these names of the public API. Its answers use the document's " +
    "names, except as the last column shows. After `cli service start --dialect public` all " +
    "answers and events use the public names, and the operations of the second table exist as " +
    "well.";
  return [
    "",
    "## Public names",
    "",
    ...wrapped(text),
    "",
    ...table([
      ["Name in the document", "Public name", "Accepted in", "Used in answers"],
      ...NAMES.map((row) => [...row]),
    ]),
    "",
    ...table([
      ["Operation of the public dialect", "What it does", "Permissions"],
      ...publicRoutes.map((row) => [code(placeOf(row)), row.summary, permissions(row)]),
    ]),
  ];
}

/** The excluded operations, with alternatives. */
function absent(): string[] {
  const text =
    "The API does not have these operations. The service answers them with the status below; " +
    "the library and the client do not have them.";
  return [
    "",
    "## Deliberately absent",
    "",
    ...wrapped(text),
    "",
    ...table([
      ["Operation", "Answer", "Instead"],
      ...ABSENT.map(({ method, path, status, instead }) => [
        code(`${method} ${path}`),
        String(status),
        instead,
      ]),
    ]),
  ];
}

/** The commands that send each operation's request, by the operation's name. */
function commandsOf(
  operations: readonly Operation[],
  requests: readonly CommandRequest[],
): Map<string, string[]> {
  const commands = new Map<string, string[]>();
  for (const { command, method, pathname } of requests) {
    const operation = operationAt(operations, method, pathname);
    if (!operation) continue;
    const name = operation.alias ?? operation.name;
    const known = commands.get(name) ?? [];
    if (!known.includes(command)) commands.set(name, [...known, command]);
  }
  return commands;
}

/** The operation of a request. A fixed path has precedence over one with values. */
function operationAt(
  operations: readonly Operation[],
  method: string,
  pathname: string,
): Operation | undefined {
  return operations.filter((operation) => operation.method === method)
    .filter((operation) => {
      const pattern = fullPath(operation).replace(/\{\w+\}/g, "[^/]+");
      return new RegExp(`^${pattern}$`).test(pathname);
    })
    .toSorted((a, b) => a.path.split("{").length - b.path.split("{").length)[0];
}

function functionOf(
  name: string,
  functions: ReadonlyMap<string, LibraryFunction>,
): LibraryFunction {
  const found = functions.get(name);
  if (!found) throw new Error(`Cannot describe ${name}: mod.ts exports no such function`);
  return found;
}

/** A resource as a heading: `audit_logs` is `Audit logs`. */
function titleOf(resource: string): string {
  const words = resource.replaceAll("_", " ").replace(/^sdk\b/, "SDK");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function code(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}
