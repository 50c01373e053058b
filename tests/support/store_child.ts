/**
 * A process for the tests to kill. Run with `hold FOLDER` it takes the folder's lock, with
 * `write DATABASE` it says so, then writes to that database without end and prints the id of each
 * write that was acknowledged.
 *
 * @module
 */

import {
  acrossProjects,
  inProject,
  lockFolder,
  nextSeq,
  openDatabase,
  type Tx,
  writeAddress,
} from "../../lib/service/store/mod.ts";
import { addOffering, addProject, PROJECT, setCurrent } from "./store_fixture.ts";

/** So many writers work at the same time. */
const WRITERS = 16;

if (import.meta.main) {
  const [what, where = ""] = Deno.args;
  if (what === "hold") await hold(where);
  if (what === "write") await write(where);
}

/** Takes the lock, says so, and keeps it until standard input ends. */
async function hold(folder: string): Promise<void> {
  const lock = await lockFolder(folder);
  await writeAddress(lock, { pid: Deno.pid, base_url: "http://127.0.0.1:4010", started_at: 1 });
  print("held");
  await Deno.stdin.readable.pipeTo(new WritableStream());
  await lock.release();
}

/** Writes without end. */
async function write(database: string): Promise<void> {
  print("started");
  const store = await openDatabase({ file: database });
  const known = await store.read((tx) =>
    acrossProjects(tx).selectFrom("projects").select("id").execute()
  );
  if (known.length === 0) await store.write(addProject);
  await Promise.all(Array.from({ length: WRITERS }, async () => {
    for (;;) {
      const id = `ofrng${crypto.randomUUID()}`;
      await store.write((tx) => change(tx, id));
      print(id);
    }
  }));
}

/** Adds an offering, makes it current, and logs that: all three or none. */
async function change(tx: Tx, id: string): Promise<void> {
  await addOffering(tx, id);
  await setCurrent(tx, id);
  await acrossProjects(tx).insertInto("audit_logs").values({
    project_id: PROJECT,
    id: `log_${id}`,
    seq: await nextSeq(inProject(tx, PROJECT)),
    action_type: "offering_created",
    target_type: "offering",
    target_identifier: id,
    actor_type: "user",
    actor_identifier: "somebody",
    occurred_at: 1,
    additional_data: "x".repeat(Math.random() * 8_000),
  }).execute();
}

/** Prints a line that the parent has even if this process is killed right after. */
function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
