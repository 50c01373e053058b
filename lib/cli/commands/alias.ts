/**
 * `cli alias …`
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import type { Column } from "../screen/output.ts";
import { changeAliases, readAliases, wordsOf } from "../words/aliases.ts";
import { argument, command, group } from "../words/command.ts";
import { splitGlobals } from "../words/globals.ts";
import { findEntry, isGroup } from "../words/find_entry.ts";
import { splitShellWords } from "../words/shell_words.ts";

/** An alias. */
interface Alias {
  /** Its name. */
  name: string;
  /** Its command line. */
  command: string;
}

const columns: Column<Alias>[] = [
  { header: "name", value: ({ name }) => name, kind: "id" },
  { header: "command", value: ({ command }) => command },
];

const NAME = "The alias";

const set = command({
  brief: "Set an alias for a command line",
  details:
    "Further words after the alias are added to its command line. An alias cannot replace a " +
    "command.",
  examples: ['cli alias set keys "offerings list --fields lookup_key"', "cli keys --output csv"],
  args: { name: argument(NAME), command: argument("The command line, in quotes, without cli") },
  async run({ out, around, signal }, { name, command: line }) {
    await checkName(name);
    await checkLine(line);
    await changeAliases(around, signal, (aliases) => void (aliases[name] = line.trim()));
    if (out.format === "json") out.json(JSON.stringify({ name, command: line.trim() }));
    else out.done(`cli ${name} now runs: cli ${line.trim()}`);
  },
});

const list = command({
  brief: "List the aliases",
  async run({ out, around }) {
    const aliases = Object.entries(await readAliases(around))
      .map(([name, command]): Alias => ({ name, command }))
      .toSorted((a, b) => a.name < b.name ? -1 : 1);
    if (out.format === "json") return out.json(JSON.stringify({ aliases }), "aliases");
    out.table(aliases, columns, { empty: "There are no aliases." });
  },
});

const remove = command({
  brief: "Delete an alias",
  args: { name: argument(NAME) },
  async run({ out, around, signal }, { name }) {
    let known = false;
    await changeAliases(around, signal, (aliases) => {
      known = Object.hasOwn(aliases, name);
      delete aliases[name];
    });
    if (!known) {
      throw new UsageError(`Cannot delete the alias ${JSON.stringify(name)}: there is none`, {
        hint: "See the aliases with: cli alias list",
      });
    }
    if (out.format === "json") out.json(JSON.stringify({ name, deleted: true }));
    else out.done(`Deleted the alias ${name}`);
  },
});

/** Refuses names that are commands, or could not be typed. */
async function checkName(name: string): Promise<void> {
  const { isAtTop } = await import("./mod.ts");
  const shown = JSON.stringify(name);
  if (!/^[A-Za-z][\w-]*$/.test(name)) {
    throw new UsageError(`Cannot set the alias ${shown}: it is not a valid name`, {
      hint: "Use letters, digits, - and _, with a letter first.",
    });
  }
  if (isAtTop(name)) throw new UsageError(`Cannot set the alias ${shown}: it is a command`);
}

/** Refuses lines that run no command. */
async function checkLine(line: string): Promise<void> {
  const { loadFor } = await import("./mod.ts");
  const { words, problem } = splitGlobals(wordsOf(line));
  if (problem) throw problem;
  const { entry, names } = findEntry(await loadFor(words), words);
  const shown = JSON.stringify(line);
  if (splitShellWords(line).open !== undefined) {
    throw new UsageError(`Cannot set an alias for ${shown}: a quote is not closed`);
  }
  if (!isGroup(entry)) return;
  const why = names.length === 0 ? "it begins with no command" : "it is a group, and runs nothing";
  throw new UsageError(`Cannot set an alias for ${shown}: ${why}`, {
    hint: "See the commands with: cli commands",
  });
}

/** Words for whole command lines. */
export const alias = group("Aliases: your own words for command lines", [], {
  set,
  list,
  delete: remove,
});
