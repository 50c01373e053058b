/**
 * The only source of URL paths. `Client` accepts only a {@linkcode Path}, and only the {@linkcode
 * path} template makes one, so no value reaches a URL unencoded.
 *
 * @module
 */

import { NetworkError, UsageError } from "./errors.ts";

/**
 * A URL path with percent-encoded values. Only the {@linkcode path} template makes one: the field
 * exists for the compiler alone, so that no other string is accepted as a path.
 */
export type Path = string & { readonly encoded: true };

/**
 * Writes a path: the literal parts stay, each value becomes exactly one encoded segment.
 *
 * A path that starts with `/v1/`, `/v2/`, `/rcbilling/`, `/_sim/` or `/health` is taken from the base URL; every
 * other path is taken from the client's project.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { path } from "./path.ts";
 *
 * strictEqual(path`/customers/${"a/b ?"}`, "/customers/a%2Fb%20%3F");
 * ```
 *
 * @throws {UsageError} when a value is empty, `.`, `..` or not well-formed Unicode.
 * @throws {NetworkError} when a value is missing or not a text, as an answer of the service may have no
 * such id.
 */
export function path(literals: TemplateStringsArray, ...values: string[]): Path {
  const text = literals.reduce((done, literal, i) => done + segment(values[i - 1]) + literal);
  return text as Path;
}

/** Encodes one value as one path segment, and refuses segments that a URL parser would remove. */
function segment(value: unknown): string {
  if (typeof value !== "string") {
    const what = value === undefined || value === null
      ? "lacks a required id"
      : "has an invalid id";
    throw new NetworkError(`Cannot continue: the service's answer ${what}`, {
      hint: "Check that CLI_BASE_URL is the service's address.",
    });
  }
  if (value === "" || value === "." || value === "..") {
    const why = value === "" ? "it is empty" : "a URL cannot contain it";
    throw new UsageError(`Cannot use ${JSON.stringify(value)} as an id: ${why}`, {
      hint: "Pass the id exactly as the service shows it.",
    });
  }
  if (!value.isWellFormed()) {
    throw new UsageError(`Cannot use ${JSON.stringify(value)} as an id: it is not valid Unicode`);
  }
  return encodeURIComponent(value);
}
