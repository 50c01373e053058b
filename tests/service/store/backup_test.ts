import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { ConfigError } from "../../../lib/errors.ts";
import { checkBackup, extractBackup, saveBackup } from "../../../lib/service/store/backup.ts";
import { connect } from "../../../lib/service/store/sqlite/connection.ts";
import { lockFolder, openStore } from "../../../lib/service/store/mod.ts";
import { restoreBackup } from "../../../lib/service/store/restore.ts";
import { VERSION } from "../../../lib/version.ts";
import {
  addOffering,
  addProject,
  childLines,
  inFolder,
  offeringIds,
  spawnChild,
} from "../../support/store_fixture.ts";

/** A data folder with some offerings. Returns the database's file. */
async function made(folder: string, ...ids: string[]): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  const file = join(folder, "service.db");
  const store = openStore({ file });
  await store.write(addProject);
  for (const id of ids) await store.write((tx) => addOffering(tx, id));
  await store.close();
  return file;
}

/** The offerings in a database. */
async function held(file: string): Promise<string[]> {
  const store = openStore({ file });
  const ids = await store.read(offeringIds);
  await store.close();
  return ids;
}

/** Checks that something is refused with a message, and a hint. */
function refused(promise: Promise<unknown>, message: RegExp): Promise<void> {
  return rejects(promise, (error) => {
    ok(error instanceof ConfigError, String(error));
    match(error.message, message);
    return error.hint !== undefined;
  });
}

Deno.test("a backup holds all data and says what it is, and any SQLite program opens it", () =>
  inFolder(async (folder) => {
    const file = await made(join(folder, "data"), "ofrng1", "ofrng2");
    const path = join(folder, "one.backup");
    const note = await saveBackup(file, path, 7);
    deepEqual([note.version, note.made_at, note.schema], [VERSION, 7, 1]);
    match(note.sha256, /^[0-9a-f]{64}$/);
    deepEqual(await checkBackup(path), note);
    const connection = connect(path, { readOnly: true });
    equal(connection.rows("SELECT id FROM offerings").length, 2);
    connection.close();
    if (Deno.build.os !== "windows") equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    deepEqual((await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).sort(), [
      "data",
      "one.backup",
    ]);
  }));

Deno.test("a restored backup is what was saved, whatever the folder held and its log", () =>
  inFolder(async (folder) => {
    const file = await made(join(folder, "data"), "ofrng1");
    const path = join(folder, "one.backup");
    await saveBackup(file, path, 7);
    // What a killed service leaves: a log that was not brought into the file.
    const store = openStore({ file });
    await store.write((tx) => addOffering(tx, "ofrng2"));
    const log = await Deno.readFile(`${file}-wal`);
    ok(log.length > 0);
    await store.close();
    await Deno.writeFile(`${file}-wal`, log);
    await restoreBackup(path, join(folder, "data"));
    deepEqual(await held(file), ["ofrng1"]);
    await restoreBackup(path, join(folder, "new"));
    deepEqual(await held(join(folder, "new", "service.db")), ["ofrng1"]);
    // A damaged database is no reason not to put a backup in its place.
    await Deno.writeTextFile(file, "garbage ".repeat(1000));
    await Deno.writeFile(`${file}-wal`, log);
    await restoreBackup(path, join(folder, "data"));
    deepEqual(await held(file), ["ofrng1"]);
  }));

Deno.test("a restore leaves a database alone whose log another program still reads", () =>
  inFolder(async (folder) => {
    const data = join(folder, "data");
    const file = await made(data, "ofrng1");
    const path = join(folder, "one.backup");
    await saveBackup(file, path, 7);
    const reader = connect(file);
    const change = connect(file);
    change.rows("PRAGMA journal_mode = WAL");
    change.run("UPDATE offerings SET display_name = 'before'");
    const read = () => reader.rows("SELECT display_name FROM offerings");
    reader.run("BEGIN");
    equal(read()[0]?.display_name, "before");
    change.run("UPDATE offerings SET display_name = 'after'");
    await refused(restoreBackup(path, data), /^Cannot restore a backup .* another program has it/);
    reader.run("COMMIT");
    equal(read()[0]?.display_name, "after", "the log is where it was");
    // One that has read all of the log only keeps the file of the log.
    reader.run("BEGIN");
    read();
    await restoreBackup(path, data);
    for (const connection of [reader, change]) connection.close();
    deepEqual(await held(file), ["ofrng1"]);
    const names = await Array.fromAsync(Deno.readDir(data), ({ name }) => name);
    deepEqual(names.sort(), ["service.db", "service.lock"]);
  }));

Deno.test("a restore that the system stops names the reason and the remedy, and keeps the data", () =>
  inFolder(async (folder) => {
    const data = join(folder, "data");
    const file = await made(data, "ofrng1");
    const path = join(folder, "one.backup");
    await saveBackup(file, path, 7);
    const limits = [
      ["ENOSPC", "the disk is full", "Free some space, then try again."],
      [
        "EFBIG",
        "the file is larger than the system allows",
        "Allow larger files: ulimit -f unlimited",
      ],
      ["EIO", "input/output error", "Pass a folder that you can write, with --data DIR"],
    ] as const;
    const { write } = Deno.FsFile.prototype;
    for (const [code, why, hint] of limits) {
      const failure = Object.assign(new Error("input/output error (os error 5)"), { code });
      Deno.FsFile.prototype.write = () => Promise.reject(failure);
      const error = await restoreBackup(path, data).catch((error: unknown) => error)
        .finally(() => Deno.FsFile.prototype.write = write);
      ok(error instanceof ConfigError, String(error));
      const message = `Cannot restore the backup into ${JSON.stringify(data)}: ${why}`;
      deepEqual([error.message, error.hint], [message, hint]);
    }
    deepEqual(await held(file), ["ofrng1"]);
    const names = await Array.fromAsync(Deno.readDir(data), ({ name }) => name);
    deepEqual(names.sort(), ["service.db", "service.lock"]);
  }));

Deno.test("a backup that was cut off or changed anywhere is refused, and nothing changes", () =>
  inFolder(async (folder) => {
    const file = await made(join(folder, "data"), "ofrng1");
    const path = join(folder, "one.backup");
    const { bytes } = await saveBackup(file, path, 7);
    const whole = await Deno.readFile(path);
    const before = await Deno.readFile(file);
    const bad = join(folder, "bad.backup");
    for (const size of [0, 100, bytes, whole.length - 1]) {
      await Deno.writeFile(bad, whole.subarray(0, size));
      await refused(restoreBackup(bad, join(folder, "data")), /: it is not a backup .* truncated$/);
    }
    for (const at of [0, 5000, bytes - 1]) {
      const changed = whole.slice();
      changed.set([(whole[at] ?? 0) ^ 1], at);
      await Deno.writeFile(bad, changed);
      await refused(restoreBackup(bad, join(folder, "data")), /: its checksum does not match/);
    }
    const newer = new TextDecoder("latin1").decode(whole).replace('"schema":1,', '"schema":9,');
    await Deno.writeFile(bad, Uint8Array.from(newer, (letter) => letter.charCodeAt(0)));
    await refused(
      restoreBackup(bad, join(folder, "data")),
      /with the schema 9; .* supports up to 1$/,
    );
    await refused(restoreBackup(join(folder, "no"), join(folder, "data")), /^Cannot read /);
    deepEqual(await Deno.readFile(file), before);
  }));

Deno.test("an extracted database is for its owner alone", {
  ignore: Deno.build.os === "windows",
}, () =>
  inFolder(async (folder) => {
    const file = await made(join(folder, "data"), "ofrng1");
    const path = join(folder, "one.backup");
    const target = join(folder, "extracted.db");
    await extractBackup(path, await saveBackup(file, path, 7), target);
    equal(((await Deno.stat(target)).mode ?? 0) & 0o777, 0o600);
    deepEqual(await held(target), ["ofrng1"]);
  }));

Deno.test({
  name: "a pipe is neither written over by a backup nor restored",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const file = await made(join(folder, "data"), "ofrng1");
      const pipe = join(folder, "pipe");
      await new Deno.Command("sh", { args: ["-c", `mkfifo '${pipe}'`] }).output();
      await refused(
        saveBackup(file, pipe, 7),
        /: an existing file with this name is not a backup$/,
      );
      await refused(restoreBackup(pipe, join(folder, "data")), /: it is not a backup/);
    }),
});

Deno.test("a backup replaces backups only, and needs a database of the service", () =>
  inFolder(async (folder) => {
    const file = await made(join(folder, "data"), "ofrng1");
    const notes = join(folder, "notes.txt");
    await Deno.writeTextFile(notes, "mine");
    await refused(saveBackup(file, notes, 7), /: an existing file with this name is not a backup$/);
    await refused(saveBackup(file, file, 7), /: an existing file with this name is not a backup$/);
    equal(await Deno.readTextFile(notes), "mine");
    await refused(saveBackup(join(folder, "no.db"), join(folder, "b"), 7), /there is no database$/);
    await refused(saveBackup(notes, join(folder, "b"), 7), /^Cannot back up .*not a database/);
    const foreign = join(folder, "foreign.db");
    const connection = connect(foreign);
    connection.run("CREATE TABLE notes (body TEXT) STRICT");
    connection.close();
    await refused(
      saveBackup(foreign, join(folder, "b"), 7),
      /: it is not a database of the service$/,
    );
    const path = join(folder, "one.backup");
    await saveBackup(file, path, 7);
    equal((await saveBackup(file, path, 8)).made_at, 8);
  }));

Deno.test("nothing is restored into a folder that a service holds", () =>
  inFolder(async (folder) => {
    const file = await made(join(folder, "data"), "ofrng1");
    const path = join(folder, "one.backup");
    await saveBackup(file, path, 7);
    const lock = await lockFolder(join(folder, "data"));
    await refused(
      restoreBackup(path, join(folder, "data")),
      /^Cannot restore a backup over .*: the/,
    );
    await lock.release();
  }));

Deno.test("a backup of a database that is being written to is whole", () =>
  inFolder(async (folder) => {
    const child = spawnChild("write", join(folder, "data.db"));
    const lines = childLines(child);
    await lines.next();
    const known: string[] = [];
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 20; i++) known.push((await lines.next()).value ?? "");
      const path = join(folder, `${round}.backup`);
      await saveBackup(join(folder, "data.db"), path, round);
      await restoreBackup(path, join(folder, `restored ${round}`));
      const ids = new Set(await held(join(folder, `restored ${round}`, "service.db")));
      deepEqual(known.filter((id) => !ids.has(id)), [], "what was acknowledged before is in it");
    }
    child.kill("SIGKILL");
    for await (const _ of lines);
    await child.status;
    await child.stdin.close().catch(() => {});
  }));

Deno.test("a save or restore that is killed leaves the old state whole", () =>
  inFolder(async (folder) => {
    const file = await made(join(folder, "data"), "ofrng1");
    const path = join(folder, "one.backup");
    await saveBackup(file, path, 7);
    const other = await made(join(folder, "other"), "ofrng2");
    const twin = join(folder, "two.backup");
    await saveBackup(other, twin, 8);
    for (let round = 0; round < 3; round++) {
      await killedAfter(round * 40, "restore", twin, join(folder, "data"));
      const [id] = await held(file);
      ok(id === "ofrng1" || id === "ofrng2", String(id));
      await killedAfter(round * 40, "save", file, path);
      await checkBackup(path);
      await restoreBackup(path, join(folder, "data"));
    }
  }));

/** Runs a save or restore in a process of its own, and kills it so many milliseconds after it began. */
async function killedAfter(ms: number, what: string, from: string, to: string): Promise<void> {
  const backup = import.meta.resolve("../../../lib/service/store/backup.ts");
  const restore = import.meta.resolve("../../../lib/service/store/restore.ts");
  const program = what === "save"
    ? `const { saveBackup } = await import("${backup}"); console.log("ready");
       for (;;) await saveBackup(Deno.args[0], Deno.args[1], 9);`
    : `const { restoreBackup } = await import("${restore}"); console.log("ready");
       for (;;) await restoreBackup(Deno.args[0], Deno.args[1]);`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", program, from, to],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  for await (const _ of childLines(child)) {
    setTimeout(() => child.kill("SIGKILL"), ms);
  }
  equal((await child.status).signal, "SIGKILL");
}

Deno.test("a backup on a full disk says so, and leaves the former one and no part of its own", () =>
  inFolder(async (folder) => {
    const file = await made(join(folder, "data"), "ofrng1");
    const path = join(folder, "one.backup");
    const former = await saveBackup(file, path, 7);
    const { open } = Deno;
    Deno.open = (name, options) => {
      if (!options?.append) return open(name, options);
      return Promise.reject(Object.assign(new Error("No space left"), { code: "ENOSPC" }));
    };
    try {
      const full = /^Cannot write the backup ".*one.backup": the disk is full$/;
      await refused(saveBackup(file, path, 8), full);
    } finally {
      Deno.open = open;
    }
    deepEqual(await checkBackup(path), former);
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    deepEqual(names.sort(), ["data", "one.backup"]);
  }));

Deno.test("a backup without a place says what is wrong with the place, and what to do", () =>
  inFolder(async (folder) => {
    const file = await made(join(folder, "data"), "ofrng1");
    const lost = join(folder, "no", "one.backup");
    await rejects(saveBackup(file, lost, 7), {
      name: "ConfigError",
      message: `Cannot write the backup to ${JSON.stringify(lost)}: there is no folder ` +
        JSON.stringify(join(folder, "no")),
      hint: "Create the folder, or choose another one.",
    });
    await rejects(saveBackup(file, folder, 7), {
      name: "ConfigError",
      message: `Cannot write the backup to ${JSON.stringify(folder)}: it is a folder`,
      hint: "Pass the name of a file, also inside that folder.",
    });
    const { open } = Deno;
    Deno.open = () => Promise.reject(Object.assign(new Error("os error"), { code: "EACCES" }));
    try {
      await rejects(saveBackup(file, join(folder, "one.backup"), 7), {
        message: /^Cannot write the backup to ".*one.backup": permission denied$/,
        hint: `Check that you may write to ${JSON.stringify(folder)}, or choose another folder.`,
      });
    } finally {
      Deno.open = open;
    }
  }));

Deno.test("a device is no place for a backup, and none itself", {
  ignore: Deno.build.os !== "linux",
}, () =>
  inFolder(async (folder) => {
    const file = await made(join(folder, "data"), "ofrng1");
    const device = /: it is a device or another special file of the system$/;
    await refused(saveBackup(file, "/dev/full", 7), device);
    await refused(checkBackup("/dev/full"), device);
  }));
