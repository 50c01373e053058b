/**
 * The key that signs the addresses of files. Each start makes sure of it, without the code of files.
 *
 * @module
 */

import { fixed, type TextTx } from "../store/mod.ts";
import { randomText } from "./ids.ts";

/** The path prefix of files. */
export const FILES = "/files/";

const SETTING = "file_key";

/** Creates the key, if it is missing. */
export async function ensureFileKey(tx: TextTx): Promise<void> {
  if (await readKey(tx) !== undefined) return;
  const value = randomText(32);
  await fixed`insert into settings (name, value) values (${SETTING}, ${value})
    on conflict (name) do nothing`.execute(tx);
}

/** The key. Throws when the database has none. */
export async function fileKey(tx: TextTx): Promise<string> {
  const key = await readKey(tx);
  if (key === undefined) throw new TypeError("The database has no key for files");
  return key;
}

async function readKey(tx: TextTx): Promise<string | undefined> {
  const { rows: [row] } = await fixed<{ value: string }>`
    select value from settings where name = ${SETTING}`.execute(tx);
  return row?.value;
}
