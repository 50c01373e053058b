/**
 * `cli service start`: the local service, until Ctrl-C.
 *
 * @module
 */

import { DEFAULT_BASE_URL } from "../../../address.ts";
import { choice, command, parsed, text, texts, toggle } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { parseCount } from "../../input/input.ts";
import { folderOf, MEMORY } from "../../local/local_service.ts";
import { counted } from "../../screen/display.ts";
import { quoted } from "../../screen/command_lines.ts";
import { copyOf } from "./copy.ts";
import { logging } from "./json_log.ts";
import { databaseFlags, databaseOf } from "./database.ts";
import { type Protection, protectionFlags, protectionOf } from "./protection.ts";

/** Starts the service. */
export const start = command({
  brief: "Start the local service",
  details:
    "Keeps its data in a folder, or only in memory with --data :memory:. Ctrl-C stops it. A " +
    "new database contains a demonstration project unless --empty is given. With --from it works " +
    "on a copy, in a temporary folder that is deleted at the end, or in a new folder with --data; " +
    "the snapshot or backup never changes.",
  examples: ["cli service start --port 0", "cli service start --from before-migration --port 0"],
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
    from: text("Start on a copy of this snapshot, or of this file of cli service backup", {
      placeholder: "name|file",
    }),
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
    drain: parsed(
      "How many seconds to go on answering when asked to stop, while /health/ready answers 503 " +
        "(default: 5 where a balancer can reach the service, else 0)",
      (value) => parseCount(value, "--drain", { min: 0, max: 300 }),
      { placeholder: "seconds" },
    ),
    ...databaseFlags,
    ...protectionFlags,
  },
  async run(given, { from, data, empty, ...input }) {
    const context = input.log === "json" ? await logging(given) : given;
    if (from !== undefined) await databaseOf(context, { ...input, data, from });
    if (from === undefined) return await serveUntilStopped(context, { data, empty, ...input });
    const copy = await copyOf(context, from, { data, empty });
    try {
      const { folder, origin, fill } = copy;
      await serveUntilStopped(context, { data: folder, origin, fill, ...input });
    } finally {
      await copy.remove();
    }
  },
});

/** The settings of a service that is to start. */
interface Wanted extends Protection {
  /** The port. */
  port?: number | undefined;
  /** The address to listen on. */
  host?: string | undefined;
  /** Other host names to accept requests for. */
  name: readonly string[];
  /** Other origins whose web pages may use the SDK addresses. */
  allow_origin: readonly string[];
  /** The data folder, or `:memory:`. */
  data: string | undefined;
  /** The address of a database on a server. */
  database?: string | undefined;
  /** What this process does of the work on it. */
  role?: "api" | "worker" | "all" | undefined;
  /** The file that the data is a copy of, if it is one. */
  origin?: string | undefined;
  /** Makes the copy. */
  fill?: (() => Promise<void>) | undefined;
  /** Whether a new database has no demonstration project. */
  empty?: boolean | undefined;
  /** The rate limits. */
  rate_limits?: "local" | "public" | undefined;
  /** The allowed webhook targets. */
  webhook_targets?: keyof typeof LAXITY | undefined;
  /** The names in answers. */
  dialect?: "specified" | "public" | undefined;
  /** The form of the log. */
  log?: "text" | "json" | undefined;
  /** The retry schedule of webhooks. */
  webhook_schedule?: "public" | "standard" | "dev" | undefined;
  /** How many seconds to go on answering when asked to stop. */
  drain?: number | undefined;
}

/** Starts the service, and stops it when the signal fires. */
async function serveUntilStopped(
  context: Context,
  { port = 4010, host = "127.0.0.1", data, origin, fill, empty, ...input }: Wanted,
): Promise<void> {
  const { serve } = await import("../../../service/serve.ts");
  const isLogged = input.log === "json";
  // The copy of a snapshot is in a folder, whatever the environment says.
  const { shown, ...shared } = origin === undefined
    ? await databaseOf(context, { ...input, data })
    : {};
  const inFolder = shown === undefined && data !== MEMORY;
  const folder = inFolder ? folderOf(context, data) : undefined;
  const protection = protectionOf(context, input);
  const { usualDrain } = await import("../../../service/http/exposure.ts");
  const drainS = input.drain ?? usualDrain({ host, proxies: protection.proxies ?? [] });
  const server = await serve({
    ...protection,
    ...shared,
    folder,
    fill,
    port,
    host,
    names: input.name,
    allowOrigins: input.allow_origin,
    empty: empty === true,
    rateLimits: input.rate_limits ?? "local",
    webhookTargets: input.webhook_targets,
    webhookSchedule: input.webhook_schedule,
    dialect: input.dialect,
    drainS,
    signal: context.signal,
    log: isLogged ? context.out.log : undefined,
    report: (error) =>
      context.out.warn(error instanceof Error ? error.stack ?? error.message : String(error)),
  });
  announce(context, server, {
    folder,
    shown,
    role: shared.role,
    data,
    origin,
    webhookTargets: input.webhook_targets ?? "public",
    signIn: protection.signIn?.kind ?? "none",
    publicUrl: protection.publicUrl,
    isLogged,
  });
  await fired(context.signal);
  if (drainS > 0) {
    context.out.note(`Stopping: requests are answered for ${counted(drainS, "more second")}`);
  }
  await server.stop();
  if (isLogged) context.out.note("The service has stopped");
}

/** The output of a started service. */
interface Started {
  /** Its address. */
  baseUrl: string;
  /** Its project. */
  projectId: string | undefined;
  /** Its secret for `/_sim`. */
  adminSecret: string;
  /** The name of the process on a database that several share. */
  holder: string | undefined;
}

/** The settings of a started service. */
interface Start {
  /** Its data folder. */
  folder: string | undefined;
  /** The address of its database on a server, without the password. */
  shown: string | undefined;
  /** What the process does of the work on it. */
  role: Wanted["role"];
  /** The data folder as requested. */
  data: string | undefined;
  /** The file that the data is a copy of, if it is one. */
  origin: string | undefined;
  /** The allowed webhook targets. */
  webhookTargets: keyof typeof LAXITY;
  /** How people sign in. */
  signIn: keyof typeof WAYS_IN;
  /** The address that browsers use, if it is another one. */
  publicUrl: string | undefined;
  /** Whether standard error is a log for programs. */
  isLogged: boolean;
}

/** The note about signing in. */
const WAYS_IN = {
  none: "Any user of this machine can sign in as the owner: the service asks for no password.",
  password: "People sign in with a password. Print a link to set one with: cli service account " +
    "reset EMAIL",
  oidc: "People sign in at the OpenID Connect provider.",
} as const;

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
  const { folder, shown, role, data, origin, webhookTargets, signIn, publicUrl, isLogged } = start;
  const facts = {
    base_url: server.baseUrl,
    ...publicUrl !== undefined && { public_url: publicUrl },
    project_id: server.projectId ?? null,
    data: shown ?? folder ?? MEMORY,
    ...origin !== undefined && { from: origin },
    pid: Deno.pid,
    ...server.holder !== undefined && { process: server.holder },
    webhook_targets: webhookTargets,
    sign_in: signIn,
    // In memory there is no file to read the secret from.
    ...folder === undefined && shown === undefined && { admin_secret: server.adminSecret },
  };
  // One line, so that a script can read it while the service runs.
  if (out.format === "json") return out.line(JSON.stringify(facts));
  out.text(`The service runs at ${server.baseUrl}`);
  if (publicUrl !== undefined) out.text(`Browsers reach it at ${publicUrl}`);
  if (server.projectId) out.text(`Its first project is ${server.projectId}`);
  const place = shown ?? folder;
  out.text(place === undefined ? "Its data is in memory" : `Its data is in ${place}`);
  if (server.holder !== undefined) out.text(`It is the process ${server.holder} of that database`);
  if (origin !== undefined) out.text(`It is a copy of ${origin}`);
  const laxity = LAXITY[webhookTargets];
  if (laxity) out.warn(laxity);
  const elsewhere = data === undefined || folder === undefined ? "" : ` --data ${quoted(folder)}`;
  out.note(WAYS_IN[signIn] + (signIn === "password" ? elsewhere : ""));
  if (role === "worker") {
    return out.note("It answers only /health, /health/live, /health/ready and /metrics.");
  }
  if (isLogged) return;
  if (place === undefined) {
    return out.note("With :memory:, use --output json to get the admin secret for tokens.");
  }
  const secret = shown === undefined ? "" : ", with the same CLI_SERVICE_ADMIN_SECRET";
  out.note(`In another terminal${secret}:`);
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
