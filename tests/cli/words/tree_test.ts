import { deepEqual, equal, ok } from "node:assert/strict";
import { type Command, type Group, wire } from "../../../lib/cli/words/command.ts";
import { loadFor } from "../../../lib/cli/commands/mod.ts";
import { GLOBAL_FLAGS } from "../../../lib/cli/words/globals.ts";
import { findEntry, isGroup } from "../../../lib/cli/words/find_entry.ts";
import { COMING, type Row, SPECIFIED } from "../../support/specified_commands.ts";

Deno.test("every command of the specification exists, with its aliases, arguments and flags", async () => {
  const root = await loadFor([]);
  for (const [name, { aliases, rows }] of Object.entries(SPECIFIED)) {
    const entry = root.commands[name];
    if (!entry) {
      ok(COMING.has(name), `cli ${name} is missing`);
      continue;
    }
    if (isGroup(entry)) deepEqual(entry.aliases, aliases, name);
    for (const row of rows) checkRow(root, name, row);
  }
});

/** Looks for a command of the specification in the tree. */
function checkRow(root: Group, group: string, [name, args, flags = ""]: Row): void {
  const words = `${group} ${name}`.trim();
  const { entry, rest } = findEntry(root, words.split(" "));
  if (rest.length > 0) return ok(COMING.has(words), `cli ${words} is missing`);
  if (isGroup(entry)) throw new Error(`cli ${words} is a group`);
  // The name of an argument appears only in help.
  equal(argumentsOf(entry), args.replace(/[\w-]+/g, ""), words);
  for (const flag of flags.split(" ")) checkFlag(entry, flag, words);
}

/** The arguments of a command as the specification writes them, without their names. */
function argumentsOf({ args }: Command): string {
  const forms = { one: "<>", optional: "[]", many: "<>..." };
  return Object.values(args).map(({ count }) => forms[count]).join(" ");
}

/** Looks for a flag: `--name!` must be required, `--name...` may be repeated. */
function checkFlag({ flags }: Command, flag: string, words: string): void {
  if (flag === "") return;
  const label = `cli ${words} ${flag}`;
  if (/^-\w$/.test(flag)) {
    return ok(Object.values(flags).some(({ short }) => `-${short}` === flag), label);
  }
  const [, name = "", mark] = /^--([\w-]+?)(!|\.\.\.)?$/.exec(flag) ?? [];
  const found = Object.entries({ ...GLOBAL_FLAGS, ...flags }).find(([own, { kind }]) =>
    wire(own) === name || (kind === "switch" && `no-${wire(own)}` === name)
  );
  ok(found, label);
  if (mark === "!") equal(found[1].required, true, label);
  if (mark === "...") equal(found[1].kind, "values", label);
}
