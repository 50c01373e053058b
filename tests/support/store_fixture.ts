/**
 * What the tests of the store share: temporary folders, and rows with nothing special about them.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import {
  acrossProjects,
  inProject,
  nextSeq,
  type Store,
  type Tx,
} from "../../lib/service/store/mod.ts";
import { openForTests } from "./engine.ts";
import { openLasting } from "./lasting.ts";

/** The project that the rows belong to. */
export const PROJECT = "proj00000001";

/** Runs a test in a folder of its own, which is removed afterwards. */
export async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "store" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs a test with a store in memory and again with one on disk, each with an empty project. */
export async function onBothStores(test: (store: Store) => Promise<void>): Promise<void> {
  await withStore(":memory:", test);
  await onDisk(test);
}

/** Runs a test with a store that is not in memory, with an empty project. */
export async function onDisk(test: (store: Store) => Promise<void>): Promise<void> {
  await using lasting = await openLasting();
  await withStore(lasting.database, test);
}

/** Runs a test with a store that has an empty project, and closes the store afterwards. */
export async function withStore(
  file: string,
  test: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await openForTests({ file });
  try {
    await store.write(addProject);
    await test(store);
  } finally {
    await store.close();
  }
}

/** Adds the project. */
export async function addProject(tx: Tx): Promise<void> {
  await acrossProjects(tx).insertInto("projects")
    .values({
      id: PROJECT,
      seq: 1,
      name: "Demo",
      icon_url: null,
      icon_url_large: null,
      created_at: 1,
      current_offering_id: null,
      clock_frozen_at: null,
    })
    .execute();
}

/** Adds an offering whose lookup key is its id. */
export async function addOffering(tx: Tx, id: string, lookup_key = id): Promise<string> {
  await acrossProjects(tx).insertInto("offerings")
    .values({
      project_id: PROJECT,
      id,
      seq: await nextSeq(inProject(tx, PROJECT)),
      lookup_key,
      display_name: id,
      metadata: null,
      created_at: 1,
    })
    .execute();
  return id;
}

/** The ids of all offerings, oldest first. */
export async function offeringIds(tx: Tx): Promise<string[]> {
  const rows = await acrossProjects(tx).selectFrom("offerings").select("id")
    .where("project_id", "=", PROJECT).orderBy("seq").execute();
  return rows.map((row) => row.id);
}

/** Makes an offering current, or none. */
export async function setCurrent(tx: Tx, id: string | null): Promise<void> {
  await acrossProjects(tx).updateTable("projects").set({ current_offering_id: id })
    .where("id", "=", PROJECT).execute();
}

/** Starts `store_child.ts` in a process of its own. */
export function spawnChild(what: "hold" | "write", where: string): Deno.ChildProcess {
  const script = fileURLToPath(import.meta.resolve("./store_child.ts"));
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--no-prompt",
      "--allow-net=127.0.0.1",
      "--allow-env",
      "--allow-read",
      "--allow-write",
      script,
      what,
      where,
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

/** The lines that a process prints, without the one it could not finish. */
export async function* childLines(child: Deno.ChildProcess): AsyncGenerator<string> {
  let rest = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
