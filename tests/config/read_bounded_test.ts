import { rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { LARGEST_SETTINGS, readBounded } from "../../lib/config/read_bounded.ts";
import { openHome } from "../support/home_fixture.ts";

const windows = Deno.build.os === "windows";

Deno.test("a settings file is read up to the limit", async () => {
  const path = await Deno.makeTempFile();
  await Deno.writeFile(path, new Uint8Array(LARGEST_SETTINGS));
  strictEqual((await readBounded(path)).length, LARGEST_SETTINGS);
  await Deno.writeFile(path, new Uint8Array(1), { append: true });
  await rejects(readBounded(path), /it is larger than 1 MiB/);
  await Deno.remove(path);
});

Deno.test("a device or a pipe as cli.toml ends each command at once", {
  ignore: windows,
}, async () => {
  await using at = await openHome();
  const path = join(at.cwd, "cli.toml");
  const fifo = join(at.cwd, "pipe");
  await new Deno.Command("sh", { args: ["-c", `mkfifo '${fifo}'`] }).output();
  for (const target of ["/dev/zero", fifo]) {
    await Deno.symlink(target, path);
    const ran = await at.run("apps list");
    strictEqual(ran.code, 1);
    strictEqual(ran.err.split("\n")[0], `Cannot read "${path}": it is not a regular file`);
    await Deno.remove(path);
  }
});
