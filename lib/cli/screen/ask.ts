/**
 * Questions to a person: confirmation and choice. The only place that prompts. Questions go to
 * standard error, answers come from standard input; where nobody is there to answer, asking fails.
 *
 * @module
 */

import type { Key } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { Cancelled, ToolkitError } from "../../errors.ts";
import { visible } from "./display.ts";

/** A question was declined, or nobody was there to answer it. Nothing was changed. */
export class ConfirmationError extends ToolkitError {}

/** Asks the person at the terminal. */
export interface Ask {
  /** Returns once the question is answered with yes. The answer at hand is No. */
  confirm(question: string, options: ConfirmOptions): Promise<void>;
  /** Asks for a line of text. */
  text(question: string, options: TextOptions): Promise<string>;
  /** Asks for one of several. */
  choose<T>(question: string, choices: readonly Choice<T>[], options: ChooseOptions): Promise<T>;
  /** Asks for any number of several, none included. */
  chooseMany<T>(
    question: string,
    choices: readonly Choice<T>[],
    options: ChooseManyOptions<T>,
  ): Promise<T[]>;
}

/** How a question to confirm can be answered without asking. */
interface ConfirmOptions {
  /** The flag that answers yes, such as `-y`. */
  flag: string;
  /** Whether that flag was given: then nothing is asked. */
  yes: boolean;
}

/** How a question for text can be avoided, and taken back. */
interface TextOptions {
  /** What to do where nobody can answer, such as `Set CLI_REFRESH_TOKEN`. */
  hint: string;
  /** Takes the question back when it fires. */
  signal?: AbortSignal | undefined;
}

/** How a choice can be made without asking. */
interface ChooseOptions {
  /** The flag that makes the choice, such as `--project-id`. */
  flag: string;
}

/** How a choice of several can be made without asking, and where it starts. */
interface ChooseManyOptions<T> extends ChooseOptions {
  /** The values that are chosen at first. */
  initial?: readonly T[] | undefined;
}

/** One of the things to choose from. */
export interface Choice<T> {
  /** What it is called. */
  label: string;
  /** What helps to tell it from the others, such as its id. */
  hint?: string | undefined;
  /** What choosing it gives. */
  value: T;
}

/** The settings of {@linkcode createAsk}. */
export interface AskSettings {
  /** Whether somebody can answer: standard input and standard error are terminals, and no CI. */
  interactive: boolean;
  /** Ends a question when it fires. */
  signal?: AbortSignal | undefined;
  /** Where answers come from. Default: standard input. */
  input?: Readable | undefined;
  /** Where questions go. Default: standard error. */
  output?: Writable | undefined;
}

type Prompts = typeof import("@clack/prompts");

/** What every prompt is given. */
interface Streams {
  /** Where the answer comes from. */
  input: Readable;
  /** Where the question goes. */
  output: Writable;
  /** Takes the question back when it fires. */
  signal: AbortSignal;
}

/** Shows one kind of prompt. It ends with the answer, or with the symbol for none. */
type Show<T> = (prompts: Prompts, streams: Streams) => Promise<T | Prompts["CANCEL_SYMBOL"]>;

/**
 * Makes the one who asks. Nothing is loaded until a question is really put.
 *
 * @example
 * ```ts ignore
 * const ask = createAsk({ interactive: Deno.stdin.isTerminal() && Deno.stderr.isTerminal() });
 * await ask.confirm(`Delete the app ${id}?`, { flag: "-y", yes });
 * ```
 */
export function createAsk(settings: AskSettings): Ask {
  const put = <T>(question: string, hint: string, show: Show<T>): Promise<T> =>
    putQuestion(settings, question, hint, show);
  return {
    confirm: async (question, { flag, yes }) => {
      if (yes) return;
      const message = `${visible(question)} (y/N)`;
      // Typed whole and ended with Enter: a line pasted by mistake must never mean yes.
      const answer = await put(
        question,
        `Pass ${flag} to answer yes`,
        (prompts, streams) => prompts.text({ ...streams, message }),
      );
      if (!/^\s*y(es)?\s*$/i.test(answer ?? "")) throw declined(question);
    },
    text: async (question, { hint, signal }) => {
      const message = visible(question);
      const both = [settings.signal, signal].filter((one) => one !== undefined);
      const answer = await putQuestion(
        { ...settings, signal: AbortSignal.any(both) },
        question,
        hint,
        (prompts, streams) => prompts.text({ ...streams, message }),
      );
      return answer ?? "";
    },
    choose: async <T>(question: string, choices: readonly Choice<T>[], { flag }: ChooseOptions) => {
      if (choices.length === 0) throw unanswerable(question, "there is nothing to choose from");
      const message = visible(question);
      const options = choices.map(optionOf);
      const choice = await put(
        question,
        `Pass ${flag} instead`,
        (prompts, streams) => prompts.select({ ...streams, message, options }),
      );
      return choice.value;
    },
    chooseMany: async (question, choices, { flag, initial = [] }) => {
      if (choices.length === 0) return [];
      const message = visible(question);
      const options = choices.map(optionOf);
      const initialValues = choices.filter(({ value }) => initial.includes(value));
      const chosen = await put(
        question,
        `Pass ${flag} instead`,
        (prompts, streams) =>
          prompts.multiselect({ ...streams, message, options, initialValues, required: false }),
      );
      // In the order shown, not in the order of the key presses: same choice, same result.
      return choices.filter((choice) => chosen.includes(choice)).map(({ value }) => value);
    },
  };
}

/** How a choice is shown. Labels come from the service, so nothing in them may drive the terminal. */
function optionOf<T>(choice: Choice<T>): { value: Choice<T>; label: string; hint?: string } {
  const label = visible(choice.label);
  return choice.hint === undefined
    ? { value: choice, label }
    : { value: choice, label, hint: visible(choice.hint) };
}

/** Puts a question, and gives its answer or fails. */
async function putQuestion<T>(
  settings: AskSettings,
  question: string,
  hint: string,
  show: Show<T>,
): Promise<T> {
  if (settings.signal?.aborted) throw new Cancelled("Stopped", { cause: settings.signal.reason });
  if (!settings.interactive) throw unanswerable(question, "there is no interactive terminal", hint);
  const [prompts, { default: process }] = await Promise.all([
    import("@clack/prompts"),
    import("node:process"),
  ]);
  // The library ends in the same way on Esc and on Ctrl-C, and an Esc at "No" leaves "Yes" on the
  // screen. So these keys are taken from it, and `watchForEnd` ends the question.
  prompts.settings.aliases.delete("escape");
  prompts.settings.aliases.delete("\x03");
  const { input = process.stdin, output = process.stderr } = settings;
  const taken = new AbortController();
  const shown = show(prompts, { input, output, signal: taken.signal });
  const watch = watchForEnd(input, settings.signal, () => taken.abort());
  const answer = await shown.finally(watch.stop);
  if (!prompts.isCancel(answer)) return answer;
  throw withoutAnswer(watch.ending(), question, hint, settings.signal);
}

/** Why a question ended without an answer. */
type Ending = "declined" | "interrupted" | "gone";

/** Calls `end` on the first key or event that ends a question without an answer. */
function watchForEnd(
  input: Readable,
  signal: AbortSignal | undefined,
  end: () => void,
): { ending: () => Ending | undefined; stop: () => void } {
  let ending: Ending | undefined;
  const finish = (reason: Ending | undefined) => {
    if (ending !== undefined || reason === undefined) return;
    ending = reason;
    end();
  };
  const onKey = (_text: string | undefined, key: Key) => finish(endingOf(key));
  const onGone = () => finish("gone");
  const onAbort = () => finish("interrupted");
  input.on("keypress", onKey).on("end", onGone).on("close", onGone);
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted) onAbort();
  if (input.readableEnded || input.destroyed) onGone();
  const stop = () => {
    input.off("keypress", onKey).off("end", onGone).off("close", onGone);
    signal?.removeEventListener("abort", onAbort);
  };
  return { ending: () => ending, stop };
}

/** What a key means for the question: Esc and Ctrl-D decline it, Ctrl-C ends the program. */
function endingOf(key: Key): Ending | undefined {
  if (key.name === "escape" || (key.ctrl && key.name === "d")) return "declined";
  return key.ctrl && key.name === "c" ? "interrupted" : undefined;
}

/** The error for a question that has no answer. */
function withoutAnswer(
  ending: Ending | undefined,
  question: string,
  hint: string,
  signal: AbortSignal | undefined,
): ToolkitError {
  if (ending === "interrupted") return new Cancelled("Stopped", { cause: signal?.reason });
  if (ending === "gone") return unanswerable(question, "standard input ended", hint);
  return declined(question);
}

/** The error for a question that was answered with no. */
function declined(question: string): ConfirmationError {
  return new ConfirmationError(`Nothing was changed: "${question}" was declined`);
}

/** The error for a question that cannot be put, or whose answer cannot come. */
function unanswerable(question: string, why: string, hint?: string): ConfirmationError {
  return new ConfirmationError(`Cannot ask "${question}": ${why}`, { hint });
}
