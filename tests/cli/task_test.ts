import { deepEqual, equal, match, ok } from "node:assert/strict";
import { fileURLToPath, pathToFileURL } from "node:url";
import { cacheFolder } from "../support/cache_folder.ts";

Deno.test("deno task cli reads files of its working folder", async () => {
  await inTask({});
});

Deno.test("deno task cli inside another task uses its own working folder", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await inTask({ INIT_CWD: "/" });
});

/** Runs the task in a folder of its own, with more in its environment. */
async function inTask(more: Record<string, string>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/product.json`, '{"store_identifier":"x"}');
    const config = fileURLToPath(new URL("../../deno.json", import.meta.url));
    const words = ["products", "create", "--file", "product.json"];
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["task", "--quiet", "--config", config, "cli", ...words],
      cwd: folder,
      // This test may itself be run by a task, whose note of the first folder a task keeps.
      clearEnv: true,
      env: {
        ...more,
        PATH: Deno.env.get("PATH") ?? "",
        DENO_DIR: await cacheFolder(),
        NO_COLOR: "1",
      },
    }).output();
    equal(code, 2);
    match(new TextDecoder().decode(stderr), /"type" and "app_id" are missing in the body/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The repository's folder. */
const ROOT = new URL("../../", import.meta.url).href;

/** What each module that a file may load imports before anything runs, by its address. */
async function importsFrom(file: string): Promise<Map<string, string[]>> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json", file] })
    .output();
  const { modules }: { modules: Loaded[] } = JSON.parse(new TextDecoder().decode(stdout));
  return new Map(modules.map(({ specifier, dependencies = [] }) => [
    specifier,
    dependencies.filter(({ isDynamic }) => isDynamic !== true)
      .flatMap(({ code }) => code?.specifier ?? []),
  ]));
}

/** The modules that a file loads before anything runs; those of this repository by their path. */
async function loadedAtStart(file: string): Promise<string[]> {
  const imports = await importsFrom(file);
  const found = new Set<string>();
  const follow = (specifier: string) => {
    if (found.has(specifier)) return;
    found.add(specifier);
    imports.get(specifier)?.forEach(follow);
  };
  follow(pathToFileURL(file).href);
  return [...found].map(ownPath);
}

/** The path of a module of this repository; of any other one, its address. */
function ownPath(specifier: string): string {
  return specifier.startsWith(ROOT) ? specifier.slice(ROOT.length) : specifier;
}

/** The most modules that a list waits for. */
const MOST_FOR_A_LIST = 62;

/** The most modules of the service that a start waits for. */
const MOST_AT_START = 111;

/** A module in the output of `deno info`. */
interface Loaded {
  /** Its address. */
  specifier: string;
  /** What it imports. */
  dependencies?: { code?: { specifier?: string }; isDynamic?: boolean }[];
}

Deno.test("cli --version loads three files", async () => {
  const loaded = await loadedAtStart(fileURLToPath(new URL("../../cli.ts", import.meta.url)));
  const own = loaded.filter((one) => !one.startsWith("npm:"));
  deepEqual(own.sort(), ["cli.ts", "lib/cli/packages.ts", "lib/version.ts"]);
});

Deno.test("the service starts without the code of its routes", async () => {
  const file = fileURLToPath(new URL("../../lib/service/serve.ts", import.meta.url));
  const loaded = await loadedAtStart(file);
  ok(loaded.includes("lib/service/mod.ts"));
  const later = loaded.filter((one) =>
    /^lib\/service\/(routes|sdk|seed|reports|domain\/due)|^npm:\/?(zod|kysely)@/.test(one) ||
    /^lib\/service\/(oauth\/mod|events\/deliverer|outbound\/connect|ledger\/batches)/.test(one)
  );
  deepEqual(later, []);
  const own = loaded.filter((one) => one.startsWith("lib/"));
  ok(own.length <= MOST_AT_START, `${own.length} modules`);
});

Deno.test("a list with a token from the environment loads little besides its own code", async () => {
  const files = ["cli/main.ts", "cli/commands/offerings.ts", "connect.ts", "auth/environment.ts"];
  const loaded = new Set<string>();
  for (const file of files) {
    const path = fileURLToPath(new URL(`../../lib/${file}`, import.meta.url));
    for (const one of await loadedAtStart(path)) loaded.add(one);
  }
  const unused = [...loaded].filter((one) =>
    /^lib\/(auth\/(store|stored|token)|config\/(lock|claim|local|folders|cli_toml)|cli\/failure)\.ts$/
      .test(one) ||
    /^lib\/(auth\/(renewal|environment_renewal)|config\/(write|older)_files)\.ts$/.test(one) ||
    /^lib\/(cli\/screen\/report|cli\/words\/(hints|complaints|suggestions)|spelling)\.ts$/.test(
      one,
    ) ||
    /^lib\/resources\/(apps|sdk_offerings)\.ts$/.test(one)
  );
  deepEqual(unused, []);
  const own = [...loaded].filter((one) => one.startsWith("lib/"));
  ok(own.length <= MOST_FOR_A_LIST, `${own.length} modules`);
});

Deno.test("the first file of a load names all that is loaded with it", async () => {
  const known = new Set(await loadedAtStart(fileURLToPath(`${ROOT}cli.ts`)));
  const files = ["cli/main.ts", "cli/words/plain.ts", "auth/environment.ts", "auth/stored.ts"];
  for (const file of files.map((name) => `lib/${name}`)) {
    const path = fileURLToPath(`${ROOT}${file}`);
    const named = (await importsFrom(path)).get(`${ROOT}${file}`)?.map(ownPath) ?? [];
    const own = (await loadedAtStart(path)).filter((one) => one.startsWith("lib/") && one !== file);
    const unnamed = own.filter((one) => !known.has(one) && !named.includes(one));
    deepEqual(unnamed, [], `import them in ${file} too`);
    // A command loads one of the two kinds of sign-in.
    if (!file.startsWith("lib/auth/")) { for (const one of [file, ...own]) known.add(one); }
  }
});

Deno.test("a group of plain commands imports their builders first", async () => {
  const builders = `${ROOT}lib/cli/words/plain.ts`;
  const all = await importsFrom(fileURLToPath(`${ROOT}lib/cli/commands/mod.ts`));
  const groups = [...all].filter(([specifier, imports]) =>
    /^lib\/cli\/commands\/\w+\.ts$/.test(ownPath(specifier)) && imports.includes(builders)
  );
  ok(groups.length > 15);
  for (const [specifier, [first]] of groups) equal(first, builders, ownPath(specifier));
});

Deno.test("cli service start loads no other command", async () => {
  const file = fileURLToPath(new URL("../../lib/cli/commands/service/start.ts", import.meta.url));
  const loaded = await loadedAtStart(file);
  const others = loaded.filter((one) =>
    /^lib\/(auth|client|connect)|^lib\/cli\/commands\/.*\/(account|backup|migrate|status)/.test(one)
  );
  deepEqual(others, []);
});
