/**
 * `cli service …`: the local service. Only this file of the command line loads it.
 *
 * @module
 */

import { DEFAULT_BASE_URL } from "../../auth/renewal.ts";
import { choice, command, group, parsed, text, texts, toggle } from "../words/command.ts";
import type { Context } from "../context.ts";
import { parseCount } from "../input/input.ts";
import { adminClient, dataFlag, folderOf, MEMORY } from "../local/local_service.ts";
import { quoted } from "../words/shell.ts";
import { askFirst, confirmFlags } from "../words/plain.ts";
import { account } from "./service/account.ts";
import { clients } from "./service/client.ts";
import { backup } from "./service/backup.ts";
import { restore } from "./service/restore.ts";
import { status } from "./service/status.ts";
import { issueTokens } from "../../simulator/service.ts";

const YEAR_MS = 365 * 86_400_000;

const start = command({
  brief: "Start the local service",
  details:
    "Keeps its data in a folder, or only in memory with --data :memory:. Ctrl-C stops it. A " +
    "new database contains a demonstration project unless --empty is given.",
  flags: {
    port: parsed(
      "The port (default: 4010; 0: any free one)",
      (value) => parseCount(value, "--port", { min: 0, max: 65_535 }),
      { placeholder: "n" },
    ),
    host: text("The address to listen on (default: 127.0.0.1)", { placeholder: "address" }),
    name: texts("Another host name to accept requests for", { placeholder: "host" }),
    allow_origin: texts(
      "Another origin whose web pages may use the SDK addresses (default: those of this machine)",
      { placeholder: "origin" },
    ),
    data: text("The data folder, or :memory: (default: ~/.cli/service)", { placeholder: "dir" }),
    empty: toggle("Create a new database without the demonstration project"),
    rate_limits: choice("The rate limits (default: local, high enough for scripts)", [
      "local",
      "public",
    ]),
    webhook_targets: choice(
      "Allowed webhook targets: the Internet, also this machine, or also its private " +
        "networks (default: public)",
      ["public", "loopback", "private"],
    ),
    dialect: choice(
      "The names in answers: those of the API document, or those of the public API, with its " +
        "additional operations (default: specified)",
      ["specified", "public"],
    ),
    log: choice(
      "The log on standard error: warnings as text, or every request and warning as a JSON line " +
        "(default: text)",
      ["text", "json"],
    ),
    webhook_schedule: choice(
      "The retry schedule of webhooks: that of the public API, that of Standard Webhooks, or " +
        "within seconds (default: public)",
      ["public", "standard", "dev"],
    ),
  },
  async run(context, { port = 4010, host = "127.0.0.1", data, empty, ...input }) {
    const { serve } = await import("../../service/http/serve.ts");
    const folder = data === MEMORY ? undefined : folderOf(context, data);
    const server = await serve({
      folder,
      port,
      host,
      names: input.name,
      allowOrigins: input.allow_origin,
      empty: empty === true,
      rateLimits: input.rate_limits ?? "local",
      webhookTargets: input.webhook_targets,
      webhookSchedule: input.webhook_schedule,
      dialect: input.dialect,
      signal: context.signal,
      log: input.log === "json" ? context.out.log : undefined,
      report: (error) =>
        context.out.warn(error instanceof Error ? error.stack ?? error.message : String(error)),
    });
    announce(context, server, {
      folder,
      data,
      webhookTargets: input.webhook_targets ?? "public",
    });
    if (!isLoopback(host)) {
      context.out.warn(
        `Anyone who can reach ${host} can sign in as the owner: the service asks for no password`,
      );
    }
    await fired(context.signal);
    await server.stop();
  },
});

/** Whether only this machine can reach a host. */
function isLoopback(host: string): boolean {
  return /^(localhost|127\..*|\[?::1\]?)$/i.test(host);
}

/** The output of a started service. */
interface Started {
  /** Its address. */
  baseUrl: string;
  /** Its project. */
  projectId: string | undefined;
  /** Its secret for `/_sim`. */
  adminSecret: string;
}

/** The settings of a started service. */
interface Start {
  /** Its data folder. */
  folder: string | undefined;
  /** The data folder as requested. */
  data: string | undefined;
  /** The allowed webhook targets. */
  webhookTargets: keyof typeof LAXITY;
}

/** The warning about webhook targets, if other than the Internet. */
const LAXITY = {
  public: undefined,
  loopback: "Webhooks may go to this machine, even without HTTPS (--webhook-targets loopback)",
  private: "Webhooks may go to this machine and private networks, even without HTTPS " +
    "(--webhook-targets private)",
} as const;

/** Shows the service's address, and the next steps. */
function announce(context: Context, server: Started, start: Start): void {
  const { out } = context;
  const { folder, data, webhookTargets } = start;
  const facts = {
    base_url: server.baseUrl,
    project_id: server.projectId ?? null,
    data: folder ?? MEMORY,
    pid: Deno.pid,
    webhook_targets: webhookTargets,
    // In memory there is no file to read the secret from.
    ...folder === undefined && { admin_secret: server.adminSecret },
  };
  // One line, so that a script can read it while the service runs.
  if (out.format === "json") return out.line(JSON.stringify(facts));
  out.text(`The service runs at ${server.baseUrl}`);
  if (server.projectId) out.text(`Its demonstration project is ${server.projectId}`);
  out.text(folder === undefined ? "Its data is in memory" : `Its data is in ${folder}`);
  const laxity = LAXITY[webhookTargets];
  if (laxity) out.warn(laxity);
  out.note("Any user of this machine can sign in as the owner: the service asks for no password.");
  if (folder === undefined) {
    return out.note("With :memory:, use --output json to get the admin secret for tokens.");
  }
  const elsewhere = data === undefined ? "" : ` --data ${quoted(folder)}`;
  out.note("In another terminal:");
  if (server.baseUrl !== DEFAULT_BASE_URL) out.note(`  export CLI_BASE_URL=${server.baseUrl}`);
  if (server.projectId) out.note(`  export CLI_PROJECT_ID=${server.projectId}`);
  out.note(`  export CLI_REFRESH_TOKEN=$(cli service token${elsewhere})`);
  out.note(`  cli ${server.projectId ? "offerings" : "projects"} list`);
}

/** Resolves when the signal fires. */
function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

const token = command({
  brief: "Make a refresh token for CI and scripts",
  details: "The token does not rotate, so you can keep it in CLI_REFRESH_TOKEN and use it on " +
    "several machines. With --rotating each use replaces it.",
  flags: {
    account: text("The account it acts for (default: the owner)", { placeholder: "email" }),
    scope: texts("The permissions (default: all)", { placeholder: "scope" }),
    rotating: toggle("Replace it on each use"),
    ...dataFlag,
  },
  hint: ({ status }) =>
    status === 404 ? "See the accounts with: cli service account list" : undefined,
  async run(context, { account, scope, rotating, data }) {
    const client = await adminClient(context, data);
    const pair = await issueTokens(client, {
      ...account !== undefined && { account_email: account },
      ...scope.length > 0 && { scope: scope.join(" ") },
      rotates: rotating === true,
      // A rotating token is renewed with each use; a permanent one has to last.
      ...rotating !== true && { lifetime_ms: YEAR_MS },
    });
    const { refresh_token } = pair;
    if (context.out.format === "json") {
      const facts = { refresh_token, scope: pair.scope, rotates: rotating === true };
      return context.out.json(JSON.stringify({ ...facts, base_url: client.baseUrl }));
    }
    context.out.text(refresh_token);
    context.out.note(
      rotating
        ? "This token rotates: use it on one machine only, which stores each replacement."
        : "This token does not rotate and expires in a year. Keep it in CLI_REFRESH_TOKEN; it " +
          "is shown only once.",
    );
  },
});

const reset = command({
  brief: "Delete the local service's data",
  flags: { ...dataFlag, ...confirmFlags },
  async run(context, { data, ...input }) {
    const folder = folderOf(context, data);
    const { checkDataFolder, resetFolder } = await import("../../service/store/data_folder.ts");
    await checkDataFolder(folder);
    await askFirst(context, input, `Delete all data of the local service in ${folder}?`);
    await resetFolder(folder);
    context.out.done(`Deleted the data in ${folder}; the next start creates new data`);
    if (context.out.format === "json") {
      context.out.json(JSON.stringify({ reset: true, data: folder }));
    }
  },
});

/** The local service. */
export const service = group("The local service on this machine", [], {
  start,
  status,
  token,
  account,
  client: clients,
  backup,
  restore,
  reset,
});
