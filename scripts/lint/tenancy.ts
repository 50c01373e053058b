/**
 * Keeps projects apart: what belongs to a project is queried by `inProject()` alone. Types refuse the
 * plain way already; this refuses what types cannot see. `queries.ts` refuses what this cannot see.
 *
 * @module
 */

import { SHARED_TABLES } from "../../lib/service/store/tables.ts";
import { repositoryPath } from "./rooms.ts";

/**
 * The files that may look at all projects at once, to find out which is meant or for them all, and
 * whose fixed SQL may name the project itself. A statement without a condition on the project has a
 * comment before it: `// All projects:`, and the reason.
 */
export const ACROSS: readonly string[] = [
  "lib/service/mod.ts",
  "lib/service/check/invariant.ts",
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

const REASON_HINT = "Add a condition on the project for each table, " +
  "or a comment before the statement: // All projects: <the reason>";

/** The tags of templates that are SQL. */
const TAGS: readonly string[] = ["sql", "fixed"];

/** What the store has to see all projects: built queries and their type, and texts that nobody checks. */
const WAYS: readonly string[] = ["acrossProjects", "AllQueries", "runText"];

/** The methods of `sql` that add no name and no text to SQL. All others may name a table. */
const HARMLESS: readonly string[] = ["join", "lit", "val", "value"];

/** What follows these words in SQL is a table. */
const TABLE =
  /\b(?:from|join|into|using|table|truncate|(?<!for )update)(?:\s+["`[]?|\s*["`[])([a-z_]\w*)/gi;

/** Tables after `from` with commas between them. A `?` stands for a value of the template. */
const TABLES = /\bfrom\s+((?:["?\w]+(?:\s+(?:as\s+)?\w+)?\s*,\s*)+["?\w]+)/gi;

/** The texts of the store that may end SQL. */
const ENDINGS: readonly string[] = ["skipHeld"];

/** A condition on the project of a row: it is given, or that of another row. */
const OWN = /\bproject_id\s*=/g;

/** A condition on the project that is given, with the value. */
const GIVEN = /\bproject_id\s*=\s*\$\{([^}]*)\}/;

/** The same for the table of projects. */
const GIVEN_PROJECT = /(?:\bprojects\.|\bwhere\s+)id\s*=\s*\$\{([^}]*)\}/;

/** What belongs to a project is queried in one way. */
export const tenancy: Deno.lint.Rule = {
  create(context) {
    const path = repositoryPath(context.filename);
    const binds = path.startsWith("lib/service/") && !path.startsWith("lib/service/store/");
    if (!binds) return {};
    return ACROSS.includes(path) ? explained(context) : refused(context);
  },
};

/** Every way to the rows of all projects is refused. */
function refused(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const refuse = (node: Deno.lint.Node, message: string) =>
    context.report({ node, message, hint: HINT });
  return {
    ImportSpecifier(node) {
      const { imported } = node;
      const name = imported.type === "Identifier" ? imported.name : String(imported.value);
      if (!WAYS.includes(name)) return;
      refuse(node, `${name} must not be used here: only a few files see all projects`);
    },
    TaggedTemplateExpression(node) {
      for (const table of tablesIn(node)) {
        refuse(node, `SQL must not name the table "${table}": its rows belong to projects`);
      }
    },
    MemberExpression(node) {
      const name = harmfulMethod(node);
      if (name) refuse(node, `sql.${name}() must not be used here: it may name any table`);
    },
    CallExpression(node) {
      const ending = endingOf(node);
      if (!ending || isHarmlessText(ending)) return;
      refuse(ending, "SQL must not end with a text that may name a table");
    },
  };
}

/** Each statement has its condition on the project, or a comment with the reason. */
function explained(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const { text } = context.sourceCode;
  const used = new Set<number>();
  const refuse = (node: Deno.lint.Node, message: string) => {
    const reason = reasonBefore(context.sourceCode, node);
    if (reason === undefined) context.report({ node, message, hint: REASON_HINT });
    else used.add(reason);
  };
  return {
    TaggedTemplateExpression(node) {
      const tables = tablesIn(node);
      if (tables.length === 0 || isBound(text.slice(...node.quasi.range), tables)) return;
      refuse(node, `SQL reads or changes rows of all projects: ${tables.join(", ")}`);
    },
    Identifier(node) {
      if (!WAYS.includes(node.name) || node.parent.type === "ImportSpecifier") return;
      refuse(node, `${node.name} sees the rows of all projects`);
    },
    MemberExpression(node) {
      const name = harmfulMethod(node);
      if (name) refuse(node, `sql.${name}() may see the rows of all projects`);
    },
    CallExpression(node) {
      const ending = endingOf(node);
      if (!ending || isHarmlessText(ending)) return;
      refuse(ending, "SQL ends with a text that may see the rows of all projects");
    },
    "Program:exit"(node) {
      for (const { index } of text.matchAll(REASONS)) {
        if (used.has(index)) continue;
        const message = "No statement on all projects follows the comment";
        context.report({ node, message, hint: "Delete the comment." });
      }
    },
  };
}

/** The method of `sql` that an expression takes, if it may name a table. */
function harmfulMethod({ object, property }: Deno.lint.MemberExpression): string | undefined {
  if (object.type !== "Identifier" || object.name !== "sql") return undefined;
  if (property.type !== "Identifier" || HARMLESS.includes(property.name)) return undefined;
  return property.name;
}

/** The text that a call of `execute()` adds to the SQL of a template. */
function endingOf(
  { callee, arguments: [, ending] }: Deno.lint.CallExpression,
): Deno.lint.CallExpression["arguments"][number] | undefined {
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return undefined;
  return callee.property.name === "execute" ? ending : undefined;
}

/** Whether an expression is a text without any table, or one of the store. */
function isHarmlessText(node: Deno.lint.Node): boolean {
  if (node.type === "CallExpression" && node.callee.type === "Identifier") {
    return ENDINGS.includes(node.callee.name);
  }
  return node.type === "Literal" && typeof node.value === "string" &&
    tablesOf(node.value).length === 0;
}

/** The tables in SQL whose rows belong to projects. */
function tablesIn({ tag, quasi }: Deno.lint.TaggedTemplateExpression): string[] {
  if (tag.type !== "Identifier" || !TAGS.includes(tag.name)) return [];
  return tablesOf(quasi.quasis.map(({ cooked }) => cooked).join("?"));
}

/** The same in a piece of SQL. */
function tablesOf(text: string): string[] {
  const listed = [...text.matchAll(TABLES)].flatMap(([, list = ""]) => list.split(",").slice(1));
  return [
    ...[...text.matchAll(TABLE)].map(([, table = ""]) => table),
    ...listed.flatMap((one) => /[a-z_]\w*/i.exec(one.trim().split(/\s/)[0] ?? "") ?? []),
  ].filter(isOfProjects);
}

/** Whether a word in place of a table is one whose rows belong to projects. */
function isOfProjects(word: string): boolean {
  // `do update set` names none.
  return word !== "set" && !SHARED_TABLES.some((table) => table === word);
}

/** Whether SQL names the project, and has a condition for each of its tables. */
function isBound(text: string, tables: readonly string[]): boolean {
  const others = tables.filter((table) => table !== "projects");
  const [, given] = GIVEN.exec(text) ??
    (others.length < tables.length ? GIVEN_PROJECT.exec(text) : null) ?? [];
  if (given === undefined || !/project/i.test(given)) return false;
  return (text.match(OWN) ?? []).length >= others.length;
}

/** Comments with the reason of a statement on all projects. */
const REASONS = /^ *\/\/ All projects: \S/gm;

/** Where the comment with the reason begins, before a node or around it within its statement. */
function reasonBefore(
  source: Deno.lint.SourceCode,
  node: Deno.lint.Node,
): number | undefined {
  const { text } = source;
  const reasons = new Set([...text.matchAll(REASONS)].map(({ index }) => index));
  for (const { type, range: [start] } of [node, ...source.getAncestors(node).toReversed()]) {
    for (let end = text.lastIndexOf("\n", start) + 1; end > 0;) {
      const line = text.lastIndexOf("\n", end - 2) + 1;
      if (reasons.has(line)) return line;
      if (!/^ *\/\//.test(text.slice(line, end))) break;
      end = line;
    }
    if (/(Statement|Declaration)$/.test(type)) return undefined;
  }
  return undefined;
}
