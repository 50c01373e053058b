import { deepEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import plugin from "../../scripts/lint/plugin.ts";
import { WING_DOORS, wingOf } from "../../scripts/lint/wings.ts";

const root = new URL("../../", import.meta.url);

/** The imports of code in a file of the service: the files that it loads, from the root. */
function loadedBy(path: string): string[] {
  const source = readFileSync(new URL(path, root), "utf8");
  const first = source.matchAll(/^(?:import|export)\s(?!type\b)[^;"]*?from\s"(\.[^"]+)";/gm);
  const later = source.matchAll(/\bimport\("(\.[^"]+)"\)/g);
  return [...first, ...later].map(([, specifier = ""]) =>
    new URL(specifier, `file:///${path}`).pathname.slice(1)
  );
}

Deno.test("the wings of the service load code in one direction", () => {
  const cases: [path: string, source: string, isRefused: boolean][] = [
    ["records/holdings.ts", `import { a } from "../routes/entitlements.ts";`, true],
    ["sim/purchases.ts", `import { a } from "../routes/mod.ts";`, true],
    ["routes/products.ts", `import { a } from "./apps.ts";`, true],
    ["mod.ts", `import { a } from "./routes/apps.ts";`, true],
    ["domain/access.ts", `import { a } from "../store/mod.ts";`, true],
    ["store/open.ts", `import { a } from "../clock.ts";`, true],
    ["records/find.ts", `import { a } from "../mod.ts";`, true],
    ["attic/old.ts", `import { a } from "../store/mod.ts";`, true],
    ["records/find.ts", `export { a } from "../ledger/journal.ts";`, true],
    ["records/holdings.ts", `import type { A } from "../routes/mod.ts";`, false],
    ["records/holdings.ts", `import { a } from "./entitlements.ts";`, false],
    ["sim/purchases.ts", `import { a } from "../records/purchases.ts";`, false],
    ["routes/mod.ts", `import { a } from "./apps.ts";`, false],
    ["mod.ts", `import { a } from "./routes/mod.ts";`, false],
    ["http/rates.ts", `import { a } from "../time/clock.ts";`, false],
    ["http/rates.ts", `import { a } from "../mod.ts";`, true],
  ];
  for (const [file, source, isRefused] of cases) {
    const found = Deno.lint.runPlugin(plugin, `lib/service/${file}`, source);
    const ids = found.map(({ id }) => id);
    deepEqual(ids, isRefused ? ["house/imports"] : [], `${file}: ${source}`);
  }
});

Deno.test("every allowed import between the wings is used", () => {
  const files = readdirSync(new URL("lib/service/", root), { recursive: true, encoding: "utf8" })
    .map((name) => `lib/service/${name.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts"));
  const used = new Set(
    files.flatMap((path) => loadedBy(path).map((target) => `${wingOf(path)} → ${wingOf(target)}`)),
  );
  const doors = Object.entries(WING_DOORS).flatMap(([from, all]) =>
    all.map((to) => `${from} → ${to}`)
  );
  deepEqual(doors.filter((door) => !used.has(door)), []);
});
