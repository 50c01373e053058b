/**
 * Opens a database with the engine that its address asks for.
 *
 * @module
 */

import { loadBuilder } from "./builder.ts";
import { StoreError } from "./failure.ts";
import { openStore } from "./sqlite/open.ts";
import { unusableDatabase } from "./sqlite/unusable.ts";
import type { Store, StoreOptions } from "./store.ts";

/** Whether a database is on a server, told by its address. */
export function isOnServer(database: string): boolean {
  return /^postgres(ql)?:/i.test(database);
}

/**
 * Opens a database, creates its tables if need be, and brings its schema up to date.
 *
 * @throws {ConfigError} when it cannot be used, or its schema is newer than this version.
 */
export async function openDatabase(options: StoreOptions): Promise<Store> {
  if (!isOnServer(options.file)) return openStore(options);
  await loadBuilder();
  const { openPostgres } = await import("./postgres/open.ts");
  return await openPostgres(options);
}

/** The error for a database that failed while a service started on it, with what to do about it. */
export async function startFailure(database: string, error: unknown): Promise<unknown> {
  if (!(error instanceof StoreError)) return error;
  if (!isOnServer(database)) return unusableDatabase(database, error);
  const [{ readAddress }, { unusable }] = await Promise.all([
    import("./postgres/address.ts"),
    import("./postgres/unusable.ts"),
  ]);
  return unusable(readAddress(database), error);
}
