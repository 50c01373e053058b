import { deepEqual, equal, ok } from "node:assert/strict";
import { width } from "../../../lib/cli/screen/display.ts";
import { helpText, styleOf } from "../../../lib/cli/words/help.ts";
import { loadFor } from "../../../lib/cli/commands/mod.ts";
import { findEntry } from "../../../lib/cli/words/find_entry.ts";
import { commandsOf } from "../../support/command_tree.ts";

Deno.test("a comma in a command's summary stands in a list, as errors say Cannot and the summary", async () => {
  const odd = commandsOf(
    await loadFor([]),
    ({ brief }) => brief.includes(",") && !/, [^,]+ (and|or) /.test(brief),
  );
  deepEqual(odd, []);
});

/** The indentation of a meaning below its name. */
const BELOW = 6;

Deno.test("no meaning in a help text is wider than its terminal, down to one column of text", async () => {
  const found = findEntry(await loadFor(["offerings"]), ["offerings", "list"]);
  for (let columns = BELOW + 1; columns <= 80; columns++) {
    const text = helpText(found, styleOf(columns, false));
    const [, flags = ""] = text.split("GLOBAL FLAGS\n");
    const meanings = flags.split("\n").filter((line) => line.startsWith(" ".repeat(BELOW)));
    ok(meanings.length > 0);
    for (const line of meanings) {
      if (!/^ {6}--/.test(line)) ok(width(line) <= columns, `${columns}: ${line}`);
    }
  }
});

Deno.test("help is 80 columns wide in a pipe, and at most 100 on a terminal", () => {
  equal(styleOf(undefined, false).columns, 80);
  equal(styleOf(60, false).columns, 60);
  equal(styleOf(200, false).columns, 100);
});
