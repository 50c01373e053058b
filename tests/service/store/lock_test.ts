import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { ConfigError } from "../../../lib/errors.ts";
import { keepSecret } from "../../../lib/service/http/admin_secret.ts";
import { resetFolder } from "../../../lib/service/store/data_folder.ts";
import { lockFolder, readAddress, writeAddress } from "../../../lib/service/store/mod.ts";
import { startServer } from "../../support/server.ts";
import { childLines, inFolder, spawnChild } from "../../support/store_fixture.ts";

const HERE = { pid: Deno.pid, base_url: "http://127.0.0.1:4010", started_at: 1_700_000_000_000 };

Deno.test("a folder that is held is refused, with its holder's process and address", () =>
  inFolder(async (folder) => {
    const child = spawnChild("hold", folder);
    const lines = childLines(child);
    equal((await lines.next()).value, "held");
    await rejects(lockFolder(folder), (error) => {
      ok(error instanceof ConfigError);
      equal(
        error.message,
        `Cannot start a service on the data folder ${JSON.stringify(folder)}: ` +
          `process ${child.pid} at http://127.0.0.1:4010 is using it`,
      );
      return error.hint !== undefined;
    });
    deepEqual((await readAddress(folder)).address?.pid, child.pid);
    await child.stdin.close();
    equal((await child.status).success, true);
    await lines.return(undefined);
    deepEqual(await readAddress(folder), { held: false, address: undefined });
    await (await lockFolder(folder)).release();
  }));

Deno.test("a folder is free again once its holder was killed, and the note is known to be old", () =>
  inFolder(async (folder) => {
    const child = spawnChild("hold", folder);
    const lines = childLines(child);
    equal((await lines.next()).value, "held");
    equal((await readAddress(folder)).held, true);
    child.kill("SIGKILL");
    await child.status;
    await lines.return(undefined);
    await child.stdin.close().catch(() => {});
    const { held, address } = await readAddress(folder);
    deepEqual([held, address?.pid], [false, child.pid]);

    const lock = await lockFolder(folder);
    deepEqual(await readAddress(folder), { held: true, address: undefined });
    await lock.release();
  }));

Deno.test("a folder that is held cannot be reset, and the error says what to stop", () =>
  inFolder(async (folder) => {
    const lock = await lockFolder(folder);
    await writeAddress(lock, HERE);
    await keepSecret(folder);
    await rejects(resetFolder(folder), {
      name: "ConfigError",
      message: `Cannot delete the data in ${JSON.stringify(folder)}: the service is running ` +
        `(process ${HERE.pid} at ${HERE.base_url})`,
      hint: /^Stop it first/,
    });
    await lock.release();
    await resetFolder(folder);
  }));

Deno.test({
  name: "a folder stays locked when its lock file was deleted",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const lock = await lockFolder(folder);
      await writeAddress(lock, HERE);
      await keepSecret(folder);
      await Deno.remove(join(folder, "service.lock"));
      deepEqual((await readAddress(folder)).held, true);
      await rejects(lockFolder(folder), new RegExp(`process ${HERE.pid} at .* is using it$`));
      await rejects(resetFolder(folder), /the service is running/);
      await lock.release();
      await (await lockFolder(folder)).release();
    }),
});

Deno.test("a reset deletes the log that a restore has moved aside, too", () =>
  inFolder(async (folder) => {
    await keepSecret(folder);
    for (const end of ["", "-wal", "-wal.old", "-shm", "-journal"]) {
      await Deno.writeTextFile(join(folder, `service.db${end}`), "a customer");
    }
    await resetFolder(folder);
    const left = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    deepEqual(left.sort(), ["admin.secret", "service.lock"]);
  }));

Deno.test("a folder is free once its lock is released, also while another thread starts programs", {
  ignore: Deno.build.os === "windows",
}, () =>
  inFolder(async (folder) => {
    // A program that is being started has all open files of this process for a moment.
    const program = `for (let i = 0; i < 80; i++) {
      await new Deno.Command("sh", { args: ["-c", ":"] }).output();
    }
    postMessage("done");`;
    const worker = new Worker(`data:text/javascript,${encodeURIComponent(program)}`, {
      type: "module",
    });
    let isDone = false;
    worker.onmessage = () => void (isDone = true);
    while (!isDone) {
      await (await lockFolder(folder)).release();
      equal((await readAddress(folder)).held, false);
    }
    worker.terminate();
  }));

Deno.test("what is no data folder is not reset, and nothing is made in it", () =>
  inFolder(async (folder) => {
    const foreign = join(folder, "foreign");
    await Deno.mkdir(foreign);
    await Deno.writeTextFile(join(foreign, "service.db"), "mine");
    const cases = [
      [join(folder, "typo"), /: there is no such folder$/],
      [foreign, /: it is not a data folder of the service \(admin.secret is missing\)$/],
      [join(foreign, "service.db"), /: it is not a folder$/],
    ] as const;
    for (const [path, message] of cases) {
      await rejects(resetFolder(path), (error) => {
        ok(error instanceof ConfigError);
        match(error.message, message);
        return error.hint !== undefined;
      });
    }
    const names = async (path: string) =>
      (await Array.fromAsync(Deno.readDir(path))).map((e) => e.name);
    deepEqual([await names(folder), await names(foreign)], [["foreign"], ["service.db"]]);
  }));

Deno.test("leftovers of a process that was killed go with the next lock, and nothing else", () =>
  inFolder(async (folder) => {
    const id = crypto.randomUUID();
    const database = `service.db.${id}.tmp`;
    const ours = [
      ...[`admin.secret.${id}.tmp`, `service.json.${id}.tmp`, database],
      ...[`${database}-journal`, `${database}-wal`, `${database}-shm`],
    ];
    const others = ["notes.tmp", `mine.${id}.tmp`, "service.db.tmp", `${database}-old`];
    for (const name of [...ours, ...others]) await Deno.writeTextFile(join(folder, name), "");
    await (await lockFolder(folder)).release();
    const left = await Array.fromAsync(Deno.readDir(folder), (entry) => entry.name);
    deepEqual(left.sort(), [...others, "service.lock"].sort());
  }));

Deno.test("a damaged database is named, with what can be done", () =>
  inFolder(async (folder) => {
    const start = () => startServer({ folder, report: () => {} });
    const file = join(folder, "service.db");
    await (await start()).stop();
    const bytes = await Deno.readFile(file);
    // The first page holds the schema; the tables' own pages follow.
    const torn = bytes.map((byte, i) => i < 4096 * 2 ? byte : 0xff);
    for (const content of [torn, new TextEncoder().encode("garbage ".repeat(1000))]) {
      await Deno.writeFile(file, content);
      await rejects(start(), (error) => {
        ok(error instanceof ConfigError, String(error));
        ok(error.message.startsWith(`Cannot open the database ${JSON.stringify(file)}: `));
        match(error.hint ?? "", /damaged.*: cli service reset --data /);
        ok(error.hint?.endsWith(JSON.stringify(folder)));
        return true;
      });
    }
  }));

Deno.test("a second server of the same process is refused as well", () =>
  inFolder(async (folder) => {
    const lock = await lockFolder(folder);
    await rejects(lockFolder(folder), /: another process is using it$/);
    await lock.release();
    await lock.release();
    const again = await lockFolder(folder);
    await lock.release();
    await rejects(lockFolder(folder), ConfigError);
    await again.release();
  }));

Deno.test("looking at a folder never keeps a server from starting", () =>
  inFolder(async (folder) => {
    await (await lockFolder(folder)).release();
    for (let i = 0; i < 20; i++) {
      const [lock] = await Promise.all([
        lockFolder(folder),
        ...Array.from({ length: 10 }, () => readAddress(folder)),
      ]);
      await lock.release();
    }
  }));

Deno.test("the note comes and goes with its server, for the owner's eyes only", () =>
  inFolder(async (parent) => {
    const folder = join(parent, "new", "data");
    deepEqual(await readAddress(folder), { held: false, address: undefined });
    const lock = await lockFolder(folder);
    deepEqual(await readAddress(folder), { held: true, address: undefined });
    await writeAddress(lock, HERE);
    await writeAddress(lock, { ...HERE, base_url: "http://127.0.0.1:4011" });
    deepEqual(await readAddress(folder), {
      held: true,
      address: { ...HERE, base_url: "http://127.0.0.1:4011" },
    });
    if (Deno.build.os !== "windows") {
      equal(((await Deno.stat(folder)).mode ?? 0) & 0o777, 0o700);
      const note = await Deno.stat(join(folder, "service.json"));
      equal((note.mode ?? 0) & 0o777, 0o600);
    }
    await lock.release();
    const left = await Array.fromAsync(Deno.readDir(folder), (entry) => entry.name);
    deepEqual(left, ["service.lock"]);
  }));

Deno.test("a note that makes no sense is no address", () =>
  inFolder(async (folder) => {
    for (const text of ["", "{", "[]", "null", '{"pid":"7","base_url":1,"started_at":2}']) {
      await Deno.writeTextFile(join(folder, "service.json"), text);
      deepEqual(await readAddress(folder), { held: false, address: undefined }, text);
    }
  }));

Deno.test("a folder that cannot be one is refused with its name", () =>
  inFolder(async (folder) => {
    const file = join(folder, "file");
    await Deno.writeTextFile(file, "");
    for (const attempt of [lockFolder, readAddress]) {
      for (const path of [file, join(file, "data")]) {
        // Windows says of a path through a file only that there is nothing.
        if (Deno.build.os === "windows" && path !== file) continue;
        await rejects(attempt(path), (error) => {
          ok(error instanceof ConfigError);
          equal(
            error.message,
            `Cannot use the data folder ${JSON.stringify(path)}: it is not a folder`,
          );
          return true;
        });
      }
    }
  }));

Deno.test("a folder with an old note that cannot be removed is refused, and stays free", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(join(folder, "service.json", "more"), { recursive: true });
    await rejects(lockFolder(folder), /^ConfigError: Cannot use the data folder /);
    await Deno.remove(join(folder, "service.json"), { recursive: true });
    await (await lockFolder(folder)).release();
  }));

Deno.test("a service that cannot note its address ends, and frees its folder and its port", () =>
  inFolder(async (folder) => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    listener.close();
    const start = () => startServer({ folder, port, report: () => {} });
    const starting = start();
    // The secret comes after the lock, and before the database and the port.
    const secret = join(folder, "admin.secret");
    while (!await Deno.stat(secret).catch(() => undefined)) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Deno.mkdir(join(folder, "service.json", "more"), { recursive: true });
    await rejects(starting, /^ConfigError: Cannot use the data folder /);
    await Deno.remove(join(folder, "service.json"), { recursive: true });
    await (await start()).stop();
  }));

Deno.test("a pipe or link in place of a file of the folder is refused, not opened", async () => {
  if (Deno.build.os === "windows") return;
  for (const name of ["service.lock", "service.json"]) {
    for (const kind of ["pipe", "link"]) {
      await inFolder(async (folder) => {
        const path = join(folder, name);
        const other = join(folder, "other");
        await Deno.writeTextFile(other, JSON.stringify(HERE));
        if (kind === "link") await Deno.symlink(other, path);
        else await new Deno.Command("sh", { args: ["-c", `mkfifo '${path}'`] }).output();
        const expected = new RegExp(`Cannot use the data folder .*: "${name}" is not a regular`);
        await rejects(readAddress(folder), expected);
        if (name === "service.lock") await rejects(lockFolder(folder), expected);
        else await (await lockFolder(folder)).release();
        deepEqual(JSON.parse(await Deno.readTextFile(other)), HERE);
      });
    }
  }
});

Deno.test("a data folder that cannot be opened says whether to close files or to choose another", () =>
  inFolder(async (folder) => {
    const { open } = Deno;
    const hints = [
      ["EMFILE", "Close other programs, or allow more open files: ulimit -n 1024"],
      ["EACCES", "Pass a folder that you can write, with --data DIR"],
    ] as const;
    for (const [code, hint] of hints) {
      Deno.open = () => Promise.reject(Object.assign(new Error("failed"), { code }));
      const error = await lockFolder(folder).catch((error: unknown) => error)
        .finally(() => Deno.open = open);
      ok(error instanceof ConfigError, String(error));
      equal(error.hint, hint);
    }
  }));
