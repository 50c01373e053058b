/**
 * Reads what OAuth endpoints are sent: a small urlencoded form, each parameter once.
 *
 * @module
 */

import { Refusal } from "../contract/errors.ts";
import { readBytes } from "../http/bytes.ts";
import { invalidRequest, OAuthRefusal } from "./refusal.ts";

/** The largest form, in bytes. */
export const LARGEST_FORM = 32 * 1024;

/** The parameters of a request. One without a value counts as absent: RFC 6749 §3.1. */
export interface Parameters {
  /** The value, if there is one. */
  optional(name: string): string | undefined;
  /**
   * The value.
   *
   * @throws {OAuthRefusal} `invalid_request` when there is none.
   */
  required(name: string): string;
}

/** The names that are there more than once. */
export function duplicatesIn(search: URLSearchParams): Set<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of search.keys()) (seen.has(name) ? twice : seen).add(name);
  return twice;
}

/**
 * Checks the values of parameters. PostgreSQL can neither hold nor look up a NUL.
 *
 * @throws {OAuthRefusal} `invalid_request` for a NUL character.
 */
export function checkValues(
  search: URLSearchParams,
  names: readonly string[] = [...search.keys()],
): void {
  for (const name of names) {
    if (search.get(name)?.includes("\0")) {
      throw invalidRequest("A parameter contains a NUL character");
    }
  }
}

/** Wraps parameters that are known to hold no duplicates. */
export function parametersOf(search: URLSearchParams): Parameters {
  const optional = (name: string): string | undefined => search.get(name) || undefined;
  return {
    optional,
    required: (name) => {
      const value = optional(name);
      if (value === undefined) throw invalidRequest(`The parameter ${name} is missing`);
      return value;
    },
  };
}

/**
 * Reads the form of a POST.
 *
 * @throws {OAuthRefusal} `invalid_request` for another content type, parameters in the address, a
 * parameter that is there twice, or a form that is too large.
 */
export async function readForm(request: Request): Promise<Parameters> {
  const type = request.headers.get("Content-Type") ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw invalidRequest("The content type must be application/x-www-form-urlencoded");
  }
  if (new URL(request.url).search !== "") {
    throw invalidRequest("Parameters must be in the body, not in the URL");
  }
  const search = new URLSearchParams(await readText(request));
  const [twice] = duplicatesIn(search);
  if (twice !== undefined) throw invalidRequest("A parameter is repeated");
  checkValues(search);
  return parametersOf(search);
}

/** Reads the body as text, but never more than allowed. */
async function readText(request: Request): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      await readBytes(request, LARGEST_FORM),
    );
  } catch (error) {
    if (error instanceof Refusal) {
      throw new OAuthRefusal("invalid_request", error.message, { status: error.status });
    }
    if (!(error instanceof TypeError)) throw error;
    throw invalidRequest("The body is not valid UTF-8");
  }
}
