import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createOffering } from "../lib/resources/offerings.ts";
import { openDesk } from "./support/harness.ts";
import { acrossProjects } from "../lib/service/store/mod.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const page = await Deno.readTextFile(`${root}ARCHITECTURE.md`);

/** A name on the page, with its file. */
interface Claim {
  /** The file or folder. */
  path: string;
  /** The function; undefined for the path itself. */
  name?: string;
}

/**
 * The claims of a page: its paths, and its functions, each in the path before it in the same
 * paragraph, list item or row.
 *
 * @throws {Error} when no path comes before a function.
 */
function claimsOf(text: string): Claim[] {
  const blocks = text.replace(/^```[\s\S]*?^```$/gm, "").split(/\n\n|\n(?=- |\d+\. |\| )/);
  return blocks.flatMap((block) => {
    let path: string | undefined;
    return [...block.matchAll(/`([^`\n]+)`/g)].flatMap(([, term = ""]): Claim[] => {
      const name = /^(\w+)\(\)$/.exec(term)?.[1];
      if (name === undefined) {
        if (!/^(?:[\w.-]+\/)+(?:[\w-]+\.\w+)?$|^[\w-]+\.(?:ts|md)$/.test(term)) return [];
        path = term;
        return [{ path }];
      }
      if (path === undefined) throw new Error(`no file is named before ${term}`);
      return [{ path, name }];
    });
  });
}

/** Whether a source declares a function of this name. */
function declares(source: string, name: string): boolean {
  return new RegExp(`^(?:export )?(?:async )?function\\*? ${name}\\b`, "m").test(source);
}

Deno.test("the architecture page names only existing paths and functions", async () => {
  const claims = claimsOf(page).filter(({ path }) => !path.startsWith(".cli/"));
  ok(claims.length > 80, "the page is read wrongly");
  const wrong: string[] = [];
  for (const { path, name } of claims) {
    const info = await Deno.stat(root + path).catch(() => undefined);
    if (!info) wrong.push(`${path} is not there`);
    else if (name === undefined) continue;
    else if (!info.isFile) wrong.push(`${path} is a folder, and ${name}() cannot be in it`);
    else if (!declares(await Deno.readTextFile(root + path), name)) {
      wrong.push(`${name}() is not in ${path}`);
    }
  }
  deepEqual(wrong, []);
});

/** Folders whose row stands for the folders in it. */
const WHOLE = ["lib/cli/commands/", "lib/service/store/migrations/"];

/** A folder and all folders in it, as paths in the repository. */
async function foldersIn(folder: string): Promise<string[]> {
  const found = [folder];
  for await (const { name, isDirectory } of Deno.readDir(root + folder)) {
    if (isDirectory) found.push(...await foldersIn(`${folder}${name}/`));
  }
  return found;
}

Deno.test("each folder of lib/ has a row in the table of rooms", async () => {
  const rows = new Set([...page.matchAll(/^\| `(lib\/[\w/]+\/)` +\|/gm)].map(([, path]) => path));
  const [, ...folders] = await foldersIn("lib/");
  const inside = (path: string) => WHOLE.some((whole) => path !== whole && path.startsWith(whole));
  deepEqual(folders.filter((path) => !inside(path) && !rows.has(path)), []);
});

Deno.test("a function belongs to the path before it in its paragraph or item", () => {
  deepEqual(claimsOf("1. `lib/a.ts` in `f()` or `lib/b.ts`\n   with `g()`.\n2. `mod.ts`\n\n`x`"), [
    { path: "lib/a.ts" },
    { path: "lib/a.ts", name: "f" },
    { path: "lib/b.ts" },
    { path: "lib/b.ts", name: "g" },
    { path: "mod.ts" },
  ]);
  throws(() => claimsOf("`lib/a.ts`\n\nand `f()`"), /before f\(\)/);
  ok(declares("export async function* each<T>(\n", "each"));
  ok(!declares("  run(words);\nfunction runAll() {}\n", "run"));
});

Deno.test("the architecture page describes the steps of set-current", async () => {
  await using desk = await openDesk();
  const { id } = await createOffering(desk.client, { lookup_key: "pro", display_name: "Pro" });
  desk.sent.length = 0;
  const { code, out } = await desk.run("offerings", "set-current", "pro");
  equal(code, 0);
  ok(out.includes("is_current    yes"));
  deepEqual(desk.sent.filter(({ path }) => !path.startsWith("/oauth2/")), [
    { method: "POST", path: `/v2/projects/${desk.projectId}/offerings/pro`, status: 200 },
  ]);
  const { project, entry, answers } = await desk.service.store.read(async (tx) => ({
    project: await acrossProjects(tx).selectFrom("projects").selectAll().executeTakeFirstOrThrow(),
    entry: await acrossProjects(tx).selectFrom("audit_logs").selectAll().orderBy("seq", "desc")
      .limit(1)
      .executeTakeFirstOrThrow(),
    answers: await tx.selectFrom("idempotency_keys").select("body").execute(),
  }));
  equal(project.current_offering_id, id);
  deepEqual([entry.action_type, entry.target_identifier], ["offering_set_current", id]);
  // One for the offering's creation, one for the change.
  equal(answers.length, 2);
  ok(answers.some(({ body }) => JSON.parse(body).is_current === true));
});

/** The files below a folder, as paths in the repository. */
async function sourcesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(root + folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await sourcesBelow(path));
    else if (name.endsWith(".ts")) found.push(path);
  }
  return found.sort();
}

/** The files that a source imports when it loads, those of types included. */
function importsOf(path: string, source: string): string[] {
  const code = source.replace(/^\s*(?:\*|\/\*|\/\/).*$/gm, "");
  const found = code.matchAll(/^(?:import|export)\b(?:[^;"]*?\bfrom)? "(\.{1,2}\/[^"]+)"/gm);
  return [...found].map(([, one = ""]) => new URL(one, `file:///${path}`).pathname.slice(1));
}

/** The first import cycle, or undefined. */
function cycleIn(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const walk = (path: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of imports.get(path) ?? []) {
      const cycle = walk(next, [...way, path]);
      if (cycle) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const path of imports.keys()) {
    const cycle = walk(path, []);
    if (cycle) return cycle;
  }
  return undefined;
}

Deno.test("no file of lib/ imports itself through others, not even for types", async () => {
  const paths = await sourcesBelow("lib");
  const imports = new Map<string, string[]>();
  for (const path of paths) {
    imports.set(path, importsOf(path, await Deno.readTextFile(root + path)));
  }
  const count = [...imports.values()].flat();
  ok(count.length > 1000 && count.every((one) => imports.has(one)), "imports are read wrongly");
  deepEqual(cycleIn(imports), undefined);
});

Deno.test("an import cycle is found, also one of types and of re-exports", () => {
  const sources: Record<string, string> = {
    "lib/a.ts": 'import {\n  type B,\n} from "./b/b.ts";\n',
    "lib/b/b.ts": 'export * from "../c.ts";\nexport type B = string;\n',
    "lib/c.ts": '// import "./d.ts";\nimport type { A } from "./a.ts";\n',
    "lib/d.ts": 'import "./a.ts";\nconst a = await import("./d.ts");\n',
  };
  const imports = Object.entries(sources).map(([path, source]) =>
    [path, importsOf(path, source)] as const
  );
  deepEqual(cycleIn(new Map(imports)), ["lib/a.ts", "lib/b/b.ts", "lib/c.ts", "lib/a.ts"]);
  deepEqual(cycleIn(new Map(imports.filter(([path]) => path !== "lib/c.ts"))), undefined);
});

/** Folders of tests that belong to no folder of `lib/`. */
const OTHER_TESTS = [
  ...["browser", "cli/golden", "golden", "groups", "long", "package", "scripts", "support", "tls"],
  // Files that several commands share.
  "golden/help",
];

Deno.test("tests lie in the folders of what they test", async () => {
  const foldersBelow = async (folder: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const { name, isDirectory } of Deno.readDir(root + folder)) {
      if (isDirectory) found.push(`${folder}/${name}`, ...await foldersBelow(`${folder}/${name}`));
    }
    return found;
  };
  const own = new Set((await foldersBelow("lib")).map((path) => path.slice("lib/".length)));
  const tests = (await foldersBelow("tests")).map((path) => path.slice("tests/".length));
  deepEqual(tests.filter((path) => !own.has(path)).toSorted(), OTHER_TESTS.toSorted());
});
