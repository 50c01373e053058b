import { deepEqual, equal, rejects } from "node:assert/strict";
import { join } from "node:path";
import { writeFile } from "../../../lib/cli/data/write_file.ts";
import { inFolder } from "../../support/store_fixture.ts";

Deno.test("a new file has the usual mode, an old one keeps its mode, and a link stays", () =>
  inFolder(async (folder) => {
    const file = join(folder, "new", "story.yaml");
    await writeFile(file, "one");
    equal(await Deno.readTextFile(file), "one");
    if (Deno.build.os === "windows") return;
    await Deno.writeTextFile(join(folder, "plain"), "");
    const modeOf = async (path: string) => ((await Deno.stat(path)).mode ?? 0) & 0o777;
    equal(await modeOf(file), await modeOf(join(folder, "plain")));
    await Deno.chmod(file, 0o640);
    const link = join(folder, "link");
    await Deno.symlink(file, link);
    await writeFile(link, "two");
    equal(await Deno.readTextFile(file), "two");
    equal(await modeOf(file), 0o640);
    equal((await Deno.lstat(link)).isSymlink, true);
  }));

Deno.test({
  name: "on a full disk the old file stays, and nothing else",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const file = join(folder, "story.yaml");
      await Deno.writeTextFile(file, "former");
      const module = import.meta.resolve("../../../lib/cli/data/write_file.ts");
      const program = `
        const { writeFile } = await import(${JSON.stringify(module)});
        await writeFile(Deno.args[0], "x".repeat(100_000)).catch((error) => console.log(error.message));`;
      // No file may become larger than 10 KB. Without the trap that would end the process.
      const script = `trap '' XFSZ; ulimit -f 20; exec "$0" eval --no-check "$1" "$2"`;
      const { stdout } = await new Deno.Command("sh", {
        args: ["-c", script, Deno.execPath(), program, file],
      }).output();
      const said = new TextDecoder().decode(stdout);
      equal(said.startsWith(`Cannot write ${JSON.stringify(file)}: `), true, said);
      equal(await Deno.readTextFile(file), "former");
      deepEqual(await Array.fromAsync(Deno.readDir(folder), ({ name }) => name), ["story.yaml"]);
    }),
});

Deno.test("a file in the place of a folder is named", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "file"), "");
    await rejects(
      writeFile(join(folder, "file", "story.yaml"), ""),
      /^ToolkitError: Cannot write /,
    );
  }));
