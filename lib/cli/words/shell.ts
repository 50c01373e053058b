/**
 * Command lines as a person types them.
 *
 * @module
 */

/** A command line as it is typed, for hints and examples. */
export function commandLine(...words: readonly string[]): string {
  return ["cli", ...words].join(" ");
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w.:@/+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The beginning of a message about what a command does: "Cannot archive an offering". */
export function cannot(brief: string): string {
  const deed = brief.replace(/ \(.*\)$/, "");
  return `Cannot ${deed.charAt(0).toLowerCase()}${deed.slice(1)}`;
}
