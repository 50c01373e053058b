/**
 * The flags of `cli service start` for a database on a server, which several processes share.
 *
 * @module
 */

import { ConfigError, UsageError } from "../../../errors.ts";
import type { ServeOptions } from "../../../service/serve.ts";
import type { Context } from "../../context.ts";
import { DATABASE, readGiven } from "../../local/databases.ts";
import { choice, text } from "../../words/command.ts";

const SECRET = "CLI_SERVICE_ADMIN_SECRET";

/** The secret before that, while it is changed. */
const FORMER = "CLI_SERVICE_FORMER_ADMIN_SECRET";

/** How long a secret must be, in characters. */
export const SHORTEST_SECRET = 16;

/** The flags. */
export const databaseFlags = {
  database: text(
    `A PostgreSQL database in place of the data folder (default: ${DATABASE}, which may contain ` +
      "the password)",
    { placeholder: "postgres://user@host/name" },
  ),
  role: choice(
    "With a PostgreSQL database: answer requests, deliver events and let time pass, or both " +
      "(default: all)",
    ["api", "worker", "all"],
  ),
};

/** The values of flags that decide where the data is. */
interface DatabaseFlags {
  /** The address of a database. */
  database?: string | undefined;
  /** What the process does. */
  role?: "api" | "worker" | "all" | undefined;
  /** The data folder, or `:memory:`. */
  data?: string | undefined;
  /** A copy to start on. */
  from?: string | undefined;
}

/**
 * The database on a server that the flags or the environment ask for, if they do.
 *
 * @throws {UsageError} when the flags do not fit together, or one is no address or has a password.
 * @throws {ConfigError} when the environment has no address, or lacks the administrator's secret.
 */
export async function databaseOf(
  { around }: Context,
  { database: given, role, data, from }: DatabaseFlags,
): Promise<Pick<ServeOptions, "server" | "role"> & { shown?: string }> {
  const elsewhere = data !== undefined ? "--data" : from !== undefined ? "--from" : undefined;
  const named = elsewhere === undefined ? around.env(DATABASE) || undefined : undefined;
  const database = given ?? named;
  if (database === undefined) {
    if (role === undefined) return {};
    throw new UsageError("Cannot use --role without a PostgreSQL database", {
      hint: elsewhere === undefined
        ? `Pass --database postgres://user@host/name, or set ${DATABASE}`
        : around.env(DATABASE)
        ? `Leave out ${elsewhere}: with it, the database of ${DATABASE} is not used`
        : `Leave out ${elsewhere}, and pass --database postgres://user@host/name`,
    });
  }
  if (elsewhere !== undefined) throw new UsageError(`Cannot use --database with ${elsewhere}`);
  const { readAddress } = await import("../../../service/store/postgres/address.ts");
  const { shown } = given === undefined
    ? readAddress(database)
    : await readGiven("--database", given);
  const adminSecret = around.env(SECRET);
  if (!adminSecret) {
    throw new ConfigError(`Cannot start the service on ${shown}: ${SECRET} is not set`, {
      hint: `Set ${SECRET} to one long random text for all processes, such as the output of: ` +
        "openssl rand -hex 32",
    });
  }
  const formerAdminSecret = around.env(FORMER) || undefined;
  const short = adminSecret.length < SHORTEST_SECRET
    ? SECRET
    : (formerAdminSecret?.length ?? SHORTEST_SECRET) < SHORTEST_SECRET
    ? FORMER
    : undefined;
  if (short !== undefined) {
    throw new ConfigError(`Cannot start the service on ${shown}: ${short} is too short`, {
      hint:
        `It makes tokens for every account. Use at least ${SHORTEST_SECRET} characters, such as ` +
        "the output of: openssl rand -hex 32",
    });
  }
  const secrets = { adminSecret, ...formerAdminSecret !== undefined && { formerAdminSecret } };
  return { server: { database, ...secrets }, role: role ?? "all", shown };
}
