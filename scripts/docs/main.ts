/**
 * Writes docs/support.md out of the service's own contracts, the library's exports and the commands'
 * own requests, and the rows of lists. Run it as `deno task docs`.
 *
 * @module
 */

import { operations } from "../../lib/service/routes/mod.ts";
import { requestsOfCommands } from "./commands.ts";
import { LIST_ROWS_FILE, listRowsText } from "./list_rows.ts";
import { libraryFunctions } from "./library.ts";
import { renderSupport } from "./support.ts";

/** The file that is written. */
export const SUPPORT_FILE: URL = new URL("../../docs/support.md", import.meta.url);

/** The text of docs/support.md as it must be. */
export async function supportText(): Promise<string> {
  const [functions, requests] = await Promise.all([libraryFunctions(), requestsOfCommands()]);
  return renderSupport(operations, functions, requests);
}

if (import.meta.main) {
  await Deno.writeTextFile(LIST_ROWS_FILE, await listRowsText());
  await Deno.writeTextFile(SUPPORT_FILE, await supportText());
}
