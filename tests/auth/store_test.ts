import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import {
  activeProfile,
  listProfiles,
  readActive,
  readProfile,
  removeProfile,
  saveProfile,
  setActive,
} from "../../lib/auth/store.ts";
import { fileError } from "../../lib/config/file_errors.ts";
import { shellWord } from "../../lib/config/shell_word.ts";
import { removeFile } from "../../lib/config/write_files.ts";
import { AuthError, ConfigError, UsageError } from "../../lib/errors.ts";
import {
  modeOf,
  profileNamed,
  putPrivate,
  runPrograms,
  testMachine,
} from "../support/token_service.ts";

const STORE = new URL("../../lib/auth/store.ts", import.meta.url).href;
const windows = Deno.build.os === "windows";

/** The names in a folder, sorted. */
function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map((entry) => entry.name).sort();
}

Deno.test("a stored profile is read back, and its files are private", async () => {
  await using machine = await testMachine();
  const profile = profileNamed("work", { scope: "a b", client_id: "c", base_url: "http://h" });
  await saveProfile(machine, profile);
  deepStrictEqual(await readProfile(machine, "work"), profile);
  strictEqual(await readProfile(machine, "other"), undefined);
  await setActive(machine, "work");
  const folder = join(machine.home, ".cli");
  deepStrictEqual(namesIn(folder), ["active", "config.json", "config.json.lock"]);
  strictEqual(await Deno.readTextFile(join(folder, "active")), "work\n");
  if (windows) return;
  strictEqual(await modeOf(folder), "700");
  for (const name of namesIn(folder)) strictEqual(await modeOf(join(folder, name)), "600", name);
});

Deno.test("no file is readable by others at any moment of a write", {
  ignore: windows,
}, async () => {
  await using machine = await testMachine();
  const folder = join(machine.home, ".cli");
  await Deno.mkdir(folder, { mode: 0o700 });
  const seen: string[] = [];
  const watcher = Deno.watchFs(folder);
  const watching = (async () => {
    for await (const { paths } of watcher) {
      for (const path of paths) {
        const info = await Deno.lstat(path).catch(() => undefined);
        if (info?.isFile) seen.push(((info.mode ?? 0) & 0o777).toString(8));
      }
    }
  })();
  for (let i = 0; i < 20; i++) await saveProfile(machine, profileNamed(`p${i}`));
  while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve));
  watcher.close();
  await watching;
  deepStrictEqual([...new Set(seen)], ["600"]);
});

Deno.test("unknown fields survive every change", async () => {
  await using machine = await testMachine();
  const path = join(machine.home, ".cli", "config.json");
  const { name: _, ...fields } = profileNamed("old");
  await putPrivate(path, {
    version: 7,
    profiles: { old: { ...fields, note: "mine" }, odd: { future: true } },
  });
  await saveProfile(machine, profileNamed("old", { access_token: "atk_new" }));
  await saveProfile(machine, profileNamed("new"));
  await removeProfile(machine, "new");
  const content = JSON.parse(await Deno.readTextFile(path));
  strictEqual(content.version, 7);
  deepStrictEqual(content.profiles.odd, { future: true });
  strictEqual(content.profiles.old.note, "mine");
  strictEqual(content.profiles.old.access_token, "atk_new");
});

Deno.test("profiles written by many processes at once all survive", async () => {
  await using machine = await testMachine();
  const source = `
    import { saveProfile } from ${JSON.stringify(STORE)};
    const around = { env: () => undefined, cwd: undefined, home: ${JSON.stringify(machine.home)},
      now: () => 0, warn: () => {} };
    for (let i = 0; i < 5; i++) {
      await saveProfile(around, { name: Deno.pid + "-" + i, access_token: "a", refresh_token: "r",
        expires_at_ms: 1 });
    }`;
  const args = ["--allow-read", "--allow-write"];
  const runs = await runPrograms(source, 6, { args });
  deepStrictEqual(runs, runs.map(() => ({ code: 0, out: "" })));
  strictEqual((await listProfiles(machine)).length, 30);
  deepStrictEqual(namesIn(join(machine.home, ".cli")), ["config.json", "config.json.lock"]);
});

Deno.test("profiles written at once by one process all survive", async () => {
  await using machine = await testMachine();
  const names = Array.from({ length: 12 }, (_, i) => `p${i}`);
  await Promise.all(names.map((name) => saveProfile(machine, profileNamed(name))));
  deepStrictEqual((await listProfiles(machine)).map(({ name }) => name).sort(), names.sort());
});

Deno.test("a name with a special meaning in JavaScript works like any other", async () => {
  await using machine = await testMachine();
  for (const name of ["__proto__", "constructor", "2", "mit Leerzeichen", "émoji 🎈"]) {
    strictEqual(await readProfile(machine, name), undefined);
    await saveProfile(machine, profileNamed(name));
    strictEqual((await readProfile(machine, name))?.access_token, `atk_of_profile_${name}`);
    await setActive(machine, name);
    strictEqual(await activeProfile(machine), name);
    strictEqual(await removeProfile(machine, name), true);
    strictEqual(await removeProfile(machine, name), false);
  }
});

Deno.test("a name with control characters is refused", async () => {
  await using machine = await testMachine();
  for (const name of ["", " ", " x", "x ", "a\nb", "a\u001bb", "x".repeat(65)]) {
    await rejects(saveProfile(machine, profileNamed(name)), UsageError, JSON.stringify(name));
  }
});

Deno.test("a file that others can open is refused with the command that fixes it", {
  ignore: windows,
}, async () => {
  await using machine = await testMachine();
  await saveProfile(machine, profileNamed("default"));
  const path = join(machine.home, ".cli", "config.json");
  for (const mode of [0o644, 0o640, 0o604, 0o620]) {
    await Deno.chmod(path, mode);
    const refused = {
      name: "ConfigError",
      message: `Cannot use "${path}": others can open it (mode 0${mode.toString(8)})`,
      hint: `Run: chmod 600 ${path}`,
    };
    await rejects(listProfiles(machine), refused);
    await rejects(saveProfile(machine, profileNamed("other")), refused);
  }
  await Deno.chmod(path, 0o400);
  strictEqual((await listProfiles(machine)).length, 1);
});

Deno.test("a folder that others can enter is refused with the command that fixes it", {
  ignore: windows,
}, async () => {
  await using machine = await testMachine();
  await saveProfile(machine, profileNamed("default"));
  const folder = join(machine.home, ".cli");
  await Deno.chmod(folder, 0o755);
  const refused = { name: "ConfigError", hint: `Run: chmod 700 ${folder}` };
  await rejects(listProfiles(machine), refused);
  await rejects(saveProfile(machine, profileNamed("other")), refused);
});

Deno.test("a symbolic link in place of a file or folder is refused and left unchanged", {
  ignore: windows,
}, async () => {
  await using machine = await testMachine();
  const folder = join(machine.home, ".cli");
  const elsewhere = join(machine.root, "elsewhere");
  await putPrivate(join(elsewhere, "config.json"), { profiles: {} });
  await Deno.symlink(elsewhere, folder);
  const link = /it is a symbolic link$/;
  await rejects(listProfiles(machine), { name: "ConfigError", message: link });
  await rejects(saveProfile(machine, profileNamed("default")), { message: link });
  await Deno.remove(folder);
  await Deno.mkdir(folder, { mode: 0o700 });
  await Deno.symlink(join(elsewhere, "config.json"), join(folder, "config.json"));
  await rejects(listProfiles(machine), { message: link, hint: /chmod 600/ });
  await rejects(saveProfile(machine, profileNamed("default")), { message: link });
  strictEqual(await Deno.readTextFile(join(elsewhere, "config.json")), '{"profiles":{}}');
  await Deno.remove(join(folder, "config.json"));
  await saveProfile(machine, profileNamed("default"));
  await Deno.symlink(join(elsewhere, "active"), join(folder, "active"));
  await rejects(setActive(machine, "default"), { message: link });
});

Deno.test("modes are ignored on Windows", { ignore: windows }, async () => {
  await using machine = await testMachine();
  await saveProfile(machine, profileNamed("default"));
  await Deno.chmod(join(machine.home, ".cli", "config.json"), 0o666);
  strictEqual((await listProfiles({ ...machine, platform: "windows" })).length, 1);
});

Deno.test("leftovers of a killed writer are removed, and nothing else", async () => {
  await using machine = await testMachine();
  await saveProfile(machine, profileNamed("default"));
  const folder = join(machine.home, ".cli");
  await putPrivate(join(folder, "config.json.0f0f.tmp"), "half");
  await putPrivate(join(folder, "other.json.0f0f.tmp"), "not ours");
  await saveProfile(machine, profileNamed("default"));
  deepStrictEqual(namesIn(folder), ["config.json", "config.json.lock", "other.json.0f0f.tmp"]);
});

Deno.test("an unwritable place is named, with the reason and the fix", async () => {
  await using machine = await testMachine();
  const folder = join(machine.home, ".cli");
  await Deno.writeTextFile(folder, "in the way", { mode: 0o600 });
  const save = (home: string | undefined) =>
    saveProfile({ ...machine, home }, profileNamed("default"));
  await rejects(save(machine.home), {
    name: "ConfigError",
    message: `Cannot use "${folder}": it is not a folder`,
    hint: `Move it away: mv ${folder} ${folder}.old`,
  });
  await rejects(save(folder), { name: "ConfigError", message: /is a file, not a folder$/ });
  await rejects(save(join(machine.root, "gone")), { message: /its folder does not exist$/ });
  await rejects(save(undefined), { name: "ConfigError", hint: /^Set HOME/ });
  const store = join(machine.root, "other", ".cli", "config.json");
  await Deno.mkdir(store, { recursive: true, mode: 0o700 });
  await rejects(save(join(machine.root, "other")), { message: /it is not a file$/ });
});

Deno.test("each system error is explained in words", () => {
  const said = (code: string) => {
    const error = fileError("write", "/a b/c's", Object.assign(new Error("raw"), { code }));
    ok(error instanceof ConfigError);
    return [error.message, error.hint];
  };
  deepStrictEqual(said("ENOSPC"), [
    `Cannot write "/a b/c's": the disk is full`,
    "Free some space, then try again.",
  ]);
  deepStrictEqual(said("EACCES"), [
    `Cannot write "/a b/c's": permission denied`,
    "Make your user its owner: chown -R $(id -u) '/a b'",
  ]);
  match(String(said("EROFS")[0]), /the file system is read-only$/);
  deepStrictEqual(said("EXDEV"), [`Cannot write "/a b/c's": raw`, undefined]);
  strictEqual(shellWord("/a b/c's"), `'/a b/c'\\''s'`);
});

Deno.test("a malformed file is refused with line and column, and no token is quoted", async () => {
  await using machine = await testMachine();
  const path = join(machine.home, ".cli", "config.json");
  const faults: [text: string, where: RegExp][] = [
    ['{\n  "profiles": {"a": {"refresh_token": "rtk_secret" x', /line 2, column 52$/],
    ['{"profiles": {"a": {"refresh_token": "rtk_secret', /line 1, column 38$/],
    ['{"profiles": {"a": "rtk_secret",}}', /line 1, column 33$/],
    ["rtk_secret", /line 1, column 1$/],
    ["", /line 1, column 1$/],
    ['["rtk_secret"]', /it does not contain a JSON object$/],
    ['{"profiles": "rtk_secret"}', /profiles must be an object$/],
    ['{"profiles": {"a": "rtk_secret"}}', /profiles\["a"\] must be an object$/],
    ['{"profiles": {"a": {"expires_at_ms": "rtk_secret"}}}', /expires_at_ms must be a number/],
    [
      '{"profiles": {"a": {"expires_at_ms": 1, "access_token": ["rtk_secret"]}}}',
      /profiles\["a"\]\.access_token must be a string$/,
    ],
    [
      '{"profiles": {"a": {"expires_at_ms": 1, "access_token": "rtk_secret"}}}',
      /profiles\["a"\]\.refresh_token is missing$/,
    ],
  ];
  for (const [text, where] of faults) {
    await putPrivate(path, text);
    await rejects(listProfiles(machine), (error) => {
      ok(error instanceof ConfigError, text);
      ok(error.message.includes(JSON.stringify(path)), error.message);
      match(error.message, where);
      ok(!`${error.message}${error.hint}`.includes("secret"), error.message);
      return true;
    });
  }
});

Deno.test("a malformed profile affects neither the others nor its own removal", async () => {
  await using machine = await testMachine();
  await saveProfile(machine, profileNamed("good"));
  const path = join(machine.home, ".cli", "config.json");
  const content = JSON.parse(await Deno.readTextFile(path));
  content.profiles.bad = 3;
  await putPrivate(path, content);
  strictEqual((await readProfile(machine, "good"))?.name, "good");
  await rejects(readProfile(machine, "bad"), { name: "ConfigError", hint: /--name bad$/ });
  strictEqual(await removeProfile(machine, "bad"), true);
  strictEqual((await listProfiles(machine)).length, 1);
});

Deno.test("a byte order mark is ignored, and other encodings than UTF-8 are refused", async () => {
  await using machine = await testMachine();
  const path = join(machine.home, ".cli", "config.json");
  await putPrivate(path, '\ufeff{"profiles":{}}');
  deepStrictEqual(await listProfiles(machine), []);
  await Deno.writeFile(path, new Uint8Array([0x7b, 0xff, 0x7d]));
  await rejects(listProfiles(machine), { name: "ConfigError", message: /not UTF-8 text$/ });
});

Deno.test("a missing profile cannot be made active, and the existing ones are listed", async () => {
  await using machine = await testMachine();
  await rejects(setActive(machine, "work"), { message: /"work": none is stored$/ });
  await saveProfile(machine, profileNamed("home"));
  await saveProfile(machine, profileNamed("ci"));
  await rejects(setActive(machine, "work"), (error) => {
    ok(error instanceof AuthError);
    strictEqual(error.message, `Cannot use the profile "work": stored are "home", "ci"`);
    match(error.hint ?? "", /cli auth login --name work$/);
    return true;
  });
});

Deno.test("removing the active profile removes the mark, removing another keeps it", async () => {
  await using machine = await testMachine();
  for (const name of ["a", "b"]) await saveProfile(machine, profileNamed(name));
  await setActive(machine, "a");
  await removeProfile(machine, "b");
  strictEqual(await readActive(machine), "a");
  await removeProfile(machine, "a");
  strictEqual(await readActive(machine), undefined);
});

Deno.test("a mark of a deleted profile is skipped, reported and removed", async () => {
  await using machine = await testMachine();
  await saveProfile(machine, profileNamed("default"));
  await putPrivate(join(machine.home, ".cli", "active"), "gone\n");
  strictEqual(await activeProfile(machine), undefined);
  strictEqual(machine.warnings.length, 1);
  match(machine.warnings[0] ?? "", /"gone" does not exist; "default" applies/);
  strictEqual(await readActive(machine), undefined);
  strictEqual(await activeProfile(machine), undefined);
  strictEqual(machine.warnings.length, 1);
});

Deno.test("a mark that is open to others or empty stops nothing and is replaced", async () => {
  await using machine = await testMachine();
  for (const name of ["default", "w"]) await saveProfile(machine, profileNamed(name));
  const mark = join(machine.home, ".cli", "active");
  await putPrivate(mark, "w\n");
  await Deno.chmod(mark, 0o644);
  strictEqual(await activeProfile(machine), "w");
  await setActive(machine, "default");
  strictEqual(await activeProfile(machine), "default");
  await Deno.writeFile(mark, new Uint8Array([0xff, 0xfe, 0x00, 0x0a, 0x41]));
  strictEqual(await activeProfile(machine), undefined);
  strictEqual(machine.warnings.length, 1);
  strictEqual(await readActive(machine), undefined);
});

Deno.test("a stale mark that cannot be removed stops nothing", async () => {
  await using machine = await testMachine();
  await saveProfile(machine, profileNamed("default"));
  await putPrivate(join(machine.home, ".cli", "active"), "gone");
  await removeFile(join(machine.home, ".cli", "config.json.lock"));
  await Deno.mkdir(join(machine.home, ".cli", "config.json.lock"));
  strictEqual(await activeProfile(machine), undefined);
  strictEqual(machine.warnings.length, 1);
});
