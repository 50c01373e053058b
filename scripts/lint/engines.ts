/**
 * Keeps SQL in words that every engine has, also databases that speak PostgreSQL's language on many
 * machines. What only one engine has is in that engine's folder, and what many machines lack is in few
 * files of it.
 *
 * @module
 */

import { repositoryPath } from "./rooms.ts";

/** Words of SQL with the files, or folders, that may use them. */
const WORDS: readonly { word: RegExp; what: string; by: readonly string[] }[] = [
  {
    word: /\bpg_(?:try_)?advisory_\w+/i,
    what: "an advisory lock",
    by: ["migrate.ts", "notes.ts", "holders.ts", "writer.ts"].map(inPostgres),
  },
  {
    word: /\bpg_locks\b/i,
    what: "the list of locks",
    by: ["holders.ts", "overview.ts"].map(inPostgres),
  },
  {
    word: /\bpg_notify\b|^\s*(?:un)?listen\s+\w*$/i,
    what: "a notification",
    by: ["agreement.ts", "line.ts"].map(inPostgres),
  },
  {
    word: /\bfor\s+(?:no\s+key\s+update|share|update)\b|\bskip\s+locked\b/i,
    what: "a lock on rows",
    by: [inPostgres("writer.ts"), inStore("delivery_lines.ts")],
  },
  { word: /\b(?:ctid|xmin|xmax|tableoid)\b/, what: "a hidden column", by: [] },
  { word: /(?<!WITHOUT )\browid\b/i, what: "a hidden column", by: [] },
  { word: /\bcreate\s+(?:\w+\s+)*trigger\b/i, what: "a trigger", by: [] },
  {
    word: /^\s*pragma\s|\bpragma_\w+\(|\bsqlite_schema\b/i,
    what: "a word of SQLite",
    by: ["sqlite/", "backup.ts", "restore.ts", "rules.ts", "move/tables.ts"].map(inStore),
  },
];

function inPostgres(file: string): string {
  return inStore(`postgres/${file}`);
}

function inStore(file: string): string {
  return `lib/service/store/${file}`;
}

/** Reports words of SQL that not every engine has. */
export const engines: Deno.lint.Rule = {
  create(context) {
    const path = repositoryPath(context.filename);
    if (!path.startsWith("lib/service/")) return {};
    const look = (node: Deno.lint.Node, text: string) => {
      for (const { word, what, by } of WORDS) {
        if (by.some((place) => path === place || place.endsWith("/") && path.startsWith(place))) {
          continue;
        }
        const [found] = word.exec(text) ?? [];
        if (found === undefined) continue;
        context.report({
          node,
          message: `"${found.trim()}" is ${what}, which not every database has`,
          hint:
            "Use a statement that all engines take, or a file that scripts/lint/engines.ts lists.",
        });
      }
    };
    return {
      Literal(node) {
        if (typeof node.value === "string") look(node, node.value);
      },
      TemplateElement: (node) => look(node, node.cooked),
    };
  },
};
