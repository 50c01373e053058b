import { equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { parseToml, readCliToml } from "../../lib/config/cli_toml.ts";
import { fileError } from "../../lib/config/file_errors.ts";
import { readOptionalText } from "../../lib/config/files.ts";
import { admitFolder, requireHome } from "../../lib/config/folders.ts";
import { parseJsonFile } from "../../lib/config/json.ts";
import { profilesFileError, readLocal } from "../../lib/config/local.ts";
import { withLock } from "../../lib/config/lock.ts";
import { resolveProject } from "../../lib/config/project.ts";
import { formerFile } from "../../lib/config/public_text.ts";
import { readBounded } from "../../lib/config/read_bounded.ts";
import { ToolkitError } from "../../lib/errors.ts";
import { putPrivate, testMachine } from "../support/token_service.ts";

/** Checks the reason and the remedy of the error with which something ends. */
async function check(run: () => unknown, reason: string, hint: string | undefined) {
  const error = await Promise.try(run).then((value) => value, (thrown) => thrown);
  ok(error instanceof ToolkitError, `${reason}: ${error}`);
  equal(error.message, reason);
  equal(error.hint, hint);
}

/** The failures of files: their codes, and the reason and the remedy of each. */
const FAILURES: [codes: string[], reason: string, hint: string][] = [
  [["EACCES", "EPERM"], "permission denied", "Make your user its owner: chown -R $(id -u) '/a b'"],
  [["EROFS"], "the file system is read-only", "Set HOME to a writable folder."],
  [["ENOSPC"], "the disk is full", "Free some space, then try again."],
  [["EDQUOT"], "the disk quota is used up", "Free some space, then try again."],
  [
    ["ENOTDIR"],
    "a part of its path is a file, not a folder",
    "Move that file away, then try again.",
  ],
  [["ENOENT"], "its folder does not exist", "Create the folder that is to contain '/a b'."],
  [
    ["EISDIR"],
    "there is a folder at its path",
    "Move the folder '/a b/c' away, then try again.",
  ],
];

Deno.test("a failure of a file names its reason and the remedy", async () => {
  const failed = (properties: object) => () =>
    fileError("write", "/a b/c", Object.assign(new Error("odd"), properties));
  for (const [codes, reason, hint] of FAILURES) {
    for (const code of codes) {
      await check(failed({ code }), `Cannot write "/a b/c": ${reason}`, hint);
    }
  }
  await check(
    failed({ name: "NotCapable" }),
    'Cannot write "/a b/c": this program has no permission for it',
    "Run it with --allow-read='/a b/c' and --allow-write='/a b/c'",
  );
  await check(failed({}), 'Cannot write "/a b/c": odd', undefined);
});

Deno.test("a settings file that cannot be used names the remedy", async () => {
  await using machine = await testMachine();
  const file = join(machine.cwd, "cli.toml");
  const name = JSON.stringify(file);
  const look = "A settings file has only a few lines. Move it away if it is not yours.";
  await Deno.writeFile(file, new Uint8Array([0xff]));
  await check(
    () => readOptionalText(file),
    `Cannot read ${name}: it is not UTF-8 text`,
    "Save the file as UTF-8.",
  );
  await Deno.writeFile(file, new Uint8Array(1_048_577));
  await check(() => readBounded(file), `Cannot read ${name}: it is larger than 1 MiB`, look);
  await Deno.writeTextFile(file, "project_id = 7\n");
  await check(
    () => readCliToml(machine),
    `Cannot use ${name}: project_id must be a string: write "7" in quotes`,
    `Write it in ${file} as: project_id = "proj…"`,
  );
  await check(
    () => parseToml("cli.toml", "project_id = proj1"),
    'Cannot read "cli.toml": invalid value at line 1, column 14',
    'Correct cli.toml. Texts need quotes, such as: project_id = "proj…"',
  );
  const correct = "Correct c.json, or remove it and set it up again.";
  await check(
    () => parseJsonFile("c.json", "{,"),
    'Cannot read "c.json": it is not JSON at line 1, column 2',
    correct,
  );
  await check(
    () => parseJsonFile("c.json", "[]"),
    'Cannot read "c.json": it does not contain a JSON object',
    correct,
  );
  if (Deno.build.os === "windows") return;
  await check(
    () => readBounded("/dev/null"),
    'Cannot read "/dev/null": it is not a regular file',
    "Look at it with: ls -lL /dev/null",
  );
  await Deno.remove(file);
  await Deno.symlink("elsewhere", file);
  await check(
    () => formerFile(file),
    `Cannot write ${name}: it is a symbolic link`,
    `Replace it with the file itself, or remove the link: rm ${file}`,
  );
});

Deno.test("a private file that cannot be trusted names the remedy", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using machine = await testMachine();
  const folder = join(machine.cwd, ".cli");
  const file = join(folder, "config.json");
  const read = async () => {
    const { uid } = await Deno.stat(machine.root);
    return await readLocal({ ...machine, userId: uid ?? 0 });
  };
  const cannot = (path: string) => `Cannot use ${JSON.stringify(path)}: `;
  await putPrivate(file, {});
  const user = (await Deno.stat(file)).uid ?? 0;
  await Deno.chmod(file, 0o644);
  await check(read, `${cannot(file)}others can open it (mode 0644)`, `Run: chmod 600 ${file}`);
  await Deno.chmod(folder, 0o755);
  await check(read, `${cannot(folder)}others can open it (mode 0755)`, `Run: chmod 700 ${folder}`);
  await Deno.chmod(folder, 0o700);
  await Deno.remove(file);
  await Deno.mkdir(file);
  await check(read, `${cannot(file)}it is not a file`, `Move it away: mv ${file} ${file}.old`);
  await Deno.remove(file);
  await Deno.symlink("elsewhere", file);
  await check(
    read,
    `${cannot(file)}it is a symbolic link`,
    `Replace it with the file itself, then run: chmod 600 ${file}`,
  );
  await Deno.rename(folder, `${folder}.other`);
  await Deno.symlink(`${folder}.other`, folder);
  await check(
    read,
    `${cannot(folder)}it is a symbolic link`,
    `Replace it with the folder itself, then run: chmod 700 ${folder}`,
  );
  if (user !== 0) return;
  await Deno.remove(folder);
  await putPrivate(file, {});
  await Deno.chown(file, 1000, 1000);
  await check(
    read,
    `${cannot(file)}it belongs to another user`,
    `If you trust its contents, run: chown 0 ${file}`,
  );
});

Deno.test("a folder or a lock that cannot be used names the remedy", async () => {
  await using machine = await testMachine();
  await check(
    () => requireHome({ ...machine, home: undefined }, "/w/.cli/config.json"),
    'Cannot trust the sign-in in "/w/.cli/config.json": no home folder is known to remember it in',
    "Set HOME (on Windows, USERPROFILE), or set CLI_REFRESH_TOKEN instead.",
  );
  await check(
    () =>
      admitFolder(
        machine,
        { id: "x", path: "/w/.cli/config.json", profile: undefined },
        "http://h",
      ),
    'Cannot use the sign-in in "/w/.cli/config.json": it is from another machine, and its service ' +
      "is http://h",
    "If you trust that service, run in the folder: cli auth trust. Or set CLI_REFRESH_TOKEN, or " +
      "choose a stored sign-in with CLI_PROFILE",
  );
  const file = join(machine.home, ".cli", "config.json");
  await check(
    () => profilesFileError(machine.home),
    `Cannot bind the folder ${JSON.stringify(machine.home)}: ${file} is the file of profiles`,
    "Bind a folder below it, or write only cli.toml with: cli init --no-local-creds",
  );
  await check(
    () => resolveProject(machine, { projectId: " " }),
    "Cannot use an empty project id",
    "Pass the id as `cli projects list` shows it.",
  );
  const lock = join(machine.root, "a.lock");
  let waited = 0;
  const around = { ...machine, pause: (ms: number) => Promise.resolve(void (waited += ms)) };
  await withLock(lock, machine, undefined, () =>
    check(
      () => withLock(lock, around, undefined, () => Promise.resolve()),
      `Cannot lock ${JSON.stringify(lock)}: another process has held it for 30 seconds`,
      "Wait for the other cli process or stop it, then try again.",
    ));
  ok(waited >= 30_000 && waited < 30_100, `${waited} ms`);
});
