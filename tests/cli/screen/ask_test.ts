import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import {
  type Ask,
  type AskSettings,
  type Choice,
  ConfirmationError,
  createAsk,
} from "../../../lib/cli/screen/ask.ts";
import { width } from "../../../lib/cli/screen/display.ts";
import { Cancelled } from "../../../lib/errors.ts";

const ESCAPE = "\u001b";
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const UP = "\u001b[A";
const DOWN = "\u001b[B";
const ENTER = "\r";

/** A terminal of 60 columns. */
interface Terminal {
  /** The settings for questions on it. */
  settings: AskSettings;
  /** The modes it was switched to: true is raw. */
  modes: boolean[];
  /** All that was written to it. */
  written(): string;
}

/** A terminal where keys are pressed, or other things happen, once a question is there. */
function terminal(...keys: (string | ((input: PassThrough) => void))[]): Terminal {
  const modes: boolean[] = [];
  const written: string[] = [];
  const left = [...keys];
  const type = () => {
    const key = left.shift();
    if (typeof key === "string") input.write(key);
    else key?.(input);
    if (left.length > 0) setImmediate(type);
  };
  const setRawMode = (raw: boolean) => {
    if (raw) setImmediate(type);
    modes.push(raw);
  };
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode });
  const write = (chunk: unknown, _encoding: string, done: () => void) => {
    written.push(String(chunk));
    done();
  };
  const output = Object.assign(new Writable({ write }), { columns: 60, rows: 20 });
  return { settings: { interactive: true, input, output }, modes, written: () => written.join("") };
}

/** Puts a question on a terminal, and makes sure that the terminal is as before afterwards. */
async function asking<T>(
  at: Terminal,
  question: (ask: Ask) => Promise<T>,
  changes: Partial<AskSettings> = {},
): Promise<T> {
  try {
    return await question(createAsk({ ...at.settings, ...changes }));
  } finally {
    deepStrictEqual([at.modes.at(0), at.modes.at(-1)], [true, false], "raw, then no longer");
    const [hidden, shown] = ["\u001b[?25l", "\u001b[?25h"].map((it) =>
      at.written().lastIndexOf(it)
    );
    ok(hidden !== undefined && shown !== undefined && shown > hidden, "the cursor is there again");
    ok(at.settings.input?.isPaused(), "nothing reads any more");
  }
}

const QUESTION = "Delete the app app1a2b3c4?";
const confirming = (ask: Ask) => ask.confirm(QUESTION, { flag: "-y", yes: false });

const PROJECTS: Choice<string>[] = [
  { label: "One", hint: "proj1", value: "1" },
  { label: "Two", value: "2" },
  { label: "Three", value: "3" },
];
const choosing = (ask: Ask) => ask.choose("Which project?", PROJECTS, { flag: "--project-id" });

/** Settings of an ask that must not touch its streams. */
function untouched(interactive: boolean): AskSettings {
  const touched = (): never => {
    throw new Error("the terminal was touched");
  };
  return Object.defineProperties({ interactive }, {
    input: { get: touched },
    output: { get: touched },
  });
}

Deno.test("without a terminal a confirmation fails at once and names the flag", async () => {
  await rejects(confirming(createAsk(untouched(false))), {
    name: "ConfirmationError",
    message: `Cannot ask "${QUESTION}": there is no interactive terminal`,
    hint: "Pass -y to answer yes",
  });
});

Deno.test("without a terminal a choice fails at once and names the flag", async () => {
  const ask = createAsk(untouched(false));
  const failure = {
    name: "ConfirmationError",
    message: 'Cannot ask "Which project?": there is no interactive terminal',
    hint: "Pass --project-id instead",
  };
  await rejects(choosing(ask), failure);
  const options = { flag: "--project-id" };
  await rejects(ask.chooseMany("Which project?", PROJECTS, options), failure);
});

Deno.test("with the flag there is no question, with or without a terminal", async () => {
  for (const interactive of [true, false]) {
    await createAsk(untouched(interactive)).confirm(QUESTION, { flag: "-y", yes: true });
  }
});

Deno.test("y or yes and Enter confirm, in upper and lower case", async () => {
  for (const word of ["y", "Y", "yes", "YES"]) {
    await asking(terminal(...word, ENTER), confirming);
  }
});

Deno.test("Enter alone means no, like n, Esc and Ctrl-D: nothing was changed", async () => {
  for (const keys of [[ENTER], ["n", ENTER], [ESCAPE], [CTRL_D], ["y", ESCAPE]]) {
    await rejects(asking(terminal(...keys), confirming), {
      name: "ConfirmationError",
      message: `Nothing was changed: "${QUESTION}" was declined`,
    }, JSON.stringify(keys));
  }
});

Deno.test("a line pasted by mistake confirms nothing, whatever its letters", async () => {
  for (const line of ["ls my-folder", "my next line", "yy", "yes please", "Y N"]) {
    await rejects(asking(terminal(...line, ENTER), confirming), ConfirmationError, line);
    await rejects(asking(terminal(line + ENTER), confirming), ConfirmationError, line);
  }
});

Deno.test("Esc leaves no Yes marked on the screen", async () => {
  const at = terminal(ESCAPE);
  await rejects(asking(at, confirming), ConfirmationError);
  ok(!/● Yes|> Yes/.test(at.written()), at.written());
});

Deno.test("Ctrl-C at a question ends the program instead of declining", async () => {
  await rejects(asking(terminal(CTRL_C), confirming), Cancelled);
  await rejects(asking(terminal(DOWN, CTRL_C), choosing), Cancelled);
});

Deno.test("a signal ends a question", async () => {
  const abort = new AbortController();
  const { signal } = abort;
  await rejects(asking(terminal(() => abort.abort()), confirming, { signal }), Cancelled);
  await rejects(confirming(createAsk({ interactive: true, signal })), Cancelled);
});

Deno.test("a terminal that disappears fails the question instead of blocking it", async () => {
  await rejects(asking(terminal((input) => input.end()), confirming), {
    name: "ConfirmationError",
    message: `Cannot ask "${QUESTION}": standard input ended`,
  });
});

Deno.test("successive questions get their own answers", async () => {
  const at = terminal("y", ENTER, "n", ENTER);
  await asking(at, confirming);
  await rejects(asking(at, confirming), ConfirmationError);
});

Deno.test("a choice returns the chosen value", async () => {
  strictEqual(await asking(terminal(ENTER), choosing), "1");
  strictEqual(await asking(terminal(DOWN, ENTER), choosing), "2");
  strictEqual(await asking(terminal(UP, ENTER), choosing), "3");
});

Deno.test("a declined choice returns nothing", async () => {
  await rejects(asking(terminal(DOWN, ESCAPE), choosing), {
    name: "ConfirmationError",
    message: 'Nothing was changed: "Which project?" was declined',
  });
});

Deno.test("any value can be chosen, including undefined and equal labels", async () => {
  const choices = [{ label: "a", value: null }, { label: "a", value: undefined }];
  const pick = (ask: Ask) => ask.choose("Which?", choices, { flag: "--x" });
  strictEqual(await asking(terminal(ENTER), pick), null);
  strictEqual(await asking(terminal(DOWN, ENTER), pick), undefined);
});

Deno.test("a choice of several starts with the given values and keeps the displayed order", async () => {
  const pick = (ask: Ask) => ask.chooseMany("Which?", PROJECTS, { flag: "--x", initial: ["2"] });
  deepStrictEqual(await asking(terminal(ENTER), pick), ["2"]);
  deepStrictEqual(await asking(terminal(UP, " ", DOWN, " ", ENTER), pick), ["1", "2", "3"]);
  deepStrictEqual(await asking(terminal(DOWN, " ", ENTER), pick), []);
});

Deno.test("a choice without options is an error, or an empty choice of several", async () => {
  const ask = createAsk(untouched(true));
  await rejects(ask.choose("Which project?", [], { flag: "--x" }), {
    message: 'Cannot ask "Which project?": there is nothing to choose from',
  });
  deepStrictEqual(await ask.chooseMany("Which project?", [], { flag: "--x" }), []);
});

Deno.test("a name cannot control the terminal", async () => {
  const evil = "\u001b[31mred\u009b2J\u0007\nforged";
  const choices = [{ label: evil, hint: evil, value: 1 }, { label: "b", value: 2 }];
  const places: ((ask: Ask) => Promise<unknown>)[] = [
    (ask) => ask.confirm(evil, { flag: "-y", yes: false }),
    (ask) => ask.choose(evil, choices, { flag: "--x" }),
    (ask) => ask.chooseMany(evil, choices, { flag: "--x" }),
  ];
  for (const place of places) {
    const at = terminal("y", ENTER);
    await asking(at, place);
    for (const raw of ["\u001b[31mred", "\u009b", "\u0007", "\nforged"]) {
      ok(!at.written().includes(raw), JSON.stringify(at.written()));
    }
    match(at.written(), /\\u001b\[31mred\\u009b2J\\u0007\\nforged/);
  }
});

Deno.test("a question wider than the terminal is wrapped, not cut", async () => {
  const at = terminal("y", ENTER);
  const question = `Delete ${"word ".repeat(20)}and 日本語${"日本語".repeat(10)}?`;
  await asking(at, (ask) => ask.confirm(question, { flag: "-y", yes: false }));
  // Where the cursor moves, the question is written anew.
  // deno-lint-ignore no-control-regex
  const written = at.written().replace(/\u001b\[\d*[A-HJK]/g, "\n");
  const lines = stripVTControlCharacters(written).split("\n");
  ok(lines.every((line) => width(line) <= 60), lines.join("\n"));
  ok(lines.join("").split("word").length > 20, "every word is there");
});
