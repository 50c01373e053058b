/**
 * `--watch`: runs a reading command repeatedly. A terminal shows the output in the same place; a
 * pipe gets it only after a change.
 *
 * @module
 */

import { Cancelled, ToolkitError, UsageError } from "../errors.ts";
import { pause } from "../retry.ts";
import { createContext, type Globals, type World } from "./context.ts";
import { width, wrap } from "./screen/display.ts";
import { createOutput, type Terminal } from "./screen/output.ts";
import { type Group, runCommand } from "./words/command.ts";
import { readsOnly } from "./words/effect.ts";
import type { FoundEntry } from "./words/find_entry.ts";
import { openData } from "./open_data.ts";
import { isShaped } from "./data/shape.ts";

/** The output of one run. */
interface Showing {
  /** Standard output. */
  out: string;
  /** Standard error. */
  err: string;
}

/**
 * Runs a command repeatedly, until Ctrl-C or until the reader ends. A failure of the first run ends
 * it; later failures, such as a lost connection, appear below the last output.
 *
 * @throws {UsageError} when the command changes something.
 */
export async function watch(
  root: Group,
  words: readonly string[],
  world: World,
  globals: Globals,
  found: FoundEntry,
): Promise<void> {
  if (!readsOnly(found)) {
    throw new UsageError(`Cannot watch cli ${found.names.join(" ")}: it changes something`, {
      hint: "Use --watch with lists and views.",
    });
  }
  const { terminal, signal, around } = world;
  const show = terminal.outColumns === undefined ? onChange(terminal) : inPlace(terminal);
  let last: Showing | undefined;
  while (!terminal.unread?.aborted) {
    const { showing, error } = await showOnce(root, words, world, globals, found);
    if (error !== undefined) {
      if (!last || signal.aborted || !(error instanceof ToolkitError)) throw error;
      show({ out: last.out, err: failureText(terminal, error) });
    } else {
      last = showing;
      show(showing);
    }
    try {
      await (around.pause ?? pause)(globals.watchMs ?? 0, signal);
    } catch (stop) {
      if (stop instanceof Cancelled || signal.aborted) return;
      throw stop;
    }
  }
}

/** Runs the command once, and captures its output. */
async function showOnce(
  root: Group,
  words: readonly string[],
  world: World,
  globals: Globals,
  found: FoundEntry,
): Promise<{ showing: Showing; error: unknown }> {
  const showing: Showing = { out: "", err: "" };
  const { live: _, ...terminal } = world.terminal;
  const kept: World = {
    ...world,
    terminal: {
      ...terminal,
      writeOut: (text) => void (showing.out += text),
      writeErr: (text) => void (showing.err += text),
    },
  };
  try {
    const data = isShaped(globals) ? await openData(globals, kept, found) : undefined;
    await runCommand(root, words, createContext(kept, globals, data));
    data?.end();
    return { showing, error: undefined };
  } catch (error) {
    return { showing, error };
  }
}

/** The lines of a failure. */
function failureText({ errColor, errColumns }: Terminal, error: ToolkitError): string {
  let text = "";
  const kept = { writeOut: () => {}, writeErr: (more: string) => void (text += more) };
  const shown = { ...kept, outColumns: undefined, outColor: false, errColor, errColumns };
  createOutput(shown, "table").error(error.message, undefined);
  return text;
}

/** Writes to a pipe if the output has changed. */
function onChange({ writeOut, writeErr }: Terminal): (showing: Showing) => void {
  let last: Showing = { out: "", err: "" };
  return (showing) => {
    if (showing.out !== last.out) writeOut(showing.out);
    if (showing.err !== last.err) writeErr(showing.err);
    last = showing;
  };
}

/** Writes to a terminal, in place of the last output. */
function inPlace(terminal: Terminal): (showing: Showing) => void {
  const columns = terminal.outColumns || Infinity;
  const onScreen = terminal.errColumns !== undefined;
  let above = 0;
  return ({ out, err }) => {
    const most = Math.max((terminal.outRows?.() ?? Infinity) - 1, 1);
    const lines = `${out}${onScreen ? err : ""}`.trimEnd().split("\n")
      .flatMap((line) => rowsOf(line, columns));
    const shown = lines.length > most
      ? [...lines.slice(0, most - 1), `… ${lines.length - most + 1} more lines`]
      : lines;
    // Moves to the first line of the last output, and clears everything below.
    const back = above > 0 ? `\x1b[${above}F\x1b[J` : "";
    terminal.writeOut(`${back}${shown.join("\n")}\n`);
    if (!onScreen && err !== "") terminal.writeErr(err);
    above = shown.length;
  };
}

/** A line as rows of a terminal. A coloured line already fits, and stays unchanged. */
function rowsOf(line: string, columns: number): string[] {
  return line.includes("\x1b") || width(line) <= columns ? [line] : wrap(line, columns);
}
