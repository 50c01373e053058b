import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { join } from "node:path";
import { ConfigError, UsageError } from "../../../lib/errors.ts";
import { checkBackup } from "../../../lib/service/store/backup.ts";
import { connect } from "../../../lib/service/store/sqlite/connection.ts";
import { openStore } from "../../../lib/service/store/mod.ts";
import { restoreBackup } from "../../../lib/service/store/restore.ts";
import {
  countSnapshots,
  deleteSnapshot,
  findSnapshot,
  isSnapshotName,
  listSnapshots,
  saveSnapshot,
  snapshotFile,
} from "../../../lib/service/store/snapshots.ts";
import {
  addOffering,
  addProject,
  childLines,
  inFolder,
  offeringIds,
} from "../../support/store_fixture.ts";

/** Makes a data folder with offerings, and with as many bytes beside them. */
async function make(data: string, ids: string[], bytes = 0): Promise<void> {
  await Deno.mkdir(data, { recursive: true });
  const store = openStore({ file: join(data, "service.db") });
  await store.write(addProject);
  for (const id of ids) await store.write((tx) => addOffering(tx, id));
  await store.close();
  if (bytes === 0) return;
  const connection = connect(join(data, "service.db"));
  connection.rows("UPDATE projects SET name = hex(zeroblob(?))", bytes / 2);
  connection.close();
}

/** The offerings in a data folder. */
async function held(data: string): Promise<string[]> {
  const store = openStore({ file: join(data, "service.db") });
  const ids = await store.read(offeringIds);
  await store.close();
  return ids;
}

/** The names of the files in the folder of the snapshots. */
async function files(data: string): Promise<string[]> {
  const names = await Array.fromAsync(Deno.readDir(join(data, "snapshots")), ({ name }) => name);
  return names.sort();
}

const NEW = { now: 7, replaces: false };

Deno.test("a snapshot has a name, and the list shows what it holds", () =>
  inFolder(async (data) => {
    await make(data, ["ofrng1"]);
    deepEqual(await listSnapshots(data), []);
    const note = await saveSnapshot({ folder: data }, "one", NEW);
    await saveSnapshot({ folder: data }, "a-2_b", { now: 8, replaces: false });
    const [first, second] = await listSnapshots(data);
    const { file = "", ...rest } = second ?? {};
    equal(first?.name, "a-2_b");
    deepEqual(rest, {
      name: "one",
      bytes: note.bytes,
      made_at: 7,
      project_time: 7,
      schema: 1,
      version: note.version,
      sound: true,
      problem: null,
    });
    deepEqual(await checkBackup(file), note);
    equal(file, await findSnapshot(data, "one"));
    await deleteSnapshot({ folder: data }, "one");
    await rejects(findSnapshot(data, "one"), /there is no such snapshot$/);
    await rejects(deleteSnapshot({ folder: data }, "one"), ConfigError);
    deepEqual((await listSnapshots(data)).map(({ name }) => name), ["a-2_b"]);
  }));

Deno.test("the time of a stopped clock is noted, that of a running one is counted", () =>
  inFolder(async (data) => {
    await make(data, []);
    const change = (sql: string) => {
      const connection = connect(join(data, "service.db"));
      connection.run(sql);
      connection.close();
    };
    change("UPDATE projects SET clock_offset = 100");
    equal((await saveSnapshot({ folder: data }, "running", NEW)).project_time, 107);
    change("UPDATE projects SET clock_frozen_at = 50");
    equal((await saveSnapshot({ folder: data }, "stopped", NEW)).project_time, 50);
    change("DELETE FROM projects");
    equal((await saveSnapshot({ folder: data }, "empty", NEW)).project_time, null);
  }));

Deno.test("only small letters, digits, - and _ make the name of a snapshot", () =>
  inFolder(async (data) => {
    await make(data, []);
    const hostile = [
      ...["", ".", "..", "../x", "a/b", "a\\b", "/etc/passwd", "a\0b", "-x", "--help", "x-", "_a"],
      ...[
        "A",
        "Before",
        "İ",
        "ß",
        "é",
        "a b",
        "a.b",
        "a\n",
        "con",
        "nul",
        "com1",
        "lpt9",
        "~",
        "*",
      ],
      "x".repeat(65),
      "x".repeat(100_000),
    ];
    for (const name of hostile) {
      equal(isSnapshotName(name), false, name.slice(0, 70));
      throws(() => snapshotFile(data, name), (error) => {
        ok(error instanceof UsageError && error.message.length < 400, String(error));
        return true;
      });
      await rejects(saveSnapshot({ folder: data }, name, NEW), UsageError);
      await rejects(findSnapshot(data, name), UsageError);
      await rejects(deleteSnapshot({ folder: data }, name), UsageError);
    }
    for (const name of ["a", "0", "x".repeat(64), "before-migration", "v1_2-3", "console"]) {
      ok(isSnapshotName(name), name);
    }
    deepEqual((await Array.fromAsync(Deno.readDir(data), ({ name }) => name)).sort(), [
      "service.db",
    ]);
  }));

Deno.test("a name that is taken stays as it is, unless it is to be replaced", () =>
  inFolder(async (data) => {
    await make(data, ["ofrng1"]);
    await saveSnapshot({ folder: data }, "one", NEW);
    await rejects(saveSnapshot({ folder: data }, "one", { now: 8, replaces: false }), /is taken$/);
    equal((await listSnapshots(data))[0]?.made_at, 7);
    await saveSnapshot({ folder: data }, "one", { now: 9, replaces: true });
    equal((await listSnapshots(data))[0]?.made_at, 9);
  }));

Deno.test("of two who save one new name, one has it and the other one is told", () =>
  inFolder(async (data) => {
    await make(data, ["ofrng1"]);
    const program = saving(`{ now: 7, replaces: false }`, "");
    const children = [1, 2, 3].map(() => start(program, data));
    const ends = await Promise.all(children.map((child) => child.output()));
    const said = ends.map(({ stdout }) => new TextDecoder().decode(stdout).trim()).sort();
    const taken = 'Cannot save the snapshot "one": the name is taken';
    deepEqual(said, [taken, taken, "saved"]);
    equal((await listSnapshots(data))[0]?.sound, true);
    deepEqual(await files(data), ["lock", "one.snapshot"]);
  }));

Deno.test("a damaged snapshot is listed as such, and cannot be restored", () =>
  inFolder(async (data) => {
    await make(data, ["ofrng1"]);
    await saveSnapshot({ folder: data }, "changed", NEW);
    await saveSnapshot({ folder: data }, "short", NEW);
    const changed = await Deno.open(snapshotFile(data, "changed"), { write: true });
    await changed.seek(5000, Deno.SeekMode.Start);
    await changed.write(new Uint8Array([1, 2, 3]));
    changed.close();
    await Deno.truncate(snapshotFile(data, "short"), 5000);
    const [one, other] = await listSnapshots(data);
    deepEqual([one?.sound, one?.made_at], [false, 7]);
    match(one?.problem ?? "", /^its checksum does not match/);
    deepEqual([other?.sound, other?.made_at, other?.bytes], [false, null, null]);
    match(other?.problem ?? "", /truncated$/);
    for (const name of ["changed", "short"]) {
      await rejects(restoreBackup(await findSnapshot(data, name), data), ConfigError);
    }
    deepEqual(await held(data), ["ofrng1"]);
  }));

Deno.test("the list has all snapshots, and says which of them cannot be read", () =>
  inFolder(async (data) => {
    await make(data, ["ofrng1"]);
    for (const name of ["one", "three", "two"]) await saveSnapshot({ folder: data }, name, NEW);
    const { open } = Deno;
    // One cannot be opened, and another one fails when it is read as a whole.
    let opened = 0;
    Deno.open = (path, options) => {
      const fails = path === snapshotFile(data, "one") ||
        path === snapshotFile(data, "two") && ++opened === 2;
      if (!fails) return open(path, options);
      return Promise.reject(Object.assign(new Error("Denied"), { code: "EACCES" }));
    };
    try {
      deepEqual(
        (await listSnapshots(data)).map(({ name, made_at, problem }) => [name, made_at, problem]),
        [["one", null, "permission denied"], ["three", 7, null], ["two", 7, "permission denied"]],
      );
    } finally {
      Deno.open = open;
    }
  }));

Deno.test({
  name: "only their owner can open snapshots, and links are no snapshots",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (data) => {
      await make(data, []);
      await Deno.mkdir(join(data, "snapshots"), { mode: 0o777 });
      await Deno.chmod(join(data, "snapshots"), 0o777);
      await saveSnapshot({ folder: data }, "one", NEW);
      equal(((await Deno.stat(join(data, "snapshots"))).mode ?? 0) & 0o777, 0o700);
      for (const name of await files(data)) {
        equal(((await Deno.stat(join(data, "snapshots", name))).mode ?? 0) & 0o777, 0o600, name);
      }
      await Deno.symlink(snapshotFile(data, "one"), snapshotFile(data, "link"));
      await rejects(findSnapshot(data, "link"), /it is not a regular file$/);
      await rejects(saveSnapshot({ folder: data }, "link", NEW), /is taken$/);
      deepEqual((await listSnapshots(data)).map(({ name }) => name), ["one"]);
      const lock = join(data, "snapshots", "lock");
      await Deno.remove(lock);
      await new Deno.Command("sh", { args: ["-c", `mkfifo '${lock}'`] }).output();
      await rejects(saveSnapshot({ folder: data }, "two", NEW), /"lock" is not a regular file$/);
    }),
});

Deno.test({
  name: "a link in place of the folder of the snapshots is refused, and its target stays as it is",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const [data, elsewhere] = [join(folder, "data"), join(folder, "elsewhere")];
      await make(data, []);
      await saveSnapshot({ folder: data }, "one", NEW);
      await Deno.rename(join(data, "snapshots"), elsewhere);
      await Deno.chmod(elsewhere, 0o755);
      await Deno.symlink(elsewhere, join(data, "snapshots"));
      const uses = [
        () => saveSnapshot({ folder: data }, "two", NEW),
        () => saveSnapshot({ folder: data }, "one", { now: 8, replaces: true }),
        () => listSnapshots(data),
        () => countSnapshots(data),
        () => findSnapshot(data, "one"),
        () => deleteSnapshot({ folder: data }, "one"),
      ];
      for (const use of uses) await rejects(use, /snapshots": it is a symbolic link$/);
      equal(((await Deno.stat(elsewhere)).mode ?? 0) & 0o777, 0o755);
      deepEqual(await files(data), ["lock", "one.snapshot"]);
      equal((await checkBackup(join(elsewhere, "one.snapshot"))).made_at, 7);
    }),
});

Deno.test({
  name: "a full disk leaves the former snapshot, and no half one",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (data) => {
      await make(data, ["ofrng1"]);
      await saveSnapshot({ folder: data }, "one", NEW);
      const former = await Deno.readFile(snapshotFile(data, "one"));
      await make(join(data, "large"), ["ofrng2"], 4_000_000);
      await Deno.rename(join(data, "large", "service.db"), join(data, "service.db"));
      for (const name of ["one", "two"]) {
        const program = saving(`{ now: 8, replaces: true }`, "", name);
        // Files may have 512 times as many bytes, less than the database.
        const script = `trap '' XFSZ; ulimit -f 3000; exec "$0" eval --no-check "$1" "$2"`;
        const { stdout } = await new Deno.Command("sh", {
          args: ["-c", script, Deno.execPath(), program, data],
        }).output();
        match(new TextDecoder().decode(stdout), /^Cannot back up .*service\.db": /);
      }
      deepEqual(await Deno.readFile(snapshotFile(data, "one")), former);
      deepEqual(await files(data), ["lock", "one.snapshot"]);
    }),
});

Deno.test("a save that is killed anywhere leaves the former snapshot whole", () =>
  inFolder(async (data) => {
    await make(data, ["ofrng1"], 3_000_000);
    await saveSnapshot({ folder: data }, "one", NEW);
    const rounds = Number(Deno.env.get("STORE_CRASH_ROUNDS") ?? 6);
    let halves = 0;
    for (let round = 0; round < rounds; round++) {
      const child = start(saving(`{ now: 9, replaces: true }`, "for (;;)"), data);
      for await (const _ of childLines(child)) {
        setTimeout(() => child.kill("SIGKILL"), round * 7);
      }
      equal((await child.status).signal, "SIGKILL");
      const [one, ...others] = await listSnapshots(data);
      deepEqual([one?.name, one?.sound, others.length], ["one", true, 0]);
      halves += (await files(data)).filter((name) => name.endsWith(".tmp")).length;
      await restoreBackup(await findSnapshot(data, "one"), data);
      deepEqual(await held(data), ["ofrng1"]);
    }
    ok(halves > 0, "no kill met a save");
    await saveSnapshot({ folder: data }, "two", NEW);
    deepEqual(await files(data), ["lock", "one.snapshot", "two.snapshot"]);
  }));

Deno.test("a restore that is killed anywhere leaves the old or the new data whole", () =>
  inFolder(async (data) => {
    await make(data, ["ofrng1"], 3_000_000);
    await saveSnapshot({ folder: data }, "one", NEW);
    await make(join(data, "other"), ["ofrng2"], 3_000_000);
    await Deno.rename(join(data, "other", "service.db"), join(data, "service.db"));
    await saveSnapshot({ folder: data }, "two", NEW);
    const restore = import.meta.resolve("../../../lib/service/store/restore.ts");
    const program = `const { restoreBackup } = await import("${restore}"); console.log("ready");
      const at = (name) => Deno.args[0] + "/snapshots/" + name + ".snapshot";
      for (;;) for (const name of ["one", "two"]) await restoreBackup(at(name), Deno.args[0]);`;
    const rounds = Number(Deno.env.get("STORE_CRASH_ROUNDS") ?? 6);
    for (let round = 0; round < rounds; round++) {
      const child = start(program, data);
      for await (const _ of childLines(child)) {
        setTimeout(() => child.kill("SIGKILL"), round * 11);
      }
      equal((await child.status).signal, "SIGKILL");
      const [id, ...more] = await held(data);
      ok((id === "ofrng1" || id === "ofrng2") && more.length === 0, `${id} ${more}`);
      ok((await listSnapshots(data)).every(({ sound }) => sound));
    }
  }));

/** A program that saves a snapshot of the folder in its arguments, once or without end. */
function saving(how: string, again: string, name = "one"): string {
  const module = import.meta.resolve("../../../lib/service/store/snapshots.ts");
  return `const { saveSnapshot } = await import("${module}");
    ${again && 'console.log("ready");'}
    try {
      ${again} await saveSnapshot({ folder: Deno.args[0] }, "${name}", ${how});
      console.log("saved");
    } catch (error) { console.log(error.message); }`;
}

/** Starts a program in a process of its own. */
function start(program: string, data: string): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", program, data],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}
