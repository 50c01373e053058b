/**
 * Prints what an operation or a command still lacks, and fails when that is anything. Part of
 * `deno task check`.
 *
 * @module
 */

import { loadFor } from "../../lib/cli/commands/mod.ts";
import type { Group } from "../../lib/cli/words/command.ts";
import { isGroup } from "../../lib/cli/words/place.ts";
import { operations as routes } from "../../lib/service/mod.ts";
import rows from "../../tests/operations.json" with { type: "json" };
import { libraryFunctions } from "../docs/library.ts";
import { findForgotten, type Holdings } from "./forgotten.ts";

const ROOT = new URL("../../", import.meta.url);

/** Reads what the repository holds. */
export async function readHoldings(): Promise<Holdings> {
  const functions = await libraryFunctions();
  return {
    rows,
    ...await sinceMain(),
    functions: new Set(functions.keys()),
    docs: docsIn(await textsOf("lib/resources/", ".ts")),
    routes: new Set(routes.map(({ name }) => name)),
    support: await Deno.readTextFile(new URL("docs/support.md", ROOT)),
    // The ledger's own test goes over all rows, so it names none.
    tests: await textsOf("tests/", "_test.ts"),
    commands: commandsIn(await loadFor([])),
    golden: await textsOf("tests/golden/", ".txt") +
      await Deno.readTextFile(new URL("tests/cli/golden/coverage_test.ts", ROOT)),
  };
}

/** All commands below a group. */
function commandsIn({ commands }: Group): string[] {
  return Object.entries(commands).flatMap(([name, entry]) =>
    isGroup(entry) ? commandsIn(entry).map((command) => `${name} ${command}`) : [name]
  );
}

/** The doc comment before each exported function. */
function docsIn(source: string): Map<string, string> {
  const found = source.matchAll(
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export (?:async )?function (\w+)/g,
  );
  return new Map([...found].map(([, doc = "", name = ""]) => [name, doc]));
}

/** The text of all files below a folder whose names end like this. */
async function textsOf(folder: string, ending: string): Promise<string> {
  const texts: string[] = [];
  for await (const { name, isFile, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) texts.push(await textsOf(`${folder}${name}/`, ending));
    if (isFile && name.endsWith(ending)) {
      texts.push(await Deno.readTextFile(new URL(folder + name, ROOT)));
    }
  }
  return texts.join("\n");
}

/** Which rows are new against the main branch, and whether `CHANGES.md` changed as well. */
async function sinceMain(): Promise<Pick<Holdings, "added" | "changesTouched">> {
  const base = await git("merge-base", "HEAD", "origin/main");
  const before = base && await git("show", `${base}:tests/operations.json`);
  if (!before) return { added: [], changesTouched: undefined };
  const known = new Set((JSON.parse(before) as string[][]).map(([name]) => name));
  const added = rows.map(([name = ""]) => name).filter((name) => !known.has(name));
  const names = await git("diff", "--name-only", base);
  return { added, changesTouched: names?.split("\n").includes("CHANGES.md") };
}

/** What git prints, or undefined where there is no git, no repository or no such commit. */
async function git(...args: string[]): Promise<string | undefined> {
  try {
    const options: Deno.CommandOptions = {
      args: ["-C", Deno.realPathSync(ROOT), ...args],
      stderr: "null",
    };
    const { success, stdout } = await new Deno.Command("git", options).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const forgotten = findForgotten(await readHoldings());
  for (const line of forgotten) console.error(line);
  if (forgotten.length > 0) Deno.exitCode = 1;
  else console.log("Every operation and command is complete");
}
