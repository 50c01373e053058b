import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join, resolve } from "node:path";
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

/** The files in a folder and below it. */
function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(join(folder, name)) : [join(folder, name)]
  );
}

Deno.test("each file that Deno would take for a test has the name that groups look for", () => {
  const root = resolve(TESTS, "..");
  const files = ["lib", "scripts", "tests"].flatMap((folder) => filesBelow(join(root, folder)))
    .map((path) => path.slice(root.length + 1).replaceAll("\\", "/"));
  const tests = files.filter((path) => /(^|[/_.])test\.[cm]?[jt]sx?$/.test(path));
  // The tests in browsers have packages and settings of their own.
  const known = /^tests\/(browser\/|(.+\/)?\w+_test\.ts$)/;
  deepEqual(tests.filter((path) => !known.test(path)), []);
  ok(tests.length > 100, `only ${tests.length} tests`);
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
