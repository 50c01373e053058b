/**
 * Keeps projects apart: what belongs to a project is queried by `inProject()` alone. Types refuse the
 * plain way already; this refuses what types cannot see.
 *
 * @module
 */

import { SHARED_TABLES } from "../../lib/service/store/tables.ts";
import { repositoryPath } from "./rooms.ts";

/**
 * The files that look at all projects at once, to find out which is meant or for them all, or whose
 * fixed SQL names the project itself.
 */
const ACROSS: readonly string[] = [
  "lib/service/mod.ts",
  "lib/service/events/claims.ts",
  "lib/service/events/open_deliverer.ts",
  "lib/service/events/results.ts",
  "lib/service/events/shorten_waits.ts",
  "lib/service/events/prune.ts",
  "lib/service/events/shared_faults.ts",
  "lib/service/http/project.ts",
  "lib/service/http/sdk_caller.ts",
  "lib/service/http/server.ts",
  "lib/service/ledger/catch_up.ts",
  "lib/service/ledger/next_due.ts",
  "lib/service/ledger/progress.ts",
  "lib/service/records/new_project.ts",
  "lib/service/routes/projects.ts",
  "lib/service/seed/catalogue.ts",
  "lib/service/sim/accounts.ts",
  "lib/service/waiting_work.ts",
];

const HINT = "Use the queries of inProject(): tx.selectFrom() and the like, or tx.rows() in SQL.";

/** The tags of templates that are SQL. */
const TAGS: readonly string[] = ["sql", "fixed"];

/** What follows these words in SQL is a table. */
const TABLE = /\b(?:from|join|into|update)\s+"?([a-z_]\w*)/gi;

/** What belongs to a project is queried in one way. */
export const tenancy: Deno.lint.Rule = {
  create(context) {
    const path = repositoryPath(context.filename);
    const binds = path.startsWith("lib/service/") && !path.startsWith("lib/service/store/");
    if (!binds || ACROSS.includes(path)) return {};
    const refuse = (node: Deno.lint.Node, message: string) =>
      context.report({ node, message, hint: HINT });
    return {
      ImportSpecifier(node) {
        const { imported } = node;
        if (imported.type !== "Identifier" || imported.name !== "acrossProjects") return;
        refuse(node, "acrossProjects() must not be used here: only a few files see all projects");
      },
      TaggedTemplateExpression(node) {
        if (node.tag.type !== "Identifier" || !TAGS.includes(node.tag.name)) return;
        for (const { cooked } of node.quasi.quasis) {
          for (const [, table = ""] of cooked.matchAll(TABLE)) {
            if (!isOfProjects(table)) continue;
            refuse(node, `SQL must not name the table "${table}": its rows belong to projects`);
          }
        }
      },
      CallExpression({ callee }) {
        if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return;
        if (callee.property.type !== "Identifier") return;
        const name = `${callee.object.name}.${callee.property.name}`;
        if (name !== "sql.table") return;
        refuse(callee, `${name}() must not be used here: it adds no condition on the project`);
      },
    };
  },
};

/** Whether a word in place of a table is one whose rows belong to projects. */
function isOfProjects(word: string): boolean {
  // `do update set` names none.
  return word !== "set" && !SHARED_TABLES.some((table) => table === word);
}
