import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createOffering } from "../lib/resources/offerings.ts";
import { openDesk } from "./support/harness.ts";
import { acrossProjects } from "../lib/service/store/mod.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const page = await Deno.readTextFile(`${root}ARCHITECTURE.md`);

/** A name that the page gives, and the file that it gives it for. */
interface Claim {
  /** The file or folder. */
  path: string;
  /** The function that is said to be in it; undefined for the path itself. */
  name?: string;
}

/**
 * What a page claims: its paths, and its functions, each in the path named before it in the same
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

Deno.test("the architecture page names only paths and functions that are there", async () => {
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

Deno.test("a function counts for the path before it, in its own paragraph or item", () => {
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

Deno.test("what becomes of set-current is what the page tells", async () => {
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
