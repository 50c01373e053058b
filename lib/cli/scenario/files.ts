/**
 * Finding and reading scenario files. A folder may come from somebody else: nothing outside of it is
 * read, and nothing that is too large or no regular file.
 *
 * @module
 */

import { fileReason } from "../../file_reason.ts";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { UsageError } from "../../errors.ts";
import type { Scenario, StartData } from "../../scenario/file/scenario.ts";
import type { Problem } from "../../scenario/values/tree.ts";
import { shellWord } from "../../config/shell_word.ts";

/** A scenario file. */
export interface ScenarioFile {
  /** Its path, as it is shown. */
  readonly file: string;
  /** Its text. */
  readonly text: string;
  /** What is in it; undefined where it is wrong. */
  readonly scenario: Scenario | undefined;
  /** What is wrong with it. A line 0 means the file as a whole. */
  readonly problems: readonly Problem[];
  /** Whether the file itself could not be read. */
  readonly unread?: boolean;
}

/** The paths of scenario files: those that are named, and those in folders that are named. */
export async function findScenarios(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const info = await Deno.stat(path).catch(() => undefined);
    if (!info?.isDirectory) found.push(path);
    else found.push(...await scenariosIn(path));
  }
  return [...new Set(found)];
}

/** The scenario files of a folder, in order. */
async function scenariosIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (!isDirectory && /\.ya?ml$/.test(name) && !name.startsWith(".")) names.push(name);
  }
  if (names.length > 0) return names.sort().map((name) => join(folder, name));
  throw new UsageError(`Cannot run ${JSON.stringify(folder)}: it has no .yaml files`, {
    hint: `Write some with: cli scenario init ${shellWord(folder)}`,
  });
}

/** Reads a scenario file and what it names. */
export async function readScenario(
  file: string,
  vars: Readonly<Record<string, string>>,
  findData?: (folder: string, from: string) => Promise<StartData>,
): Promise<ScenarioFile> {
  const { parseScenario } = await import("../../scenario/file/parse.ts");
  let text: string;
  try {
    text = await readInside(dirname(file), file);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { file, text: "", scenario: undefined, problems: [whole(error.message)], unread: true };
  }
  const folder = dirname(file);
  const parsed = await parseScenario(text, {
    vars,
    readFile: (path) => {
      if (isAbsolute(path)) {
        const why = "it must be a path below the scenario's folder";
        throw new UsageError(`cannot read ${JSON.stringify(path)}: ${why}`);
      }
      return readInside(folder, join(folder, path));
    },
    ...findData && { findData: (from: string) => findData(folder, from) },
  });
  return { file, text, ...parsed };
}

function whole(message: string): Problem {
  return { line: 0, column: 0, message };
}

/**
 * The text of a regular file that is below a folder, wherever links lead.
 *
 * @throws {UsageError} when it is none, too large, or not UTF-8.
 */
async function readInside(folder: string, path: string): Promise<string> {
  const { LARGEST_FILE } = await import("../../scenario/file/read.ts");
  const refuse = (why: string) => new UsageError(`cannot read ${JSON.stringify(path)}: ${why}`);
  try {
    const real = await realInside(folder, path);
    const { size } = await Deno.stat(real);
    if (size > LARGEST_FILE) throw refuse(`it is larger than ${LARGEST_FILE / 1_048_576} MiB`);
    const bytes = await Deno.readFile(real);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof Deno.errors.NotFound) throw refuse("no such file");
    if (error instanceof Deno.errors.PermissionDenied) throw refuse("permission denied");
    if (error instanceof TypeError) throw refuse("it is not UTF-8");
    throw refuse(fileReason(error));
  }
}

/**
 * The real path of a regular file that is below a folder, wherever links lead.
 *
 * @throws {UsageError} when it is none, or elsewhere.
 */
export async function realInside(folder: string, path: string): Promise<string> {
  const refuse = (why: string) => new UsageError(`cannot read ${JSON.stringify(path)}: ${why}`);
  const outside = () => refuse(`it is outside of the folder ${JSON.stringify(folder)}`);
  try {
    const [real, top] = [await Deno.realPath(path), await Deno.realPath(folder)];
    if (!isBelow(top, real)) throw outside();
    if (!(await Deno.stat(real)).isFile) throw refuse("it is not a regular file");
    return real;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof Deno.errors.NotFound) {
      // What is there outside of the folder is not told.
      throw isBelow(resolve(folder), resolve(path)) ? refuse("no such file") : outside();
    }
    if (error instanceof Deno.errors.PermissionDenied) throw refuse("permission denied");
    throw refuse(fileReason(error));
  }
}

/** Whether a path is a folder or below it. */
function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return !below.startsWith(`..${sep}`) && below !== ".." && !isAbsolute(below);
}
