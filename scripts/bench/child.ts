/**
 * Processes to measure, and to measure with.
 *
 * @module
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A process that talks in lines. */
export interface Child extends AsyncDisposable {
  /** The number of the process. */
  readonly pid: number;
  /** The next line that it prints. */
  line(): Promise<string>;
  /** Sends it a line. */
  say(line: string): Promise<void>;
  /** Ends its standard input. */
  hangUp(): Promise<void>;
}

/** Starts `deno run` with these arguments. It is stopped, and waited for, when disposed. */
export function startDeno(args: readonly string[], env: Record<string, string> = {}): Child {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...args],
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = linesOf(child.stdout);
  const writer = child.stdin.getWriter();
  return {
    pid: child.pid,
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`Cannot read from ${args.join(" ")}: it has ended`);
      return value;
    },
    say: (line) => writer.write(new TextEncoder().encode(`${line}\n`)),
    hangUp: () => writer.close(),
    async [Symbol.asyncDispose]() {
      try {
        child.kill();
      } catch {
        // It has ended already.
      }
      await child.status;
      await lines.return(undefined);
      await writer.abort().catch(() => {});
    },
  };
}

/** Starts a script of this folder that may do nothing but talk to local addresses. */
export function startScript(name: string, ...words: string[]): Child {
  const flags = ["--quiet", "--no-prompt", "--allow-net=127.0.0.1"];
  return startDeno([...flags, fileURLToPath(import.meta.resolve(`./${name}`)), ...words]);
}

/** The most memory that a process has had, in bytes; undefined where the system does not tell. */
export async function peakMemory(pid: number): Promise<number | undefined> {
  try {
    // Deno itself reads nothing there, unless it may do everything.
    const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/status`] }).output();
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(new TextDecoder().decode(stdout))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** The processor time that a process has taken, in milliseconds; undefined where nobody tells. */
export async function processorTime(pid: number): Promise<number | undefined> {
  try {
    const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/stat`] }).output();
    // The name of the program ends with the last bracket. Times are in hundredths of a second.
    const fields = new TextDecoder().decode(stdout).split(") ").pop()?.split(" ");
    const [user, system] = [Number(fields?.[11]), Number(fields?.[12])];
    return Number.isNaN(user + system) ? undefined : (user + system) * 10;
  } catch {
    return undefined;
  }
}

/** Runs `deno run` with these arguments to its end. Throws unless it ends well. */
export async function runDeno(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<void> {
  await runProgram(Deno.execPath(), ["run", ...args], env);
}

/** Runs a program to its end. Throws unless it ends well. */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, {
    args: [...args],
    env,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`${args.at(-1)} has failed: ${new TextDecoder().decode(stderr)}`);
}

/** The flags of `deno task cli`, its permissions among them. */
export const CLI_FLAGS: readonly string[] = config.tasks.cli.command.split(" ")
  .filter((word) => word.startsWith("--"));

/** The arguments that run the command line as `deno task cli` does, without the task itself. */
export function cliArguments(...words: string[]): string[] {
  return [...CLI_FLAGS, join(ROOT, "cli.ts"), ...words];
}

/** An environment with its own home folder, and with Deno's own cache all the same. */
export async function homeAt(folder: string): Promise<Record<string, string>> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { denoDir }: { denoDir: string } = JSON.parse(new TextDecoder().decode(stdout));
  return { HOME: folder, USERPROFILE: folder, DENO_DIR: denoDir };
}

/** Runs something in a temporary folder, which is removed afterwards. */
export async function inTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "bench" });
  try {
    return await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The lines of a stream of bytes. */
export async function* linesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
