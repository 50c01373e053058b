import { deepEqual, match } from "node:assert/strict";
import { operations, publicRoutes, routes } from "../../../lib/service/routes/mod.ts";
import { matchGolden } from "../../support/golden.ts";

Deno.test("each operation keeps its name, path, permissions, limits and status", async () => {
  const lines = [...operations, ...publicRoutes].map((one) => {
    const { name, method, path, scopes, status, summary } = one;
    const head = `${method} ${path}: ${name}, ${status}`;
    const fields = Object.keys(one.query?.shape ?? {});
    return [
      head,
      `  ${summary}`,
      `  permissions: ${scopes.join(", ")}`,
      ...fields.length > 0 ? [`  query: ${fields.join(", ")}`] : [],
    ].join("\n");
  });
  await matchGolden("operations", `${lines.join("\n")}\n`);
});

Deno.test("each operation of the API keeps its limit, and what it can show in full", async () => {
  const lines = [...routes, ...publicRoutes].map(({ name, rate, expand }) =>
    [name, rate, ...[...expand].map(([part, scopes]) => `${part}: ${scopes.join(" ")}`)].join(", ")
  );
  await matchGolden("operation_limits", `${lines.join("\n")}\n`);
});

Deno.test("no two operations have the same name, and each says in a sentence what it does", () => {
  const all = [...operations, ...publicRoutes];
  const names = all.map(({ name }) => name);
  deepEqual(names.filter((name, i) => names.indexOf(name) !== i), []);
  for (const { name, summary } of all) {
    match(name, /^[a-z][A-Za-z]+$/);
    match(summary, /^[A-Z].*\.$/s, name);
  }
});
