/**
 * `cli commands`
 *
 * @module
 */

import { command, text } from "../words/command.ts";
import { outlineOf } from "../words/outline.ts";
import type { Column } from "../screen/output.ts";

/** One row of the table. */
interface Row {
  /** The words of the command. */
  command: string;
  /** Whether it reads or writes. */
  effect: string;
  /** Its description. */
  brief: string;
}

const columns: Column<Row>[] = [
  { header: "command", value: (row) => row.command, kind: "id" },
  { header: "effect", value: (row) => row.effect, kind: "word" },
  { header: "brief", value: (row) => row.brief },
];

/** Shows all commands, or writes their man pages. */
export const commands = command({
  brief: "Show all commands or write their man pages",
  details:
    "As JSON the whole tree is printed: groups, commands with arguments, flags and choices, " +
    "and whether each reads or writes.",
  examples: ["cli commands --output json", "cli commands --man ~/.local/share/man/man1"],
  flags: {
    man: text("Write a man page for each command into this folder", { placeholder: "folder" }),
  },
  async run({ out }, { man }) {
    const { loadFor } = await import("./mod.ts");
    const outline = outlineOf(await loadFor([]));
    if (man !== undefined) {
      const { writeManPages } = await import("../words/man.ts");
      const count = await writeManPages(outline, man);
      return out.done(`Wrote ${count} man pages to ${man}`);
    }
    if (out.format === "json") return out.json(JSON.stringify(outline), "commands");
    out.table(
      outline.commands.map(({ path, effect, brief }) => ({
        command: path.join(" "),
        effect,
        brief,
      })),
      columns,
    );
  },
});
