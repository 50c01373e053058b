/**
 * `cli scenario init`: writes a pack of stories that every handler should survive.
 *
 * @module
 */

import { join } from "node:path";
import { writeNew } from "../../scenario/write.ts";
import { counted } from "../../screen/display.ts";
import { command, optionalArgument, toggle } from "../../words/command.ts";
import { quoted } from "../../screen/command_lines.ts";

/** Where the stories go that nobody names a folder for. */
const USUAL_FOLDER = "scenarios";

/** Writes a pack of stories. */
export const init = command({
  brief: "Write a pack of stories that every handler should survive",
  details: "With their catalogue, and the JSON schema for editors. Files that are there stay.",
  examples: ["cli scenario init", "cli scenario init tests/scenarios"],
  args: { folder: optionalArgument(`The folder (default: ${USUAL_FOLDER})`) },
  flags: { force: toggle("Replace files that are there") },
  async run({ out }, { folder = USUAL_FOLDER, force }) {
    const { CATALOGUE, STORIES } = await import("../../../scenario/stories/mod.ts");
    const { scenarioSchema } = await import("../../../scenario/file/schema.ts");
    const files: [string, string][] = [
      ["catalogue/notes.yaml", CATALOGUE],
      ["scenario.schema.json", `${JSON.stringify(scenarioSchema(), undefined, 2)}\n`],
      ...STORIES.map(({ file, text }): [string, string] => [file, text]),
    ];
    const written: string[] = [];
    const kept: string[] = [];
    for (const [name, text] of files) {
      const path = join(folder, name);
      const isNew = await writeNew(path, text, force === true);
      (isNew ? written : kept).push(path);
    }
    const next = `cli scenario run ${quoted(folder)}`;
    if (out.format === "json") {
      return out.json(JSON.stringify({ object: "scenario_pack", folder, written, kept, next }));
    }
    written.forEach((path) => out.text(path));
    if (kept.length > 0) out.note(`${counted(kept.length, "file")} stayed; replace with --force`);
    out.done(`Wrote ${counted(written.length, "file")} to ${folder}`);
    out.note(`Run them: ${next}`);
  },
});
