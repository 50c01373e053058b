/**
 * Paths and names in commands that a person copies.
 *
 * @module
 */

/** A path or a name, quoted for a shell. */
export function shellWord(path: string): string {
  return /^[\w/.,:@%+=\\-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
