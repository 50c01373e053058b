import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { testFilesIn } from "./import_tests.ts";

const TESTS = fileURLToPath(new URL("../", import.meta.url));

/** The folders that a group names. */
function foldersOf(group: string): string[] {
  const source = Deno.readTextFileSync(join(TESTS, "groups", group));
  const [, names = ""] = /importTests\(([^)]*)\)/.exec(source) ?? [];
  return [...names.matchAll(/"([^"]*)"/g)].map(([, name = ""]) => name);
}

/** The folders below `tests/` that have test files. */
function foldersBelow(folder = ""): string[] {
  const inner = [...Deno.readDirSync(join(TESTS, folder))]
    .filter(({ isDirectory }) => isDirectory)
    .flatMap(({ name }) => foldersBelow(folder === "" ? name : `${folder}/${name}`));
  return testFilesIn(folder).length > 0 ? [folder, ...inner] : inner;
}

Deno.test("each folder of tests is in one group", () => {
  const grouped = [...Deno.readDirSync(join(TESTS, "groups"))].flatMap(({ name }) =>
    foldersOf(name)
  );
  deepEqual(grouped.sort(), foldersBelow().sort());
});

Deno.test("a file that does not load fails, and the others run", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const write = (name: string, text: string) => Deno.writeTextFile(join(folder, name), text);
    await write("bad_test.ts", "throw new Error('it is broken');");
    await write("good_test.ts", "Deno.test('a good one', () => {});");
    const module = import.meta.resolve("./import_tests.ts");
    const root = pathToFileURL(`${folder}/`).href;
    await write(
      "group.ts",
      `import { importFiles } from ${JSON.stringify(module)};\n` +
        `await importFiles(["bad_test.ts", "good_test.ts"], new URL(${JSON.stringify(root)}));`,
    );
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "--no-check", "--no-config", "--allow-read", join(folder, "group.ts")],
      env: { NO_COLOR: "1" },
      stderr: "null",
    }).output();
    const text = new TextDecoder().decode(stdout);
    equal(code, 1);
    match(text, /bad_test\.ts loads \.\.\. FAILED/);
    match(text, /a good one \.\.\. ok/);
    match(text, /it is broken/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
