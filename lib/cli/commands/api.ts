/**
 * `cli api`
 *
 * @module
 */

import { type Client, rawJson, type RequestOptions } from "../../client.ts";
import { UsageError } from "../../errors.ts";
import { isJson } from "../../json_text.ts";
import { LARGEST_PAGE, type Page } from "../../page.ts";
import type { Context } from "../context.ts";
import { findJsonFault } from "../input/check_json.ts";
import { parsePairs } from "../input/input.ts";
import { readJsonFile } from "../input/json_file.ts";
import { showList } from "../screen/listing.ts";
import { argument, command, text, texts, toggle } from "../words/command.ts";
import { askAbout, confirmFlags } from "../words/consent.ts";

/** The methods of the API, and those that a newer one may have. */
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Actions that the commands of their own ask about. */
const FOR_GOOD = /\/actions\/(refund|cancel|transfer|revoke_\w+|rotate_\w+)\/*$/i;

/** Headers that the client sets itself. */
const OWN_HEADERS =
  /^(authorization|cookie|host|content-(length|type|encoding)|transfer-encoding|connection|accept|proxy-.*|user-agent)$/i;

const flags = {
  field: texts("A field of the request, as text", { short: "f", placeholder: "key=text" }),
  json_field: texts("A field of the request, as JSON", { short: "F", placeholder: "key=json" }),
  body: text("The JSON body: @ and the path of a file, or - for standard input", {
    placeholder: "@path",
  }),
  header: texts("A header to send too", { short: "H", placeholder: "name:value" }),
  all: toggle("Read all pages of a list"),
  ...confirmFlags,
};

/** The request's input. */
interface Given {
  /** `-f`. */
  field: string[];
  /** `-F`. */
  json_field: string[];
  /** `--body`. */
  body?: string | undefined;
  /** `-H`. */
  header: string[];
  /** `--all`. */
  all?: boolean | undefined;
}

/** Sends any request of the API. */
export const api = command({
  brief: "Send an API request",
  details: "For requests without a command of their own. A path that begins with /v1, /v2 or " +
    "/projects is taken from the service's address, any other path from the project. {project_id} stands for the " +
    "project. The fields of a GET go into its query, those of other methods into the body.\n" +
    "Sign-in, retries and errors are those of all commands. DELETE, refunds, cancellations, " +
    "transfers and revocations ask first.",
  examples: [
    "cli api GET /offerings --all --output csv",
    "cli api POST /offerings -f lookup_key=sale -f display_name=Sale",
    'cli api POST /offerings/sale -F metadata=\'{"badge":"New"}\'',
    "cli api POST /v2/projects/{project_id}/products --body @product.json",
  ],
  args: {
    method: argument(`The method: ${METHODS.join(", ")}`),
    path: argument("The path, with its query"),
  },
  flags,
  async run(context, { method: word, path, ...input }) {
    const method = word.toUpperCase();
    checkMethod(word, method, input);
    const fields = fieldsOf(input, method);
    checkPath(path);
    const options: RequestOptions = {
      ...headersOf(input.header),
      redirect: true,
      query: method === "GET" ? { ...pageSize(path, input), ...fields } : undefined,
    };
    const body = await bodyOf(context, method, input, fields);
    const client = await context.client();
    const address = addressOf(path, client);
    const { pathname } = new URL(address, client.baseUrl);
    if (method === "DELETE" || FOR_GOOD.test(decoded(pathname))) {
      await askAbout(context, input, () => `Send ${method} ${address}`);
    }
    const answer = await client.send<Page<unknown> | null>(method, address, body, options);
    await show(context, input, answer);
  },
});

/** Prints an answer: the pages of a list with `--all`, anything else as it came. */
async function show(
  context: Context,
  { all }: Given,
  answer: Page<unknown> | null,
): Promise<void> {
  const { out } = context;
  if (answer === null) return out.done("Done");
  if (!all || !Array.isArray(answer.items)) {
    return out.json(rawJson(answer) ?? JSON.stringify(answer));
  }
  const asJson = { ...context, out: { ...out, format: "json" as const } };
  await showList(asJson, { all }, () => Promise.resolve(answer), []);
}

/** Refuses methods that there are not, and flags that do not go with one. */
function checkMethod(word: string, method: string, { all, body }: Given): void {
  if (!METHODS.includes(method)) {
    throw new UsageError(`Cannot send ${JSON.stringify(word)}: there is no such method`, {
      hint: `Write the method before the path: ${METHODS.join(", ")}`,
    });
  }
  if (all && method !== "GET") {
    throw new UsageError(`Cannot read all pages with ${method}: only GET lists`);
  }
  if (body !== undefined && method === "GET") {
    throw new UsageError("Cannot send a body with GET", { hint: "Give query fields with -f." });
  }
}

/** Refuses a path that a URL parser would change, or that has an unknown placeholder. */
function checkPath(written: string): void {
  const cannot = `Cannot send a request to ${JSON.stringify(written)}`;
  if (!URL.canParse(written, "http://service")) throw new UsageError(`${cannot}: it is not a path`);
  const [path = ""] = written.replace(/[\t\n\r]/g, "").split(/[?#]/, 1);
  const segments = path.split(/[\\/]/).map((segment) => segment.trim());
  const dots = segments.find((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  if (dots !== undefined) {
    throw new UsageError(`${cannot}: a path cannot contain ${JSON.stringify(dots)}`, {
      hint: "Write the whole path, such as /v2/projects.",
    });
  }
  const [unknown] = /\{(?!project_id\})[^{}/]*\}/.exec(path) ?? [];
  if (unknown !== undefined) {
    throw new UsageError(`${cannot}: ${unknown} has no value`, {
      hint: "Write the id itself. Only {project_id} is filled in.",
    });
  }
}

/** A path without percent-encoding, as the service reads it. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The address that is meant, as the service's own path or as a URL. */
function addressOf(written: string, { baseUrl, projectId }: Client): string {
  const isUrl = /^https?:\/\//i.test(written);
  if (isUrl && URL.parse(written)?.origin !== new URL(baseUrl).origin) {
    throw new UsageError(`Cannot send a request to ${written}: the service is at ${baseUrl}`, {
      hint: "Give a path, such as /offerings.",
    });
  }
  const path = isUrl || written.startsWith("/") ? written : `/${written}`;
  const whole = isUrl || /^\/(v1|v2|_sim|oauth2|health|openapi\.json)([/?#]|$)/.test(path)
    ? path
    : /^\/projects([/?#]|$)/.test(path)
    ? `/v2${path}`
    : `/v2/projects/{project_id}${path}`;
  if (!whole.includes("{project_id}")) return whole;
  if (projectId === undefined) {
    throw new UsageError("Cannot send a request to a project: none is set", {
      hint: "Pass --project-id, set CLI_PROJECT_ID, or run: cli init",
    });
  }
  return whole.replaceAll("{project_id}", encodeURIComponent(projectId));
}

/** The largest page for a walk, unless the path says how many. */
function pageSize(path: string, { all }: Given): { limit?: number } {
  return all && !/[?&]limit=/.test(path) ? { limit: LARGEST_PAGE } : {};
}

/** The fields of `-f` and `-F`. In a query a field may be given several times. */
function fieldsOf({ field, json_field }: Given, method: string): Record<string, unknown> {
  const pairs: [string, unknown][] = [
    ...parsePairs(field, "-f"),
    ...parsePairs(json_field, "-F").map(([key, json]): [string, unknown] => [
      key,
      parseField(key, json),
    ]),
  ];
  const fields = new Map<string, unknown>();
  for (const [key, value] of pairs) {
    const before = fields.get(key);
    if (before !== undefined && method !== "GET") {
      throw new UsageError(`Cannot send the field ${JSON.stringify(key)} twice`, {
        hint: `Give a list as JSON: -F '${key}=["a","b"]'`,
      });
    }
    fields.set(key, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(fields);
}

/** Reads the JSON of a field. A number that would change is refused. */
function parseField(key: string, json: string): unknown {
  const fault = findJsonFault(json);
  if (!fault) return JSON.parse(json);
  // JSON may still have a number that would change, or a name twice.
  const why = isJson(json)
    ? fault.what
    : fault.column === 1 && fault.line === 1
    ? "it is not JSON"
    : `it is not JSON: line ${fault.line}, column ${fault.column}: ${fault.what}`;
  throw new UsageError(`Cannot use ${JSON.stringify(json)} for ${key}: ${why}`, {
    hint: `Give text with -f ${key}=…`,
  });
}

/** The body of a request: the file's object, with the fields in it. */
async function bodyOf(
  { files }: Context,
  method: string,
  { body, field, json_field }: Given,
  fields: Record<string, unknown>,
): Promise<object | undefined> {
  if (method === "GET") return undefined;
  if (body === undefined) {
    return method === "DELETE" && field.length + json_field.length === 0 ? undefined : fields;
  }
  if (body !== "-" && !/^@./.test(body)) {
    throw new UsageError(`Cannot use ${JSON.stringify(body)} for --body: it names no file`, {
      hint: "Write --body @PATH for a file, or --body - for standard input.",
    });
  }
  return { ...await readJsonFile(files, body === "-" ? body : body.slice(1)), ...fields };
}

/** The headers of `-H`. */
function headersOf(lines: readonly string[]): Pick<RequestOptions, "headers" | "idempotencyKey"> {
  const headers: Record<string, string> = {};
  let idempotencyKey: string | undefined;
  for (const line of lines) {
    const [, name = "", value = ""] = /^([!#$%&'*+.^`|~\w-]+):\s*([\x20-\x7e]*)$/.exec(line) ?? [];
    if (name === "") {
      throw new UsageError(`Cannot send the header ${JSON.stringify(line)}: it is malformed`, {
        hint: "Pass a name and a value in printable ASCII: -H 'Name: value'",
      });
    }
    if (OWN_HEADERS.test(name)) {
      throw new UsageError(`Cannot send the header ${name}: the client sets it itself`, {
        hint: "Choose the sign-in with --profile, and give the body with --body.",
      });
    }
    if (/^idempotency-key$/i.test(name)) idempotencyKey = value;
    else headers[name] = value;
  }
  return { headers, idempotencyKey };
}
