/**
 * The stored form of a sign-in, in the file of profiles and in a folder's own file.
 *
 * @module
 */

import { ConfigError } from "../errors.ts";
import { isJsonObject, type JsonObject } from "./json.ts";

/** The stored data of a sign-in. */
export interface StoredToken {
  /** The token that requests carry. */
  access_token: string;
  /** The token for new access tokens. */
  refresh_token: string;
  /** When the access token ends, in milliseconds since 1970. */
  expires_at_ms: number;
  /** The granted scopes, separated by spaces. */
  scope?: string | undefined;
  /** The OAuth client that signed in. Default: the built-in one. */
  client_id?: string | undefined;
  /** The service that issued the tokens; they are sent to no other. Default: the local one. */
  base_url?: string | undefined;
}

/** The place of a value, for a message: the file and the path to the value in it. */
interface ValuePlace {
  /** The file. */
  path: string;
  /** The field, such as `profiles.default`. */
  field: string;
  /** The remedy for a wrong value. */
  hint?: string | undefined;
}

/**
 * Checks that a value from a file is a sign-in, and returns it. Unknown fields stay in the file,
 * not in the result.
 *
 * @throws {ConfigError} when a field is missing or has the wrong type. It never quotes the value.
 */
export function checkedToken(value: unknown, place: ValuePlace): StoredToken {
  if (!isJsonObject(value)) throw wrongValue(place, "must be an object");
  const expires = value.expires_at_ms;
  if (typeof expires !== "number" || !Number.isFinite(expires)) {
    throw wrongValue(inside(place, "expires_at_ms"), "must be a number of milliseconds");
  }
  return {
    access_token: requiredText(value, "access_token", place),
    refresh_token: requiredText(value, "refresh_token", place),
    expires_at_ms: expires,
    scope: optionalText(value, "scope", place),
    client_id: optionalText(value, "client_id", place),
    base_url: optionalText(value, "base_url", place),
  };
}

/**
 * A required field with a non-empty text.
 *
 * @throws {ConfigError} when it is anything else.
 */
export function requiredText(object: JsonObject, name: string, place: ValuePlace): string {
  const text = optionalText(object, name, place);
  if (text === undefined) throw wrongValue(inside(place, name), "is missing");
  return text;
}

/**
 * An optional field with a non-empty text. Null counts as missing.
 *
 * @throws {ConfigError} when it is anything else.
 */
export function optionalText(
  object: JsonObject,
  name: string,
  place: ValuePlace,
): string | undefined {
  const value = object[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") {
    throw wrongValue(inside(place, name), `must be a string: write "${value}" in quotes`);
  }
  if (typeof value !== "string") throw wrongValue(inside(place, name), "must be a string");
  if (value.trim() === "") throw wrongValue(inside(place, name), "must not be empty");
  return value;
}

/** The place of a field of the value at a place. */
function inside(place: ValuePlace, name: string): ValuePlace {
  return { ...place, field: place.field === "" ? name : `${place.field}.${name}` };
}

/** The error for an invalid value in a file. */
export function wrongValue(place: ValuePlace, why: string): ConfigError {
  return new ConfigError(`Cannot use ${JSON.stringify(place.path)}: ${place.field} ${why}`, {
    hint: place.hint ?? `Correct ${place.path}, or remove it and set it up again.`,
  });
}
