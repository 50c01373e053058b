/**
 * Paths and names in commands that a person copies.
 *
 * @module
 */

/**
 * A path or a name, quoted for a shell. The backslashes of a path of Windows stay as they are; elsewhere a
 * shell would take them away.
 */
export function shellWord(path: string): string {
  return /^[\w/.,:@%+=-]+$/.test(path) || /^[A-Za-z]:[\w/.,:@%+=\\-]*$/.test(path)
    ? path
    : `'${path.replaceAll("'", `'\\''`)}'`;
}
