/**
 * Questions to a person: confirmation and choice. Only this file prompts. Questions go to standard
 * error, answers come from standard input. Without a person, asking fails.
 *
 * @module
 */

import type { Key } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { Cancelled, ToolkitError } from "../../errors.ts";
import { visible } from "./display.ts";

/** A question was declined, or could not be asked. Nothing was changed. */
export class ConfirmationError extends ToolkitError {}

/** Asks the person at the terminal. */
export interface Ask {
  /** Returns once the question is answered with yes. The default answer is no. */
  confirm(question: string, options: ConfirmOptions): Promise<void>;
  /** Asks for a line of text. */
  text(question: string, options: TextOptions): Promise<string>;
  /** Asks for one of several. */
  choose<T>(question: string, choices: readonly Choice<T>[], options: ChooseOptions): Promise<T>;
  /** Asks for any number of several, including none. */
  chooseMany<T>(
    question: string,
    choices: readonly Choice<T>[],
    options: ChooseManyOptions<T>,
  ): Promise<T[]>;
}

/** The alternative to a confirmation. */
interface ConfirmOptions {
  /** The flag that answers yes, such as `-y`. */
  flag: string;
  /** Whether that flag was given: then there is no question. */
  yes: boolean;
}

/** The options of a question for text. */
interface TextOptions {
  /** The remedy without a terminal, such as `Set CLI_REFRESH_TOKEN`. */
  hint: string;
  /** Cancels the question when it fires. */
  signal?: AbortSignal | undefined;
}

/** The alternative to a choice. */
interface ChooseOptions {
  /** The flag that makes the choice, such as `--project-id`. */
  flag: string;
}

/** The alternative to a choice of several, and its initial values. */
interface ChooseManyOptions<T> extends ChooseOptions {
  /** The initially chosen values. */
  initial?: readonly T[] | undefined;
}

/** One choice. */
export interface Choice<T> {
  /** Its label. */
  label: string;
  /** A detail that distinguishes it from the others, such as its id. */
  hint?: string | undefined;
  /** Its value. */
  value: T;
}

/** The settings of {@linkcode createAsk}. */
export interface AskSettings {
  /**
   * Whether questions can be asked: standard input and standard error are terminals, outside of CI.
   */
  interactive: boolean;
  /** Ends a question when it fires. */
  signal?: AbortSignal | undefined;
  /** The source of answers. Default: standard input. */
  input?: Readable | undefined;
  /** The destination of questions. Default: standard error. */
  output?: Writable | undefined;
}

type Prompts = typeof import("@clack/prompts");

/** The options of every prompt. */
interface Streams {
  /** The source of the answer. */
  input: Readable;
  /** The destination of the question. */
  output: Writable;
  /** Cancels the question when it fires. */
  signal: AbortSignal;
}

/** Shows one kind of prompt. It ends with the answer, or with the symbol for none. */
type Show<T> = (prompts: Prompts, streams: Streams) => Promise<T | Prompts["CANCEL_SYMBOL"]>;

/**
 * Makes the prompts. The library is loaded at the first question.
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

/** The display of a choice. Labels come from the service, so they must not control the terminal. */
function optionOf<T>(choice: Choice<T>): { value: Choice<T>; label: string; hint?: string } {
  const label = visible(choice.label);
  return choice.hint === undefined
    ? { value: choice, label }
    : { value: choice, label, hint: visible(choice.hint) };
}

/** Asks a question, and returns its answer or fails. */
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
  // screen. So these keys are not passed to it, and `watchForEnd` ends the question.
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

/** The effect of a key on the question: Esc and Ctrl-D decline it, Ctrl-C ends the program. */
function endingOf(key: Key): Ending | undefined {
  if (key.name === "escape" || (key.ctrl && key.name === "d")) return "declined";
  return key.ctrl && key.name === "c" ? "interrupted" : undefined;
}

/** The error for a question without an answer. */
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

/** The error for a question that cannot be asked, or that cannot get an answer. */
function unanswerable(question: string, why: string, hint?: string): ConfirmationError {
  return new ConfirmationError(`Cannot ask "${question}": ${why}`, { hint });
}
