/**
 * Refuses database files that have a second name. SQLite keeps its log beside the name that it was
 * given, and our lock lies in that folder: under another name, two services would write to one file.
 *
 * @module
 */

import { ConfigError } from "../../errors.ts";
import { linkInfoIfThere } from "./file_info.ts";

/**
 * Refuses a database of which a file is a symbolic link or has further hard links.
 *
 * @throws {ConfigError} when one is.
 */
export function refuseLinks(database: string): void {
  for (const file of [database, `${database}-wal`]) {
    const info = linkInfoIfThere(file);
    if (!info) continue;
    if (info.isSymlink) {
      throw new ConfigError(
        `${cannotUse(file)}: it is a symbolic link to ${JSON.stringify(Deno.readLinkSync(file))}`,
        { hint: "Pass the folder of the file itself: --data DIR" },
      );
    }
    if (info.isFile && (info.nlink ?? 1) > 1) {
      throw new ConfigError(
        `${
          cannotUse(file)
        }: it has ${info.nlink} names (hard links), so another service may use it`,
        {
          hint: "Find its other names with: " +
            `find / -xdev -samefile ${JSON.stringify(file)} 2>/dev/null. Remove those that are ` +
            "not in use.",
        },
      );
    }
  }
}

function cannotUse(file: string): string {
  return `Cannot use the database file ${JSON.stringify(file)}`;
}
