import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { dirname, join } from "node:path";
import { DENO_VERSION, ROOT, taskFlags } from "../../scripts/package/flags.ts";
import { isOfLibrary, type Library, libraryOf, packageJson } from "../../scripts/package/npm.ts";
import { binScript, filesUnder } from "../../scripts/package/program.ts";
import { VERSION } from "../../lib/version.ts";
import { ended } from "../support/ended.ts";
import { LEFT_OUT } from "../../scripts/bundle/licences.ts";
import { makeHostileFolder } from "./hostile_folder.ts";
import { libraryCommand, README } from "./library_command.ts";

const denoJson = await Deno.readTextFile(join(ROOT, "deno.json"));
const denoLock = await Deno.readTextFile(join(ROOT, "deno.lock"));
const script = binScript(await Deno.readTextFile(join(ROOT, "scripts/package/bin.sh")), denoJson);

/** Runs the package's program by a path, in a hostile folder, with that folder's programs first. */
async function launch(base: string, program: string) {
  const hostile = await makeHostileFolder(await Deno.makeTempDir({ dir: base }));
  const line = 'PATH=$0:/usr/bin:/bin; export PATH INIT_CWD=/; exec "$@"';
  const args = ["-c", line, hostile.programs, program, "a b", "", "*"];
  const result = await ended(new Deno.Command("sh", { args, cwd: hostile.path }));
  deepEqual(await hostile.heeded(), []);
  return result;
}

/** Installs the package's program and a Deno that prints its arguments. */
async function install(base: string, packageFolder: string, deno?: string): Promise<void> {
  const files = { [`${packageFolder}/bin/cli`]: script };
  if (deno) {
    // Its folder, as the kernel finds it: by links first, and then upwards.
    files[deno] = `#!/bin/sh\nhere=$(CDPATH= cd -P "\${0%/*}" && pwd -P)\n` +
      `printf '<%s>' "\${INIT_CWD-unset}" "$here/deno" "$@"\n`;
  }
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(base, path)), { recursive: true });
    await Deno.writeTextFile(join(base, path), text, { mode: 0o755 });
  }
}

/** Makes a symbolic link below a folder, as an installer does. */
async function link(base: string, path: string, target: string): Promise<void> {
  await Deno.mkdir(dirname(join(base, path)), { recursive: true });
  await Deno.symlink(target, join(base, path));
}

/** A way to install the package: its path, the path of Deno, and the links. */
interface Layout {
  /** The package's folder. */
  own: string;
  /** Deno's program. */
  deno: string;
  /** The path that a person starts. */
  start: string;
  /** Links, and their targets. */
  links: Record<string, string>;
}

const LAYOUTS: Record<string, Layout> = {
  "npm install --global": {
    own: "lib/node_modules/@svc/cli",
    deno: "lib/node_modules/@svc/cli/node_modules/deno/deno",
    start: "bin/cli",
    links: { "bin/cli": "../lib/node_modules/@svc/cli/bin/cli" },
  },
  "npm install": {
    own: "node_modules/@svc/cli",
    deno: "node_modules/deno/deno",
    start: "node_modules/.bin/cli",
    links: { "node_modules/.bin/cli": "../@svc/cli/bin/cli" },
  },
  "npm install --ignore-scripts": {
    own: "node_modules/@svc/cli",
    deno: "node_modules/@deno/linux-x64-glibc/deno",
    start: "node_modules/.bin/cli",
    links: { "node_modules/.bin/cli": "../@svc/cli/bin/cli" },
  },
  "pnpm install": {
    own: "node_modules/.pnpm/@svc+cli@1/node_modules/@svc/cli",
    deno: "node_modules/.pnpm/deno@2/node_modules/@deno/linux-x64-glibc/deno",
    start: "bin/cli",
    links: {
      "bin/cli": "../node_modules/@svc/cli/bin/cli",
      "node_modules/@svc/cli": "../.pnpm/@svc+cli@1/node_modules/@svc/cli",
      "node_modules/.pnpm/@svc+cli@1/node_modules/deno": "../../deno@2/node_modules/deno",
      "node_modules/.pnpm/deno@2/node_modules/deno/package.json": "nothing",
    },
  },
};

for (const [name, { own, deno, start, links }] of Object.entries(LAYOUTS)) {
  Deno.test({
    name: `the package's cli finds its Deno after ${name}, and heeds no hostile folder`,
    ignore: Deno.build.os === "windows",
    async fn() {
      const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "it's 1 " }));
      try {
        await install(base, own, deno);
        for (const [path, target] of Object.entries(links)) await link(base, path, target);
        const { out, err, code } = await launch(base, join(base, start));
        deepEqual([code, err], [0, ""]);
        const root = join(base, own);
        const [initial, program = "", run, ...words] = out.slice(1, -1).split("><");
        deepEqual([initial, run], ["unset", "run"]);
        equal(program, join(base, deno));
        deepEqual(words.slice(0, 2), ["--config", `${root}/deno.json`]);
        const flags = taskFlags(denoJson).filter((flag) => flag !== "--frozen");
        deepEqual(words.slice(2), [
          "--node-modules-dir=manual",
          "--no-lock",
          ...flags,
          `${root}/program/cli.js`,
          "a b",
          "",
          "*",
        ]);
      } finally {
        await Deno.remove(base, { recursive: true });
      }
    },
  });
}

Deno.test({
  name: "the package's cli reports that Deno is missing",
  ignore: Deno.build.os === "windows",
  async fn() {
    const base = await Deno.realPath(await Deno.makeTempDir());
    try {
      await install(base, "node_modules/@svc/cli");
      const { code, err } = await launch(base, join(base, "node_modules/@svc/cli/bin/cli"));
      equal(code, 1);
      match(err, /^Cannot start cli: the package deno is not installed.*\n.*--omit=optional\n$/);
    } finally {
      await Deno.remove(base, { recursive: true });
    }
  },
});

/** The library that mod.ts loads. */
async function loadedLibrary(): Promise<Library> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["info", "--quiet", "--frozen", "--json", "mod.ts"],
    cwd: ROOT,
  });
  return libraryOf(JSON.parse((await ended(command)).out));
}

Deno.test("the library has modules and their types, and nothing that mod.ts does not load", async () => {
  const library = await loadedLibrary();
  deepEqual(library.packages, ["smol-toml"]);
  for (const path of ["mod.js", "mod.d.ts", "lib/auth/store.js", "lib/auth/store.d.ts"]) {
    ok(isOfLibrary(path, library), path);
  }
  for (
    const path of [
      "cli.js",
      "mod.ts",
      "deno.lock",
      "lib/client.ts",
      "lib/cli/main.js",
      "lib/service/mod.js",
      "scripts/demo.ts",
      "tests/support/shop.js",
    ]
  ) ok(!isOfLibrary(path, library), path);
});

Deno.test("the package pins its dependencies like deno.lock, and runs nothing at installation", () => {
  const text = packageJson(denoJson, denoLock, ["zod", "@clack/prompts", "smol-toml"]);
  const { dependencies, scripts, bin, version } = JSON.parse(text);
  deepEqual([scripts, bin, version], [undefined, { cli: "bin/cli" }, VERSION]);
  deepEqual(Object.keys(dependencies), ["@clack/prompts", "deno", "smol-toml", "zod"]);
  equal(dependencies.deno, DENO_VERSION);
  for (const [name, version] of Object.entries(dependencies)) {
    match(`${version}`, /^\d+\.\d+\.\d+$/);
    if (name !== "deno") ok(denoLock.includes(`"npm:${name}@${version}"`), name);
  }
  throws(() => packageJson(denoJson, denoLock, ["left-pad"]), /left-pad/);
});

Deno.test("the package's README names its packages, and how to install the library alone", async () => {
  const loaded = /It loads one package, `([^`]+)`/.exec(README)?.slice(1);
  const others = /needs the other two, `([^`]+)`\s+and\s+`([^`]+)`/.exec(README)?.slice(1) ?? [];
  deepEqual(loaded, (await loadedLibrary()).packages);
  deepEqual(others.toSorted(), ["deno", ...LEFT_OUT].toSorted());
  // The package deno has a script that fails without its optional package.
  equal(libraryCommand("x"), "npm install --omit=optional --ignore-scripts x");
});

Deno.test("shellcheck, if installed, accepts the package's cli", async () => {
  const check = "command -v shellcheck >/dev/null || exit 127; exec shellcheck -";
  const child = new Deno.Command("sh", { args: ["-c", check], stdin: "piped", stdout: "piped" })
    .spawn();
  await new Blob([script]).stream().pipeTo(child.stdin).catch(() => {});
  const { code, stdout } = await child.output();
  if (code === 127) console.warn("Skipped: shellcheck is not installed");
  else equal(code, 0, new TextDecoder().decode(stdout));
});

Deno.test("the list of the package's contents has the types of all resources", async () => {
  const listed = (await Deno.readTextFile(join(ROOT, "tests/golden/npm_package.txt"))).split("\n");
  const types = listed.filter((path) => path.startsWith("lib/resources/"));
  const resources = (await filesUnder(join(ROOT, "lib/resources")))
    .map((path) => `lib/resources/${path.replace(/\.ts$/, ".d.ts")}`);
  deepEqual(types.filter((path) => path.endsWith(".d.ts")).sort(), resources.sort());
});
