/**
 * The demonstration, from a catalogue to its revenue: starts the service in a temporary folder and
 * on a free port, runs real `cli` commands against it over HTTP, and removes everything again. Run
 * it as `deno task demo`.
 *
 * It fails when a step fails, and also when the service accepts a request that it should refuse.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };

/** The environment of the demonstration. */
export interface Stage {
  /** The working folder of every command, and its home. */
  readonly folder: string;
  /** All variables that a command sees. */
  readonly env: Record<string, string>;
  /** Ends the demonstration early. */
  readonly signal: AbortSignal;
}

/** The options of a step. */
export interface StepOptions {
  /** The standard input of the command, as JSON. */
  input?: object;
  /** The expected exit code. Default 0. */
  code?: number;
}

/** A running service. */
interface Service {
  /** Its address. */
  base_url: string;
  /** Its first project. */
  project_id: string;
  /** Stops it, and returns its exit code. */
  stop(): Promise<number>;
}

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const CLI = `${ROOT}cli.ts`;

/** Runs the demonstration and leaves nothing behind. Returns the exit code. */
export async function main(signal: AbortSignal): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "demo-" });
  try {
    const stage = { folder, signal, env: await variables(folder) };
    heading("Start the service");
    const service = await startService(stage);
    let code;
    try {
      const signedIn = await signIn(stage, service);
      await playCatalogue(signedIn);
      await playCustomers(signedIn);
    } finally {
      code = await service.stop();
    }
    // Windows has no signal that asks a program to end.
    if (code !== 0 && Deno.build.os !== "windows") {
      throw new Error(`The service ended with exit code ${code}`);
    }
    say(CLOSING);
    return 0;
  } catch (error) {
    if (signal.aborted) return 130;
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`\nThe demonstration failed: ${reason}`);
    return 1;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const CLOSING = `
The service is stopped and its data is deleted. To install cli and start a permanent service:

  npx -y deno@2.9.6 task install
  cli service start
`;

/** The catalogue: the commands, act by act. */
async function playCatalogue(stage: Stage): Promise<void> {
  const cli = (...words: string[]) => runStep(stage, words);

  heading("A new service contains a project with sales");
  for (const group of ["projects", "apps", "products", "entitlements", "offerings", "packages"]) {
    await cli(group, "list");
  }

  heading("Add an app, a product and an entitlement");
  const { app, product } = await addProduct(stage);
  await cli("entitlements", "create", "--id", "team", "--display-name", "Notes for teams");
  await cli("entitlements", "attach", "team", product);
  await cli("entitlements", "products", "team");

  heading("Add it to an offering, and make that offering current");
  await cli("offerings", "create", "--id", "spring", "--display-name", "Spring sale");
  await cli("packages", "create", "spring", "--id", "$svc_monthly", "--display-name", "Monthly");
  const item = await newestId(stage, "packages", "list", "--offering", "spring");
  await cli("packages", "attach", item, product);
  await cli("offerings", "set-current", "spring");
  await cli("offerings", "view", "spring");
  await cli("offerings", "list");

  heading("Scripts get the service's own JSON");
  await cli("offerings", "view", "spring", "--output", "json");

  heading("Changes that would break something are refused");
  await runStep(stage, ["apps", "delete", app, "-y"], { code: 7 });

  heading("Every change is in the audit log");
  await cli("audit-logs", "list", "--limit", "5");
}

/** The purchases and their later events: the commands, act by act. */
async function playCustomers(stage: Stage): Promise<void> {
  const cli = (...words: string[]) => runStep(stage, words);
  const terms = ["--price", "9.99", "--duration", "P1M", "--offering", "spring"];

  heading("Your own program receives all events; at the moment it is not running");
  await cli("events", "listen", "--exec", HEAR, "--until-idle");

  heading("A customer buys the new product in the store");
  await cli("simulate", "purchase", "ada", "notes.team.monthly", ...terms);

  heading("The clock advances by a year, with everything due in it");
  await cli("clock", "advance", "P1Y");

  heading("Support sees a customer's data and can act on it");
  await cli("subscribers", "info", "ada");
  await cli("subscribers", "grant", "grace", "team", "-d", "30d", "-y");

  heading("The revenue of the year");
  await cli("metrics", "overview");
  await cli("charts", "get", "revenue", "--period", "month", "--plot");

  heading("Your program starts again: it receives every event, signed and in order");
  await cli("events", "listen", "--exec", HEAR, "--count", "3");
}

/** The command for each event, for the system's shell. */
const HEAR = Deno.build.os === "windows"
  ? "echo Received %EVENT_TYPE% of %EVENT_CUSTOMER_ID%"
  : 'echo "Received $EVENT_TYPE of $EVENT_CUSTOMER_ID"';

/** Adds an app with a product, and returns the ids of both. */
async function addProduct(stage: Stage): Promise<{ app: string; product: string }> {
  const [type, bundle] = ["mac_app_store", "com.example.notes.mac"];
  const name = ["--name", "Notes for Mac"];
  await runStep(stage, ["apps", "create", "--type", type, ...name, "--bundle", bundle]);
  const app = await newestId(stage, "apps", "list");
  const input = {
    app_id: app,
    store_identifier: "notes.team.monthly",
    type: "subscription",
    display_name: "Team, monthly",
  };
  await runStep(stage, ["products", "create", "--file", "-"], { input });
  return { app, product: await newestId(stage, "products", "list") };
}

/**
 * Shows a command as typed, and runs it on this process's own terminal.
 *
 * @throws {Error} for an unexpected exit code, which the message names.
 */
export async function runStep(
  stage: Stage,
  words: readonly string[],
  { input, code = 0 }: StepOptions = {},
): Promise<void> {
  const text = input && JSON.stringify(input, null, 2);
  showCommand(commandLine(words) + (text === undefined ? "" : ` <<'END'\n${text}\nEND`));
  const stdin = text === undefined ? "null" : "piped";
  const child = command(stage, words, { stdin }).spawn();
  // A command that ends early reads nothing; its exit code is more useful than the broken pipe.
  if (text !== undefined) await new Blob([text]).stream().pipeTo(child.stdin).catch(() => {});
  const status = await child.status;
  stage.signal.throwIfAborted();
  if (code !== 0) {
    showCommand("echo $?");
    say(String(status.code));
  }
  if (status.code === code) return;
  const ended = `"${commandLine(words)}" ended with exit code ${status.code}`;
  throw new Error(code === 0 ? ended : `${ended}, but had to be refused with ${code}`);
}

/** The id of the newest item of a list. */
async function newestId(stage: Stage, ...words: string[]): Promise<string> {
  const { items }: { items: { id: string }[] } = JSON.parse(
    await read(stage, [...words, "--output", "json"]),
  );
  const id = items.at(-1)?.id;
  if (id === undefined) throw new Error(`"${commandLine(words)}" printed nothing`);
  return id;
}

/** Runs a command, and returns its standard output. */
async function read(stage: Stage, words: readonly string[]): Promise<string> {
  const { code, stdout } = await command(stage, words, { stdout: "piped" }).output();
  stage.signal.throwIfAborted();
  if (code !== 0) throw new Error(`"${commandLine(words)}" ended with exit code ${code}`);
  return new TextDecoder().decode(stdout).trim();
}

/** Starts the service, and waits for its address. */
async function startService(stage: Stage): Promise<Service> {
  const words = ["service", "start", "--port", "0", "--output", "json"];
  showCommand(`${commandLine(words)} &`);
  const child = command(stage, words, { stdout: "piped" }).spawn();
  const line = await firstLine(child.stdout);
  stage.signal.throwIfAborted();
  if (line === undefined) {
    const { code } = await child.status;
    throw new Error(`"${commandLine(words)}" ended with exit code ${code}`);
  }
  say(line);
  const { base_url, project_id }: Service = JSON.parse(line);
  const stop = async () => {
    try {
      child.kill("SIGTERM");
    } catch {
      // It has ended already, as it does on the Ctrl-C that ends this process.
    }
    return (await child.status).code;
  };
  return { base_url, project_id, stop };
}

/** The environment of all other commands, with address, project and credential. */
async function signIn(stage: Stage, service: Service): Promise<Stage> {
  const words = ["service", "token"];
  showCommand(`export CLI_BASE_URL=${service.base_url} CLI_PROJECT_ID=${service.project_id}`);
  showCommand(`export CLI_REFRESH_TOKEN=$(${commandLine(words)})`);
  const env = {
    ...stage.env,
    CLI_BASE_URL: service.base_url,
    CLI_PROJECT_ID: service.project_id,
    CLI_REFRESH_TOKEN: await read(stage, words),
  };
  return { ...stage, env };
}

/** A `cli` command, with the permissions of `deno task cli`. It ends when the stage's signal fires. */
function command(
  { folder, env, signal }: Stage,
  words: readonly string[],
  options: Deno.CommandOptions,
): Deno.Command {
  const [, ...task] = config.tasks.cli.command.split(" ");
  const args = [...task.map((word) => word === "cli.ts" ? CLI : word), ...words];
  return new Deno.Command(Deno.execPath(), {
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
    ...options,
    args,
    cwd: folder,
    env,
    clearEnv: true,
    signal,
  });
}

/**
 * This process's variables, without the user's settings of `cli` and with a temporary home. Cached
 * packages stay available.
 */
async function variables(folder: string): Promise<Record<string, string>> {
  // Missing packages are downloaded now, since the real home may configure a registry or a proxy.
  await deno("cache", "--frozen", "cli.ts");
  const { denoDir }: { denoDir: string } = JSON.parse(await deno("info", "--json"));
  const own = Object.entries(Deno.env.toObject())
    .filter(([name]) => !/^CLI_|^(https?|all)_proxy$/i.test(name));
  return { ...Object.fromEntries(own), HOME: folder, USERPROFILE: folder, DENO_DIR: denoDir };
}

/** Runs Deno itself in the repository, and returns its standard output. */
async function deno(...args: string[]): Promise<string> {
  const options = { args, cwd: ROOT, stdin: "null", stderr: "inherit" } as const;
  const { success, stdout } = await new Deno.Command(Deno.execPath(), options).output();
  if (!success) throw new Error(`"deno ${args.join(" ")}" failed`);
  return new TextDecoder().decode(stdout);
}

/** The first line of a stream; undefined when it ends before. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | undefined> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end);
  }
  return undefined;
}

/** Words, quoted for a shell. */
function commandLine(words: readonly string[]): string {
  return ["cli", ...words].map((word) => /^[\w.:/@=-]+$/.test(word) ? word : `'${word}'`).join(" ");
}

const colors = Deno.stdout.isTerminal() && !Deno.noColor;

function heading(text: string): void {
  say(colors ? `\n\x1b[1;36m# ${text}\x1b[0m` : `\n# ${text}`);
}

function showCommand(line: string): void {
  say(colors ? `\n\x1b[32m$ \x1b[39;1m${line}\x1b[0m` : `\n$ ${line}`);
}

function say(text: string): void {
  console.log(text);
}

if (import.meta.main) {
  const interrupt = new AbortController();
  const names: Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"]
    : ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const name of names) Deno.addSignalListener(name, () => interrupt.abort());
  Deno.exitCode = await main(interrupt.signal);
}
