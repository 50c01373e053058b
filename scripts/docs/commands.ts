/**
 * The requests of each command, found by running all commands of resources against a service in
 * memory.
 *
 * @module
 */

import { loadFor } from "../../lib/cli/commands/mod.ts";
import { run } from "../../lib/cli/main.ts";
import { findEntry } from "../../lib/cli/words/find_entry.ts";
import { createClient } from "../../lib/client.ts";
import { openService, type Service } from "../../lib/service/mod.ts";
import { LINES, OTHER_LINES } from "./lines.ts";
import { layInStock } from "./stock.ts";
import type { CommandRequest } from "./support.ts";

/** The service's address. Nothing listens there: requests go straight to it. */
const BASE_URL = "http://127.0.0.1:4010";

/** Values by their placeholders in the lines. */
type Values = Record<string, string>;

/** Runs every line, and returns the requests. Throws when a command fails. */
export async function requestsOfCommands(): Promise<CommandRequest[]> {
  // Before a webhook is created its receiver is reached; the system accepts for a listener.
  using receiver = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const service = await openService({ database: ":memory:", webhookTargets: "loopback" });
  try {
    const projectId = service.projectId ?? "";
    const { access_token } = await service.oauth.issueToken();
    const fetch = (request: Request) => service.fetch(request);
    const common = { projectId, fetch };
    const client = createClient({ ...common, baseUrl: BASE_URL, credential: access_token });
    const stock = await layInStock(client, (path, body) => simulate(service, path, body));
    return await runAll(service, {
      ...stock,
      $receiver: `http://127.0.0.1:${receiver.addr.port}/`,
    });
  } finally {
    await service.close();
  }
}

/** Runs the lines in order: later ones may use objects of earlier ones. */
async function runAll(service: Service, values: Values): Promise<CommandRequest[]> {
  const root = await loadFor([]);
  const { refresh_token = "" } = await service.oauth.issueToken();
  const requests: CommandRequest[] = [];
  for (const line of [...LINES, ...OTHER_LINES]) {
    const words = line.split(" ").map((word) => filled(word, values));
    const command = findEntry(root, words).names.join(" ");
    const makes = / create\b/.test(command);
    // A table often needs more than the JSON does, such as the names of what has only ids.
    const out = await runLine(makes ? [...words, "--output", "json"] : words, {
      files: { "product.json": filled(PRODUCT, values), "paywall.json": '{"title":"New"}' },
      env: {
        CLI_BASE_URL: BASE_URL,
        CLI_PROJECT_ID: service.projectId ?? "",
        CLI_REFRESH_TOKEN: refresh_token,
      },
      async fetch(request) {
        const { pathname } = new URL(request.url);
        requests.push({ command, method: request.method, pathname });
        return await service.fetch(request);
      },
    });
    if (makes) values["$new"] = JSON.parse(out).id ?? "";
  }
  return requests;
}

const PRODUCT = '{"app_id":"$app","store_identifier":"new","type":"subscription"}';

/** A text with values in place of their names. */
function filled(text: string, values: Values): string {
  return text.replaceAll(/\$[a-z_]+/g, (name) => values[name] ?? name);
}

/** The environment of a line. */
interface Machine {
  /** Texts of files by their paths. */
  files: Record<string, string>;
  /** The environment. */
  env: Record<string, string>;
  /** The network. */
  fetch(request: Request): Promise<Response>;
}

/** Runs a command line. Returns its output; throws if it fails. */
async function runLine(words: string[], { files, env, fetch }: Machine): Promise<string> {
  const written = { out: "", err: "" };
  const stream = (text: string) => new Blob([text]).stream();
  const code = await run(words, {
    terminal: {
      writeOut: (text) => void (written.out += text),
      writeErr: (text) => void (written.err += text),
      outColumns: undefined,
      outColor: false,
      errColor: false,
    },
    around: {
      env: (name) => env[name],
      cwd: undefined,
      home: undefined,
      now: () => Date.now(),
      fetch,
      pause: () => Promise.resolve(),
      warn: () => {},
      log: () => {},
    },
    files: {
      readFile: (path) => Promise.resolve(stream(files[path] ?? "")),
      stdin: () => stream(""),
      stdinIsTerminal: false,
      say: () => {},
    },
    interactive: false,
    signal: new AbortController().signal,
  });
  if (code === 0) return written.out;
  throw new Error(`Cannot run cli ${words.join(" ")}: exit code ${code}\n${written.err}`);
}

/** Sends a request to the simulator. */
async function simulate(service: Service, path: string, body: object): Promise<unknown> {
  const request = new Request(`${BASE_URL}/_sim/projects/${service.projectId}${path}`, {
    method: "POST",
    headers: {
      "Authorization": `Bearer ${service.adminSecret}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(body),
  });
  const response = await service.fetch(request);
  if (!response.ok) throw new Error(`Cannot ${path}: ${await response.text()}`);
  return await response.json();
}
