/**
 * Aliases: short names for command lines. They are in `~/.cli/aliases.json`.
 *
 * @module
 */

import { holdPrivateJson, readPrivateJson } from "../../config/private_json.ts";
import { homeFile, type Surroundings } from "../../config/surroundings.ts";
import { ConfigError } from "../../errors.ts";
import { splitShellWords } from "./shell_words.ts";

/** The aliases by name. */
export async function readAliases(around: Surroundings): Promise<Record<string, string>> {
  const file = homeFile(around, "aliases.json");
  const content = file === undefined ? undefined : await readPrivateJson(file, around);
  return textsIn(content?.["aliases"]);
}

/** The words of an alias. Undefined for an unknown name. */
export async function aliasWords(
  around: Surroundings,
  name: string,
): Promise<string[] | undefined> {
  const aliases = await readAliases(around);
  return Object.hasOwn(aliases, name) ? wordsOf(aliases[name] ?? "") : undefined;
}

/** The words of an alias's command line. */
export function wordsOf(line: string): string[] {
  return splitShellWords(line.trim()).words;
}

/** Changes the aliases. Other content of the file stays. */
export async function changeAliases(
  around: Surroundings,
  signal: AbortSignal,
  change: (aliases: Record<string, string>) => void,
): Promise<void> {
  const file = homeFile(around, "aliases.json");
  if (file === undefined) {
    throw new ConfigError("Cannot keep aliases: no home folder is known", { hint: "Set HOME." });
  }
  await holdPrivateJson(file, around, signal, async ({ read, write }) => {
    const content = await read() ?? {};
    const aliases = textsIn(content["aliases"]);
    change(aliases);
    await write({ ...content, aliases });
  });
}

/** The texts of an object. */
function textsIn(value: unknown): Record<string, string> {
  const entries = Object.entries(typeof value === "object" && value !== null ? value : {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
