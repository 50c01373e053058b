/**
 * Many test files in one program. `deno test` starts a program for each file, and each loads the
 * whole product again; the files of a group load it once.
 *
 * @module
 */

/** The folder of all tests. */
const TESTS = new URL("../", import.meta.url);

/** Registers the tests of all files in folders below `tests/`. The name "" is `tests/` itself. */
export async function importTests(...folders: readonly string[]): Promise<void> {
  await importFiles(folders.flatMap((folder) => testFilesIn(folder)), TESTS);
}

/** Registers the tests of files. A file that cannot be loaded is a failed test, and no more. */
export async function importFiles(files: readonly string[], root: URL): Promise<void> {
  for (const file of files) {
    try {
      await import(new URL(file, root).href);
    } catch (error) {
      Deno.test(`${file} loads`, () => {
        throw error;
      });
    }
  }
}

/** The test files in a folder itself, sorted, as paths below `tests/`. */
export function testFilesIn(folder: string): string[] {
  const path = folder === "" ? "" : `${folder}/`;
  return [...Deno.readDirSync(new URL(`./${path}`, TESTS))]
    .filter(({ name }) => name.endsWith("_test.ts"))
    .map(({ name }) => path + name)
    .sort();
}
