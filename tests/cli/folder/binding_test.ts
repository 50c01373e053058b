import { deepEqual, equal, rejects } from "node:assert/strict";
import { join } from "node:path";
import { bindFolder } from "../../../lib/cli/folder/binding.ts";
import { ConfigError } from "../../../lib/errors.ts";
import { platform } from "../../../lib/platform/mod.ts";
import { withPlatform } from "../../support/stubbed_platform.ts";
import { profileNamed, putPrivate, testMachine } from "../../support/token_service.ts";

Deno.test("a folder whose last file cannot be written is as before", async () => {
  await using machine = await testMachine();
  const folder = machine.cwd;
  const own = join(folder, ".cli");
  const before = { "config.json": '{"project_id":"old"}', ".gitignore": "# ours\n" };
  for (const [name, text] of Object.entries(before)) await putPrivate(join(own, name), text);
  const { rename } = platform;
  const full = (from: string, to: string) =>
    to.endsWith("cli.toml")
      ? Promise.reject(Object.assign(new Error("rename"), { code: "ENOSPC" }))
      : rename(from, to);
  const { name: _, ...profile } = profileNamed("x");
  await withPlatform(
    { rename: full },
    () =>
      rejects(bindFolder(machine, { folder, project_id: "new", apps: [], profile }), ConfigError),
  );
  equal(await Deno.readTextFile(join(own, ".gitignore")), before[".gitignore"]);
  deepEqual(JSON.parse(await Deno.readTextFile(join(own, "config.json"))), { project_id: "old" });
  deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), [".cli"]);
});
