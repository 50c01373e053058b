/**
 * Lists of permissions as OAuth writes them: names with single spaces between.
 *
 * @module
 */

import { allows, isScope } from "../contract/scopes.ts";

/** The names in a scope, each once; undefined when it is malformed or has an unknown name. */
export function parseScope(text: string): string[] | undefined {
  const names = text.split(" ");
  return names.every(isScope) ? [...new Set(names)] : undefined;
}

/** Whether a granted scope includes all that another one asks for. */
export function isWithin(granted: string, asked: string): boolean {
  const names = parseScope(asked);
  return names !== undefined && names.every((name) => allows(granted, name));
}
