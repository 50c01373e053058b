/**
 * Reads what the check compares.
 *
 * @module
 */

import { loadFor } from "../../lib/cli/commands/mod.ts";
import type { Group } from "../../lib/cli/words/command.ts";
import { isGroup } from "../../lib/cli/words/find_entry.ts";
import { operations } from "../../lib/service/routes/mod.ts";
import { adminRoutes, simRoutes } from "../../lib/service/sim/routes.ts";
import rows from "../../tests/operations.json" with { type: "json" };
import simulatorRows from "../../tests/simulator.json" with { type: "json" };
import { libraryFunctions } from "../docs/library.ts";
import type { SourceFile } from "./exports.ts";
import type { Holdings } from "./forgotten.ts";
import { requestsIn, sendsRequests } from "./requests.ts";

const ROOT = new URL("../../", import.meta.url);

/** Reads the parts of the repository. */
export async function readHoldings(): Promise<Holdings> {
  const functions = await libraryFunctions();
  const requests = (await filesIn("tests/support/", ".ts")).filter(({ path }) =>
    sendsRequests(path)
  )
    .map(({ text }) => requestsIn(text));
  return {
    rows,
    ...await sinceMain(),
    functions: new Set(functions.keys()),
    docs: docsIn(await textsOf("lib/resources/", ".ts")),
    routes: namesOf(operations.filter(({ alias }) => alias === undefined)),
    requests: new Set(requests.flatMap(({ api }) => api)),
    simulator: {
      rows: simulatorRows,
      docs: docsIn(await textsOf("lib/simulator/", ".ts")),
      routes: namesOf([...simRoutes, ...adminRoutes].filter(({ path }) => path !== DOCUMENT)),
      requests: new Set(requests.flatMap(({ simulator }) => simulator)),
    },
    support: await Deno.readTextFile(new URL("docs/support.md", ROOT)),
    // Tests of scripts have commands and functions of examples.
    tests: (await filesIn("tests/", "_test.ts"))
      .filter(({ path }) => !path.startsWith("tests/scripts/")).map(({ text }) => text),
    commands: commandsIn(await loadFor([])),
    folders: new Set(foldersIn("lib/cli/commands/")),
    golden: await textsOf("tests/golden/", ".txt") +
      await Deno.readTextFile(new URL("tests/cli/golden/coverage_test.ts", ROOT)),
  };
}

/** The route that serves the simulator's document, which has no row. */
const DOCUMENT = "/_sim/openapi.json";

/** The names of routes. */
function namesOf(routes: readonly { name: string }[]): Set<string> {
  return new Set(routes.map(({ name }) => name));
}

/** The folders in a folder. */
function foldersIn(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].filter(({ isDirectory }) => isDirectory)
    .map(({ name }) => name);
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

/** All files below a folder whose names end like this. */
async function filesIn(folder: string, ending: string): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for await (const { name, isFile, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    const path = folder + name;
    if (isDirectory) files.push(...await filesIn(`${path}/`, ending));
    if (isFile && name.endsWith(ending)) {
      files.push({ path, text: await Deno.readTextFile(new URL(path, ROOT)) });
    }
  }
  return files;
}

/** The text of all files below a folder whose names end like this. */
async function textsOf(folder: string, ending: string): Promise<string> {
  return (await filesIn(folder, ending)).map(({ text }) => text).join("\n");
}

/** All files with code. */
export async function sources(): Promise<SourceFile[]> {
  const single = await Promise.all(["cli.ts", "mod.ts"].map(async (path) => ({
    path,
    text: await Deno.readTextFile(new URL(path, ROOT)),
  })));
  const folders = await Promise.all(
    ["lib/", "scripts/", "tests/"].map((folder) => filesIn(folder, ".ts")),
  );
  return [...single, ...folders.flat()];
}

/**
 * The new rows since the main branch, and whether `CHANGES.md` changed as well. On the main branch they
 * are those since the last release, or since the last commit where there is none.
 */
async function sinceMain(): Promise<Pick<Holdings, "added" | "changesTouched">> {
  const main = await git("merge-base", "HEAD", "origin/main");
  const base = main !== undefined && main !== await git("rev-parse", "HEAD")
    ? main
    // What is not committed yet belongs to the next commit.
    : await git("diff", "--quiet", "HEAD") === undefined
    ? "HEAD"
    : await git("describe", "--tags", "--abbrev=0", "--match", "v*") ??
      await git("rev-parse", "HEAD^");
  const before = base && await git("show", `${base}:tests/operations.json`);
  if (!before) return { added: [], changesTouched: undefined };
  const known = new Set((JSON.parse(before) as string[][]).map(([name]) => name));
  const added = rows.map(([name = ""]) => name).filter((name) => !known.has(name));
  const names = await git("diff", "--name-only", base);
  return { added, changesTouched: names?.split("\n").includes("CHANGES.md") };
}

/** Git's output, or undefined without git, a repository or such a commit. */
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
