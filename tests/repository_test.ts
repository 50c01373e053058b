import { deepEqual, equal, match, ok } from "node:assert/strict";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { VERSION } from "../lib/version.ts";
import { TARGETS } from "../scripts/compile.ts";
import { DENO_VERSION } from "../scripts/package/flags.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const files = await filesUnder(root);
const ACTION = ".github/actions/service/action.yml";
const modules = files.filter((file) => file.startsWith("lib/") && file.endsWith(".ts"));
const docs = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].filter((doc) =>
  files.includes(doc)
);

/** The paths of all files of the repository, from its root, with forward slashes. */
async function filesUnder(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (/^(\.git|\.cli|\.vscode|node_modules|coverage|dist)$/.test(name)) continue;
    if (isDirectory) found.push(...await filesUnder(path));
    else found.push(relative(root, path).replaceAll("\\", "/"));
  }
  return found.sort();
}

/** Reads a file of the repository. */
function read(file: string): Promise<string> {
  return Deno.readTextFile(join(root, file));
}

/** Runs a module with only the given permissions, and returns its output. */
async function run(source: string, ...permissions: string[]): Promise<[number, string]> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--no-check", "--frozen", ...permissions, "-"],
    env: { NO_COLOR: "1" },
    cwd: root,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = command.stdin.getWriter();
  await writer.write(new TextEncoder().encode(source));
  await writer.close();
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return [code, decoder.decode(stdout) + decoder.decode(stderr)];
}

Deno.test("every path in the docs exists", async () => {
  for (const doc of docs) {
    const named = (await read(doc)).matchAll(/`([\w@.-]+(?:\/[\w@.-]+)*\/?)`/g);
    for (const path of [...named].map(([, path = ""]) => path)) {
      if (/^(@|\.cli\/|application\/|dist\/)/.test(path)) continue;
      const isFile = /\.(ts|md|json|yml)$/.test(path);
      if (path.includes("/")) {
        const there = files.some((file) => file === path || file.startsWith(withSlash(path)));
        ok(there, `${doc} names ${path}, which is not there`);
      } else if (isFile) {
        ok(files.some((file) => basename(file) === path), `${doc} names ${path}: not there`);
      }
    }
  }
  ok(docs.includes("CONTRIBUTING.md"));
});

/** A folder's path as the beginning of the paths of its files. */
function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

Deno.test("no file of lib/ is longer than 400 lines", async () => {
  for (const file of modules) {
    const lines = (await read(file)).trimEnd().split("\n").length;
    ok(lines <= 400, `${file} has ${lines} lines`);
  }
});

Deno.test("lib/ has at most five casts per thousand lines", async () => {
  let casts = 0;
  let lines = 0;
  const counter: Deno.lint.Plugin = {
    name: "count",
    rules: {
      casts: {
        create: () => ({
          TSAsExpression({ typeAnnotation: type }) {
            const asConst = type.type === "TSTypeReference" &&
              type.typeName.type === "Identifier" && type.typeName.name === "const";
            if (!asConst) casts++;
          },
        }),
      },
    },
  };
  for (const file of modules) {
    const text = await read(file);
    lines += text.split("\n").length;
    Deno.lint.runPlugin(counter, file, text);
  }
  ok(casts * 1000 <= lines * 5, `${casts} casts in ${lines} lines`);
});

Deno.test("no file names a package registry or a personal path", async () => {
  const registry = new RegExp(
    ["registry\\.npm", "registry\\.yarn", "npm\\.jsr\\.io", "//jsr\\.io", "//esm\\.sh"].join("|"),
  );
  const machine = /(?<![\w.}/-])\/(?:root|work)\/[\w.]/;
  const person = /(?<![\w.}/-])\/(?:home|Users)\/\w|[A-Z]:\\\\?Users\\/;
  for (const file of files.filter((file) => file !== "tests/repository_test.ts")) {
    const text = await read(file);
    // Tests make up people, and give them homes.
    for (const pattern of [registry, machine, ...(file.startsWith("tests/") ? [] : [person])]) {
      const found = pattern.exec(text);
      ok(!found, `${file} names ${text.slice(found?.index, (found?.index ?? 0) + 40)}`);
    }
    ok(!text.includes(root), `${file} names ${root}`);
  }
});

Deno.test("the lock file pins every package by its hash and names no address", async () => {
  const text = await read("deno.lock");
  ok(!/https?:|"tarball"|"remote"/.test(text), "an address");
  const lock: { npm: Record<string, { integrity?: string }>; specifiers: Record<string, string> } =
    JSON.parse(text);
  for (const [name, { integrity }] of Object.entries(lock.npm)) {
    match(integrity ?? "", /^sha512-/, name);
  }
  for (const specifier of Object.keys(lock.specifiers)) match(specifier, /^npm:/);
  // A task writes the lock before its command starts, with any flags.
  for (const folder of ["", "tests/browser/", "scripts/examples/web_app/", "scripts/bundle/"]) {
    const { lock }: { lock?: unknown } = JSON.parse(await read(`${folder}deno.json`));
    deepEqual(lock, { frozen: true }, folder);
  }
});

Deno.test("deno.json, lib/version.ts and CHANGES.md have one version", async () => {
  const { version }: { version: string } = JSON.parse(await read("deno.json"));
  equal(version, VERSION);
  match(await read("CHANGES.md"), new RegExp(`^## ${VERSION.replaceAll(".", "\\.")}\\b`, "m"));
});

Deno.test("one version of Deno is pinned everywhere", async () => {
  const versions = new Set<string>();
  for (const file of [".ci/run", ".github/workflows/ci.yml", ".github/workflows/release.yml"]) {
    ok((await read(file)).includes("npx -y deno@"), file);
  }
  for (const file of files.filter((file) => /\.(md|yml|ts)$|^\.ci\//.test(file))) {
    for (const [, version = ""] of (await read(file)).matchAll(/npx -y deno@(\d[\w.]*\d)/g)) {
      versions.add(version);
    }
  }
  const [, image] = /^FROM denoland\/deno:(\S+)$/m.exec(await read("Dockerfile")) ?? [];
  versions.add(image ?? "none in Dockerfile");
  const [, run] = /deno@(\S+)/.exec(await read(ACTION.replace("action.yml", "service.sh"))) ?? [];
  versions.add(run ?? "none in the action");
  deepEqual([...versions], [DENO_VERSION]);
  equal(DENO_VERSION, "2.9.6");
});

Deno.test("the Dockerfile copies all that its installation loads", async () => {
  const copied = [...(await read("Dockerfile")).matchAll(/^COPY (.+) \S+$/gm)]
    .flatMap(([, paths = ""]) => paths.split(" "));
  const sent = [...(await read(".dockerignore")).matchAll(/^!(.+)$/gm)].map(([, path]) => path);
  deepEqual(copied.sort(), sent.sort());
  const loaded = new Set<string>();
  const load = async (path: string): Promise<void> => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const [, next = ""] of (await read(path)).matchAll(/ from "(\..*)";$/gm)) {
      await load(join(dirname(path), next).replaceAll("\\", "/"));
    }
  };
  for (const path of ["cli.ts", "scripts/package/install.ts"]) await load(path);
  ok(loaded.has("lib/file_reason.ts"));
  const missing = [...loaded].filter((path) =>
    !copied.some((from) => path === from || path.startsWith(`${from}/`))
  );
  deepEqual(missing, []);
});

Deno.test("hadolint, if installed, accepts the Dockerfile", async () => {
  const check = "command -v hadolint >/dev/null || exit 127; exec hadolint -t warning -";
  const child = new Deno.Command("sh", { args: ["-c", check], stdin: "piped", stdout: "piped" })
    .spawn();
  await new Blob([await read("Dockerfile")]).stream().pipeTo(child.stdin).catch(() => {});
  const { code, stdout } = await child.output();
  if (code === 127) console.warn("Skipped: hadolint is not installed");
  else equal(code, 0, new TextDecoder().decode(stdout));
});

// Not those that start PostgreSQL's programs, which have another path on each system.
Deno.test("tasks have named permissions, never all of them", async () => {
  const { tasks }: { tasks: Record<string, { command: string }> } = JSON.parse(
    await read("deno.json"),
  );
  for (
    const name of [
      "cli",
      "service",
      "demo",
      "test",
      "check",
      "coverage",
      "compile",
      "install",
      "mutate",
      "test:slow",
    ]
  ) {
    const command = tasks[name]?.command ?? "";
    ok(command !== "", `there is no task ${name}`);
    ok(!/(^| )(-A|--allow-all|--allow-run|--allow-ffi)( |$)/.test(command), `${name}: ${command}`);
  }
});

Deno.test("the workflows run on three systems with the least rights and pinned actions", async () => {
  const ci = await read(".github/workflows/ci.yml");
  for (const system of ["ubuntu-", "macos-", "windows-"]) ok(ci.includes(system), system);
  match(ci, /^permissions:\n {2}contents: read$/m);
  const release = await read(".github/workflows/release.yml");
  match(release, /^permissions: \{\}$/m);
  match(release, /tags: \["v\*"\]/);
  match(release, /task compile --all/);
  match(release, /attest-build-provenance@.*\n.*\n +subject-path: "\*"/);
  // What was downloaded to compile is compared before it is handed on.
  match(
    release,
    /compile --all[^]*sha256sum --check --strict .*runtimes\.sha256[^]*upload-artifact@/,
  );
  const sums = (await read(".github/runtimes.sha256")).split("\n").filter((line) =>
    /^[^#]/.test(line)
  );
  const wanted = TARGETS.map((target) => `denort-${target}.zip`).sort();
  for (const sum of sums) match(sum, /^[0-9a-f]{64} {2}denort-\S+\.zip$/);
  if (sums.length > 0) deepEqual(sums.map((sum) => sum.slice(66)).sort(), wanted);
  equal(release.match(/contents: write/g)?.length, 1);
  for (const [, action = ""] of (await read(ACTION)).matchAll(/uses: (\S+)/g)) {
    match(action, /@[0-9a-f]{40}$/);
  }
  ok(!/run:.*\$\{\{/.test(await read(ACTION)), "an input could be a command");
  const workflows = files.filter((file) => file.startsWith(".github/workflows/"));
  ok(workflows.length >= 4);
  for (const text of await Promise.all(workflows.map(read))) {
    match(text, /^permissions:(\n {2}contents: read| \{\})$/m);
    ok(!/write-all|pull_request_target|\t/.test(text));
    match(text, /^concurrency:$/m);
    for (const [, action = ""] of text.matchAll(/uses: (\S+)/g)) {
      match(action, /@[0-9a-f]{40}$|^\.\//);
    }
    const jobs = text.slice(text.indexOf("\njobs:")).match(/^ {2}[\w-]+:$/gm) ?? [];
    equal(text.match(/timeout-minutes:/g)?.length, jobs.length);
    ok(!/run:.*\$\{\{/.test(text), "an input could be a command");
  }
});

Deno.test("the library can be imported without any permission and has no side effects", async () => {
  const library = modules.filter((file) => !/^lib\/(cli|service)\//.test(file));
  const source = library.map((file) => `import ${JSON.stringify(`./${file}`)};`).join("\n");
  deepEqual(await run(source), [0, ""]);
});

Deno.test("no module of lib/ has side effects on import", async () => {
  const source = modules.map((file) => `import ${JSON.stringify(`./${file}`)};`).join("\n");
  deepEqual(await run(source, "--allow-env", "--allow-read"), [0, ""]);
  // Here as well, so that a module that no test uses counts as not covered.
  for (const file of modules) await import(new URL(`../${file}`, import.meta.url).href);
});

Deno.test("the weekly faults are tried in all code, and their tables are kept", async () => {
  const text = await read(".github/workflows/mutate.yml");
  const named = [...text.matchAll(/^ +paths: (.+)$/gm)].flatMap(([, paths = ""]) =>
    paths.split(" ")
  );
  const covers = (path: string) => (name: string) =>
    name === path || path.startsWith(`${name}/`) ||
    name.endsWith("/*.ts") && path.slice(0, path.lastIndexOf("/")) === name.slice(0, -5);
  const code = files.filter((path) => /^(cli|lib\/.*)\.ts$/.test(path));
  ok(code.length > 500);
  deepEqual(code.filter((path) => !named.some(covers(path))), []);
  deepEqual(named.filter((name) => !code.some((path) => covers(path)(name))), []);
  // A pipe fails with its first program only where the shell is named.
  match(
    text,
    /--at-least 95[^]*\| tee mutate\.txt\n +shell: bash[^]*if: always\(\)\n +uses: .*upload/,
  );
});
