import { deepEqual, equal, rejects } from "node:assert/strict";
import { join } from "node:path";
import { createClaim } from "../../lib/config/claim.ts";
import { formatCliToml } from "../../lib/config/cli_toml.ts";
import { replaceFile } from "../../lib/config/durable_file.ts";
import { checkFolderWrite, formerFile, restoreFile } from "../../lib/config/public_text.ts";
import { checkPrivateWrite, writePrivateText } from "../../lib/config/write_files.ts";
import { platform } from "../../lib/platform/mod.ts";
import { withAlarmTime } from "../support/alarm_time.ts";
import { withPlatform } from "../support/stubbed_platform.ts";
import { putPrivate, testMachine } from "../support/token_service.ts";

/** The names in a folder, sorted. */
function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

/** A failure with a code of the system. */
function failing(code: string): () => Promise<never> {
  return () => Promise.reject(Object.assign(new Error("write"), { code }));
}

Deno.test("a replaced file and its name are on the disk before its writer goes on", async () => {
  await using machine = await testMachine();
  const path = join(machine.root, "file");
  const steps: string[] = [];
  const { writeNewFile, rename, syncFolder } = platform;
  await withPlatform({
    writeNewFile: async (temporary, bytes, options) => {
      await writeNewFile(temporary, bytes, options);
      steps.push(`write ${options?.mode?.toString(8)} ${options?.sync}`);
    },
    rename: async (from, to) => {
      await rename(from, to);
      steps.push("rename");
    },
    syncFolder: async (folder) => {
      await syncFolder(folder);
      steps.push(`sync ${folder}`);
    },
  }, () => replaceFile(path, "text"));
  deepEqual(steps, ["write 600 true", "rename", `sync ${machine.root}`]);
  equal(await Deno.readTextFile(path), "text");
  await withPlatform(
    { rename: failing("EIO") },
    () => rejects(replaceFile(path, "new"), { code: "EIO" }),
  );
  equal(await Deno.readTextFile(path), "text");
  deepEqual(namesIn(machine.root), ["file", "home", "work"]);
});

Deno.test("a check that a file can be written shows a full disk, and leaves nothing", async () => {
  await using machine = await testMachine();
  const path = join(machine.home, ".cli", "config.json");
  await checkPrivateWrite(path, machine);
  deepEqual(namesIn(machine.home), []);
  await withPlatform({ writeNewFile: failing("ENOSPC") }, async () => {
    await rejects(checkPrivateWrite(path, machine), {
      name: "ConfigError",
      message: `Cannot write ${JSON.stringify(path)}: the disk is full`,
    });
    await rejects(checkFolderWrite(machine.cwd), {
      name: "ConfigError",
      message: `Cannot write ${JSON.stringify(join(machine.cwd, "cli.toml"))}: the disk is full`,
    });
  });
  deepEqual(namesIn(machine.home), []);
  await checkFolderWrite(machine.cwd);
  deepEqual(namesIn(machine.cwd), []);
  await putPrivate(path, {});
  await checkPrivateWrite(path, machine);
  deepEqual(namesIn(join(machine.home, ".cli")), ["config.json"]);
});

Deno.test("a write removes the leftovers of writers of the same file that died", async () => {
  await using machine = await testMachine();
  const folder = join(machine.home, ".cli");
  const others = ["config.json.0f.old", "other.json.0f.tmp", "xconfig.json.0f.tmp"];
  for (const name of ["config.json.0f.tmp", ...others]) await putPrivate(join(folder, name), "x");
  await writePrivateText(join(folder, "config.json"), "{}", machine);
  deepEqual(namesIn(folder), ["config.json", ...others]);
});

Deno.test("a public file that was replaced or made is as before after it is restored", async () => {
  await using machine = await testMachine();
  const path = join(machine.cwd, "cli.toml");
  const missing = await formerFile(path);
  await Deno.writeTextFile(path, "one");
  const former = await formerFile(path);
  await Deno.writeTextFile(path, "two");
  await restoreFile(former);
  equal(await Deno.readTextFile(path), "one");
  await restoreFile(missing);
  deepEqual(namesIn(machine.cwd), []);
  // What cannot be restored stays.
  await restoreFile(missing);
});

Deno.test("a held claim is touched every two seconds, also when its file has gone", async () => {
  await using machine = await testMachine();
  const path = join(machine.root, "held");
  const claim = createClaim(path, false);
  await withAlarmTime(async (pass) => {
    equal(await claim.take(0), true);
    for (let beat = 0; beat < 2; beat++) {
      await Deno.utime(path, 1, 1);
      const touched = Promise.withResolvers<void>();
      const { touch } = platform;
      await withPlatform({
        touch: async (touchedPath) => {
          await touch(touchedPath);
          touched.resolve();
        },
      }, async () => {
        await pass(1_999);
        equal((await Deno.stat(path)).mtime?.getTime(), 1_000);
        await pass(1);
        await touched.promise;
      });
      equal((await Deno.stat(path)).mtime?.getTime() === 1_000, false);
    }
    await Deno.remove(path);
    const tried = Promise.withResolvers<void>();
    await withPlatform({
      touch: () => {
        setTimeout(tried.resolve);
        return Promise.reject(new Error("gone"));
      },
    }, async () => {
      await pass(2_000);
      await tried.promise;
    });
    await claim.release();
  });
});

Deno.test("the comment above an app goes with it, one at the start of the file stays", async () => {
  const app = '[[apps]]\nid = "app1"\n';
  const after = (text: string) => formatCliToml(text, { project_id: "p", apps: [] });
  equal(
    await after(`project_id = "p"\n\n# one app\n${app}`),
    'project_id = "p"\n',
  );
  const start = await after(`# our file\n${app}\n[tool]\nproject = 1\n`);
  equal(start.startsWith("# our file\n"), true, start);
  equal(start.includes("[tool]\nproject = 1\n"), true, start);
});
