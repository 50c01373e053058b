/**
 * The error for a database on a server that cannot be used, with what to do about it.
 *
 * @module
 */

import { ConfigError } from "../../../errors.ts";
import { shellWord } from "../../../config/shell_word.ts";
import { outageIn, StoreError } from "../failure.ts";
import { type Address, createHint } from "./address.ts";
import { isUntrusted, toStoreError } from "./errors.ts";

/** What the driver says when the server asks for a password and there is none. */
const NO_PASSWORD = /client password must be a string/;

/** Codes for a user who may not do something, and for one who may not use any schema. */
const NOT_ALLOWED: ReadonlySet<unknown> = new Set(["42501", "3F000"]);

/** The code of a statement that would change a server or a database that is read-only. */
const READ_ONLY = "25006";

/** The error for a database on a server that cannot be used. */
export function unusable(address: Address, error: unknown): unknown {
  if (error instanceof ConfigError) return error;
  const origin = originOf(error);
  if (!(origin instanceof Error)) return origin;
  const { why, hint } = explain(address, origin);
  return new ConfigError(`Cannot open the database ${JSON.stringify(address.shown)}: ${why}`, {
    hint,
    cause: origin,
  });
}

/** What the driver or the server threw. */
function originOf(error: unknown): unknown {
  const thrown = error instanceof StoreError && error.cause !== undefined ? error.cause : error;
  // A host with several addresses fails once for each, in an error without a message.
  return thrown instanceof AggregateError && thrown.message === ""
    ? thrown.errors[0] ?? thrown
    : thrown;
}

/** The reason and the next step. */
function explain(address: Address, origin: Error): { why: string; hint: string } {
  const { shown, user } = address;
  const { message } = origin;
  const code = "code" in origin ? origin.code : undefined;
  const look = `psql ${shellWord(shown)}`;
  if (NO_PASSWORD.test(message)) return withoutPassword(address);
  if (code === "3D000") return { why: message, hint: `Create it with: ${createHint(address)}` };
  if (isUntrusted(origin)) {
    return {
      why: message,
      hint: "Pass the certificate of the server's authority, and the host that the server's own " +
        "one names: postgres://user@host/name?sslmode=verify-full&sslrootcert=FILE",
    };
  }
  if (NOT_ALLOWED.has(code)) {
    const hint = rightsHint(message, user);
    if (hint !== undefined) return { why: message, hint };
  }
  if (code === READ_ONLY) {
    return {
      why: message,
      hint: "Pass the address of the server that takes writes: this one is a standby, or sets " +
        `default_transaction_read_only. See: ${look} -c 'select pg_is_in_recovery()'`,
    };
  }
  const outage = outageIn(toStoreError(origin));
  if (outage?.failure === "unreachable") {
    return {
      why: `${outage.cause} (${message})`,
      hint: `Start the server or correct the address, then run the command again. Try it: ${look}`,
    };
  }
  if (outage?.failure === "crowded") {
    return {
      why: `${outage.cause} (${message})`,
      hint:
        "Start fewer processes, or raise the limit of connections of the server or this user. " +
        `See: ${look} -c 'show max_connections'`,
    };
  }
  return { why: message, hint: `Check that the server runs and lets this user in: ${look}` };
}

/** How a user gets a missing right, if that is known. */
function rightsHint(message: string, user: string): string | undefined {
  const name = `"${user.replaceAll('"', '""')}"`;
  if (/\bschema\b/i.test(message)) {
    return "As the owner of the database, let this user make tables: " +
      `GRANT USAGE, CREATE ON SCHEMA public TO ${name}`;
  }
  if (!/\b(table|relation)\b/i.test(message)) return undefined;
  return "The tables belong to another user. Start the service as that user, or give them to this " +
    `one as an administrator: REASSIGN OWNED BY "THEIR OWNER" TO ${name}`;
}

function withoutPassword({ shown }: Address): { why: string; hint: string } {
  const isInFile = URL.parse(shown)?.searchParams.has("passfile") === true;
  return {
    why: "the server asks for a password, and " +
      (isInFile ? "no line of the password file has it" : "the address has none"),
    hint: isInFile
      ? "Add a line to that file: host:port:database:user:password"
      : "Set CLI_SERVICE_DATABASE to the address with the password, or name a password file: " +
        "postgres://user@host/name?passfile=FILE",
  };
}
