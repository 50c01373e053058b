import { deepEqual, equal } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openTarget } from "../../../../lib/service/store/move/target.ts";
import { placeOf } from "../../../../lib/service/store/frozen.ts";
import { migrations } from "../../../../lib/service/store/migrations/mod.ts";
import { openStore } from "../../../../lib/service/store/mod.ts";
import { onDatabase } from "../../../support/engine.ts";
import { makeSource, move, onEachTarget, sumsOf } from "../../../support/move_fixture.ts";
import { childLines, inFolder } from "../../../support/store_fixture.ts";

/** After so many lines of progress the process is killed. There are about 60. */
const MOMENTS = Deno.env.get("LONG_TESTS") ? [1, 12, 25, 31, 45, 55] : [12, 45];

/** Moves in a process of its own, which is killed at some moment. */
async function moveAndKill(from: string, to: string, lines: number): Promise<void> {
  const script = fileURLToPath(import.meta.resolve("../../../support/move_child.ts"));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--no-prompt", "--allow-all", script, from, to],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let seen = 0;
  for await (const _ of childLines(child)) if (++seen === lines) child.kill("SIGKILL");
  const { signal } = await child.status;
  equal(signal, "SIGKILL", "the process must not end by itself before");
}

/** What is in a target: its tables, or its files. */
async function contentOf(target: string): Promise<string[]> {
  if (target.startsWith("postgres:")) {
    return await onDatabase(new URL(target).pathname.slice(1), async (client) => {
      const { rows } = await client.query(
        "select tablename from pg_tables where schemaname='public'",
      );
      return rows.map(({ tablename }) => String(tablename));
    });
  }
  const { file } = { file: "", ...placeOf(target) };
  return [await Deno.lstat(file).then(() => "a file", () => "")].filter((text) => text !== "");
}

Deno.test("a move that is killed leaves an empty target, and works when it runs again", () =>
  inFolder(async (folder) => {
    const source = await makeSource(join(folder, "source"));
    const before = await sumsOf(placeOf(source));
    await onEachTarget(folder, async (target) => {
      for (const lines of MOMENTS) {
        await moveAndKill(source, target, lines);
        deepEqual(await contentOf(target), [], `killed after ${lines} lines`);
      }
      await move(source, target);
      deepEqual(await sumsOf(placeOf(target)), before);
    });
    const names = Array.from(Deno.readDirSync(join(folder, "target")), ({ name }) => name);
    deepEqual(names.sort(), ["service.db", "service.lock"], "what was left is removed");
  }));

Deno.test("a service that starts where a move was killed starts anew", () =>
  inFolder(async (folder) => {
    const target = await openTarget(placeOf(join(folder, "target")), migrations.length);
    // What a process leaves that ends here.
    const [left] = Array.from(Deno.readDirSync(join(folder, "target")), ({ name }) => name)
      .filter((name) => name.endsWith(".tmp"));
    equal(typeof left, "string");
    const store = openStore({ file: join(folder, "target", "service.db") });
    const clients = await store.read((tx) => tx.selectFrom("clients").select("id").execute());
    equal(clients.length, 1);
    await store.close();
    await target.close();
  }));
