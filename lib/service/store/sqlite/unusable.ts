/**
 * Errors for a database that cannot be used, with what to do about it.
 *
 * @module
 */

import { fileReason, FREE_SPACE } from "../../../file_reason.ts";
import { basename, dirname } from "../../../config/paths.ts";
import { ConfigError } from "../../../errors.ts";
import { DATABASE } from "../data_folder.ts";
import { isFull, outageIn, StoreError } from "../failure.ts";

/** The error for a database that cannot be used. */
export function unusableDatabase(file: string, error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  const cause = error instanceof StoreError && error.cause ? error.cause : error;
  const full = isFull(error);
  const reason = full && outageIn(error)?.cause || fileReason(cause);
  // While a file is opened, the driver's errors carry no code.
  if (/malformed|not a database$/.test(reason)) return damaged(file, reason, cause);
  return new ConfigError(`Cannot open the database ${JSON.stringify(file)}: ${reason}`, {
    hint: full
      ? FREE_SPACE
      : "Check that its folder exists and is writable, or use another folder.",
    cause,
  });
}

/** The error for a file that is damaged, or was never a database. */
export function damaged(file: string, why: string, cause?: unknown): ConfigError {
  const data = JSON.stringify(dirname(file));
  // Another file in a data folder must not cost the data beside it.
  const isOfFolder = basename(file) === DATABASE;
  return new ConfigError(`Cannot open the database ${JSON.stringify(file)}: ${why}`, {
    hint: isOfFolder
      ? "The file is damaged or not a database. Restore a backup with: " +
        `cli service restore FILE --data ${data}, or delete all data and start again with: ` +
        `cli service reset --data ${data}`
      : "The file is damaged or not a database. Check its path.",
    cause,
  });
}
