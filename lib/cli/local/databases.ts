/**
 * The databases that commands read or fill by themselves, without a service.
 *
 * @module
 */

import { ConfigError, UsageError } from "../../errors.ts";
import type { DatabasePlace } from "../../service/store/frozen.ts";
import type { Address } from "../../service/store/postgres/address.ts";
import type { Context } from "../context.ts";
import { folderOf, MEMORY } from "./local_service.ts";

/** The variable with the address of a database, which may contain the password. */
export const DATABASE = "CLI_SERVICE_DATABASE";

/**
 * Reads the address of a database in an argument.
 *
 * @throws {UsageError} when it is none, or has a password, which other users of the machine can see.
 */
export async function readGiven(flag: string, given: string): Promise<Address> {
  await refusePassword(flag, given);
  const { readAddress } = await import("../../service/store/postgres/address.ts");
  try {
    return readAddress(given);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new UsageError(error.message, { hint: error.hint, cause: error });
  }
}

async function refusePassword(flag: string, address: string): Promise<void> {
  const { hasPassword } = await import("../../service/store/postgres/address.ts");
  if (!hasPassword(address)) return;
  throw new UsageError(
    `Cannot use a password in ${flag}: other users of this machine can see it`,
    {
      hint: `Set ${DATABASE} to the address with the password, or name a password file: ` +
        `${flag} 'postgres://user@host/name?passfile=FILE'`,
    },
  );
}

/** What does with a PostgreSQL database what commands for data folders do. */
const TOOLS = {
  "back up the data": "pg_dump",
  "save the data": "pg_dump",
  "restore the data": "pg_restore, or psql for a dump in SQL",
  "delete the data": "dropdb and createdb",
  "list the snapshots": undefined,
  "delete the snapshot": undefined,
} as const;

/**
 * The data folder, for a command that works on nothing else.
 *
 * @throws {UsageError} when the data is in a PostgreSQL database: the folder may have older data.
 */
export function onlyFolder(
  context: Context,
  data: string | undefined,
  deed: keyof typeof TOOLS,
): string {
  if (data === undefined && context.around.env(DATABASE)) {
    const tool = TOOLS[deed];
    throw new UsageError(
      `Cannot ${deed}: the data is in the PostgreSQL database of ${DATABASE}, and this command ` +
        "works on data folders only",
      {
        hint: tool
          ? `Use PostgreSQL's ${tool}, or pass a folder: --data DIR`
          : "Pass a folder: --data DIR",
      },
    );
  }
  return folderOf(context, data);
}

/**
 * The database that an argument names: a data folder, a file, or an address. The password of an address
 * may be in `CLI_SERVICE_DATABASE`, when that is the address of the same database.
 *
 * @throws {UsageError} when it contains a password, is no address, or is in memory.
 */
export async function placeIn(
  context: Context,
  flag: string,
  given: string,
): Promise<DatabasePlace> {
  if (given === MEMORY) folderOf(context, given);
  const { placeOf } = await import("../../service/store/frozen.ts");
  const place = placeOf(given);
  if (!("address" in place)) return place;
  const address = await readGiven(flag, given);
  const named = context.around.env(DATABASE) ?? "";
  return await isSame(address, named) ? { address: named } : place;
}

/**
 * The database that flags name: `--data` a folder, `--database` an address. Without them it is the one
 * of `CLI_SERVICE_DATABASE`, else the usual data folder.
 *
 * @throws {UsageError} when both are given, or `--database` is no address.
 */
export async function placeOfFlags(
  context: Context,
  { data, database }: { data: string | undefined; database: string | undefined },
): Promise<DatabasePlace> {
  if (database !== undefined) {
    if (data !== undefined) throw new UsageError("Cannot use --database with --data");
    await readGiven("--database", database);
    return await placeIn(context, "--database", database);
  }
  const named = data === undefined ? context.around.env(DATABASE) : undefined;
  return named ? { address: named } : await placeIn(context, "--data", folderOf(context, data));
}

/** Whether an address is that of another one, but for the password. */
async function isSame(one: Address, other: string): Promise<boolean> {
  const { hasPassword, readAddress } = await import("../../service/store/postgres/address.ts");
  if (!hasPassword(other)) return false;
  const two = readAddress(other);
  return one.password === undefined && one.host === two.host && one.port === two.port &&
    one.database === two.database && one.user === two.user;
}
