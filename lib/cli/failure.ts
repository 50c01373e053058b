/**
 * The end of a command that failed: its error with all that is added to it, and its exit code.
 *
 * @module
 */

import { Cancelled, NetworkError } from "../errors.ts";
import type { Globals, World } from "./context.ts";
import { isJson } from "./data/shape.ts";
import { visible } from "./screen/display.ts";
import { createOutput } from "./screen/output.ts";
import { type Failed, reportError } from "./screen/report.ts";
import { refusalIn } from "./screen/outcome.ts";
import { inSelection } from "./selection.ts";
import { rewrittenHint } from "./words/rewritten.ts";

/** Reports an error on standard error. */
export async function reportFailure(
  error: unknown,
  { failed, words }: { failed?: Failed | undefined; words: readonly string[] },
  world: World,
  globals: Globals,
): Promise<number> {
  const { exitCode, message, hint, json } = reportError(timedOut(error, world, globals), failed, {
    select: (hint) => inSelection(hint, globals),
    givenToken: Boolean(world.around.env("CLI_REFRESH_TOKEN")?.trim()),
    data: dataIn(words),
    rewritten: rewrittenHint(words),
    signIn: await signInAnew(error, world, globals),
    terminated: world.signal.reason === "SIGTERM",
  });
  // On one line, after any notes, and with nothing in it that drives a terminal.
  if (isJson(globals)) world.terminal.writeErr(`${visible(JSON.stringify(json))}\n`);
  else if (logsJson(words)) {
    const { logLine } = await import("../service/http/request_log.ts");
    const fields = { message, ...hint !== undefined && { hint } };
    world.terminal.writeErr(`${logLine(world.around.now(), "error", fields)}\n`);
  } else createOutput(world.terminal, "table").error(message, hint);
  return exitCode;
}

/** The error of a command that reached its `--timeout`. */
function timedOut(error: unknown, { signal }: World, { timeoutMs }: Globals): unknown {
  if (!(error instanceof Cancelled) || timeoutMs === undefined || signal.aborted) return error;
  return new NetworkError(`Cannot finish within ${timeoutMs / 1000} s: the time limit has passed`, {
    hint: "Pass a larger --timeout, or look for the cause with: cli doctor",
    cause: error,
  });
}

/** Whether standard error is the log of a service, in JSON lines. */
function logsJson([group, name, ...words]: readonly string[]): boolean {
  return group === "service" && name === "start" &&
    / --log[ =]json /.test(` ${words.join(" ")} `);
}

/** The data folder in a command line. */
function dataIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => /^--data(=|$)/.test(word));
  const [, own] = /^--data=(.*)$/s.exec(words[at] ?? "") ?? [];
  return at < 0 ? undefined : own ?? words[at + 1];
}

/** The command that signs in again, if the service refused the sign-in. */
async function signInAnew(
  error: unknown,
  { around }: World,
  { profile }: Globals,
): Promise<string | undefined> {
  const status = refusalIn(error)?.status;
  if (status !== 401 && status !== 403) return;
  const { resolveCredential } = await import("../auth/credential.ts");
  const quiet = { ...around, cwd: around.cwd, home: around.home, warn: () => {} };
  const used = await resolveCredential(quiet, { profile }).catch(() => undefined);
  if (used?.kind !== "local" || status === 401) return used?.signIn;
  // A folder's sign-in comes from another sign-in, and has no more permissions.
  return `cli auth login, then ${used.signIn} --profile default`;
}
