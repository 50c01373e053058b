/**
 * Command lines, quoted for a shell.
 *
 * @module
 */

import { shellWord } from "../../config/shell_word.ts";

/** A command line for hints and examples. */
export function commandLine(...words: readonly string[]): string {
  return ["cli", ...words].join(" ");
}

/** A word, quoted for a shell. */
export function quoted(word: string): string {
  return shellWord(word);
}

/** The global flags that select a project and a sign-in, for another command. */
export function selectionFlags(
  { projectId, profile }: { projectId?: string | undefined; profile?: string | undefined },
): string {
  return (projectId === undefined ? "" : ` --project-id ${quoted(projectId)}`) +
    (profile === undefined ? "" : ` --profile ${quoted(profile)}`);
}

/** The start of a command's error message: "Cannot archive an offering". */
export function cannot(brief: string): string {
  const deed = brief.replace(/ \(.*\)$/, "");
  return `Cannot ${deed.charAt(0).toLowerCase()}${deed.slice(1)}`;
}
