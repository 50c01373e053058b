/**
 * Databases to move: with values that are hard to carry, on the engines that are there.
 *
 * @module
 */

import { join } from "node:path";
import { type DatabasePlace, freeze, placeOf } from "../../lib/service/store/frozen.ts";
import { migrations } from "../../lib/service/store/migrations/mod.ts";
import { moveData, type MoveProgress, sumOf } from "../../lib/service/store/move/move.ts";
import { schemaAfter } from "../../lib/service/store/move/tables.ts";
import type { Sum } from "../../lib/service/store/move/digest.ts";
import { openDatabase } from "../../lib/service/store/mod.ts";
import { addressOf, createEmptyDatabase, dropDatabase, ENGINE, openService } from "./engine.ts";

/** Texts that are hard to carry. */
export const HARD_TEXTS = [
  "",
  "NULL",
  "null",
  `{"a": "b\\"c",  "n":1.0, "list":[1,2],"a":"twice"}`,
  `'{}",\\ \\\\ (x) $1 ? :y`,
  "line\nline\r\n\ttab\u0001\u001b",
  "Zürich 東京 👨‍👩‍👧‍👦 e\u0301 \u{10FFFF} \uFFFD \uFEFF",
  " both ends ",
];

/** Makes a data folder with the demonstration project, tokens and hard texts. */
export async function makeSource(folder: string): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  const file = join(folder, "service.db");
  const service = await openService({ database: file });
  await service.oauth.issueToken({ scope: undefined });
  await service.close();
  const store = await openDatabase({ file });
  await store.write(async (tx) => {
    for (const [i, value] of HARD_TEXTS.entries()) {
      await tx.insertInto("settings").values({ name: `hard ${i}`, value }).execute();
    }
    const expires_at = Number.MAX_SAFE_INTEGER;
    await tx.insertInto("sign_in_tries")
      .values({ subject: "largest", tries: 1, locked_until: -expires_at, expires_at }).execute();
  });
  await store.close();
  return folder;
}

/** Runs a test with the place of a new database on a server; it is dropped afterwards. */
export async function withNewDatabase(test: (address: string) => Promise<void>): Promise<void> {
  const name = await createEmptyDatabase();
  try {
    await test(addressOf(name));
  } finally {
    await dropDatabase(name);
  }
}

/** Runs a test with a target of each kind that there is: a folder, a file, and a server's database. */
export async function onEachTarget(
  folder: string,
  test: (target: string) => Promise<void>,
): Promise<void> {
  await test(join(folder, "target"));
  await test(join(folder, "target.db"));
  if (ENGINE === "postgres") await withNewDatabase(test);
}

/** Moves all data. */
export function move(
  from: string,
  to: string,
  report: (progress: MoveProgress) => void = () => {},
  signal = new AbortController().signal,
): ReturnType<typeof moveData> {
  return moveData(placeOf(from), placeOf(to), { report, signal });
}

/** What each table of a database adds up to, by name. */
export async function sumsOf(place: DatabasePlace): Promise<Map<string, Sum>> {
  const database = await freeze(place);
  try {
    const sums = new Map<string, Sum>();
    for (const table of schemaAfter(migrations).tables) {
      sums.set(table.name, await sumOf(database, table));
    }
    return sums;
  } finally {
    await database.close();
  }
}
