/**
 * A story of the pack that `cli scenario init` writes.
 *
 * @module
 */

/** A story. */
export interface Story {
  /** The name of its file. */
  readonly file: string;
  /** The text of its file. */
  readonly text: string;
}

/** The day on which the stories begin: the last of a month, whose renewals are not. */
const BEGINNING = "2026-01-31";

/** Makes a story of its name and its steps. */
export function story(file: string, name: string, steps: string): Story {
  const head = [
    "# yaml-language-server: $schema=./scenario.schema.json",
    `name: ${name}`,
    "start:",
    `  at: ${BEGINNING}`,
    "  catalogue: catalogue/notes.yaml",
    "steps:",
  ];
  return { file, text: `${head.join("\n")}${steps}` };
}
