/**
 * A process that runs tests one by one, seen from outside: it is started when it is needed, and again
 * after it was stopped or has died.
 *
 * @module
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Copy } from "./copies.ts";
import { commonArguments } from "./coverage.ts";
import { spawnDeno, stopGroup } from "./process.ts";
import { type Answer, MARK, type Request } from "./runner.ts";

/** How a request has ended. */
export interface Reply extends Answer {
  /** Whether the process had to be stopped because it took too long. */
  readonly late: boolean;
}

/** Runs tests in a copy of the tree. */
export interface Runner {
  /** Sends a request, and waits for the reply, for so many milliseconds at most. */
  ask(request: Request, limitMs: number): Promise<Reply>;
  /** Stops the process. The next request starts another one, which loads all files again. */
  stop(): Promise<void>;
}

/** A process that runs. */
interface Running {
  /** The process. */
  readonly child: Deno.ChildProcess;
  /** Its input. */
  readonly input: WritableStreamDefaultWriter<Uint8Array>;
  /** Its answers. */
  readonly answers: AsyncGenerator<Answer, void, undefined>;
}

/** A runner in a copy. The signal stops it, and makes its requests throw. */
export function runnerIn(copy: Copy): Runner {
  let running: Running | undefined;
  const stop = async () => {
    const last = running;
    running = undefined;
    if (last === undefined) return;
    await stopGroup(last.child);
    await last.child.status;
    await last.input.abort().catch(() => {});
    await last.answers.return().catch(() => {});
    await emptyFolder(copy.temporary);
  };
  return {
    stop,
    async ask(request, limitMs) {
      copy.signal.throwIfAborted();
      const { child, input, answers } = running ??= start(copy);
      let late = false;
      const end = () => void stopGroup(child);
      const timer = setTimeout(() => {
        late = true;
        end();
      }, limitMs);
      copy.signal.addEventListener("abort", end);
      try {
        await input.write(new TextEncoder().encode(`${JSON.stringify(request)}\n`)).catch(() => {});
        const next = await answers.next();
        if (!next.done) return { ...next.value, late: false };
        await stop();
        copy.signal.throwIfAborted();
        const failure = late ? "It took too long" : "The process ended";
        return { failure, late, hits: [], passed: [], ms: 0 };
      } finally {
        clearTimeout(timer);
        copy.signal.removeEventListener("abort", end);
      }
    },
  };
}

/** Starts the process. */
function start(copy: Copy): Running {
  const program = fileURLToPath(import.meta.resolve("./runner.ts"));
  const config = join(copy.cwd, "deno.json");
  const args = ["run", ...commonArguments(copy), "--config", config, program];
  const child = spawnDeno(args, copy, { stdin: "piped", stderr: "null" });
  return { child, input: child.stdin.getWriter(), answers: answersIn(child.stdout) };
}

/** The answers in an output. What else tests print is left out. */
async function* answersIn(
  output: ReadableStream<Uint8Array>,
): AsyncGenerator<Answer, void, undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith(MARK)) yield JSON.parse(line.slice(MARK.length));
    }
  }
}

/** Removes the remains of tests that were stopped. */
async function emptyFolder(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    await Deno.remove(join(folder, name), { recursive: true }).catch(() => {});
  }
}
