import { deepEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import plugin from "../../scripts/lint/plugin.ts";
import { WING_DOORS, wingOf } from "../../scripts/lint/wings.ts";

const root = new URL("../../", import.meta.url);

/** The imports of code in a file: the files that it loads, from the root. */
function loadedBy(path: string): string[] {
  const source = readFileSync(new URL(path, root), "utf8");
  const first = source.matchAll(/^(?:import|export)\s(?!type\b)[^;"]*?from\s"(\.[^"]+)";/gm);
  const later = source.matchAll(/\bimport\("(\.[^"]+)"\)/g);
  return [...first, ...later].map(([, specifier = ""]) =>
    new URL(specifier, `file:///${path}`).pathname.slice(1)
  );
}

Deno.test("the wings of a house load code in one direction", () => {
  const cases: [path: string, source: string, isRefused: boolean][] = [
    ["service/records/holdings.ts", `import { a } from "../routes/entitlements.ts";`, true],
    ["service/sim/purchases.ts", `import { a } from "../routes/mod.ts";`, true],
    ["service/routes/products.ts", `import { a } from "./apps.ts";`, true],
    ["service/mod.ts", `import { a } from "./routes/apps.ts";`, true],
    ["service/domain/access.ts", `import { a } from "../store/mod.ts";`, true],
    ["service/store/open.ts", `import { a } from "../time/clock.ts";`, true],
    ["service/records/find.ts", `import { a } from "../mod.ts";`, true],
    ["service/attic/old.ts", `import { a } from "../store/mod.ts";`, true],
    ["service/records/find.ts", `export { a } from "../ledger/journal.ts";`, true],
    ["service/records/holdings.ts", `import type { A } from "../routes/mod.ts";`, false],
    ["service/records/holdings.ts", `import { a } from "./entitlements.ts";`, false],
    ["service/sim/purchases.ts", `import { a } from "../records/purchases.ts";`, false],
    ["service/routes/mod.ts", `import { a } from "./apps.ts";`, false],
    ["service/mod.ts", `import { a } from "./routes/mod.ts";`, false],
    ["service/http/rates.ts", `import { a } from "../time/clock.ts";`, false],
    ["service/http/rates.ts", `import { a } from "../mod.ts";`, true],
    ["cli/screen/table.ts", `import { a } from "../words/help.ts";`, true],
    ["cli/screen/table.ts", `import { a } from "../context.ts";`, true],
    ["cli/input/input.ts", `import { a } from "../words/help.ts";`, true],
    ["cli/words/help.ts", `const a = await import("../commands/mod.ts");`, true],
    ["cli/attic/old.ts", `import { a } from "../words/help.ts";`, true],
    ["cli/words/help.ts", `import { a } from "../screen/display.ts";`, false],
    ["cli/screen/table.ts", `import type { A } from "../context.ts";`, false],
    ["cli/commands/auth/login.ts", `import { a } from "../../words/plain.ts";`, false],
    ["cli/main.ts", `import { a } from "./commands/mod.ts";`, false],
    ["scenario/deeds/faults.ts", `import { a } from "../file/match.ts";`, true],
    ["scenario/file/parse.ts", `import { a } from "../deeds/mod.ts";`, false],
  ];
  for (const [file, source, isRefused] of cases) {
    const found = Deno.lint.runPlugin(plugin, `lib/${file}`, source);
    const ids = found.map(({ id }) => id);
    deepEqual(ids, isRefused ? ["house/imports"] : [], `${file}: ${source}`);
  }
});

Deno.test("every allowed import between wings is used", () => {
  for (const [house, doors] of Object.entries(WING_DOORS)) {
    const used = new Set(
      filesOf(house).flatMap((path) =>
        loadedBy(path).map((target) => `${wingOf(path)?.wing} → ${wingOf(target)?.wing}`)
      ),
    );
    const allowed = Object.entries(doors).flatMap(([from, all]) =>
      all.map((to) => `${from} → ${to}`)
    );
    deepEqual(allowed.filter((door) => !used.has(door)), [], house);
  }
});

Deno.test("no wing leads back to itself through others", () => {
  for (const [house, doors] of Object.entries(WING_DOORS)) {
    const open = new Set(Object.keys(doors));
    const isLeaf = (wing: string) => doors[wing]?.every((to) => !open.has(to)) ?? true;
    for (let leaf; (leaf = [...open].find(isLeaf)) !== undefined;) open.delete(leaf);
    deepEqual([...open], [], `in a circle in ${house}, or above one`);
  }
});

/** The sources of a house, as paths from the root. */
function filesOf(house: string): string[] {
  return readdirSync(new URL(`${house}/`, root), { recursive: true, encoding: "utf8" })
    .map((name) => `${house}/${name.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts"));
}
