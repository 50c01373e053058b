/**
 * Keeps each query outside of the store in the forms that `tenancy.ts` looks at: what queries the
 * database has one name everywhere, and runs SQL of templates only.
 *
 * @module
 */

import { repositoryPath } from "./rooms.ts";

/** The store, and the package that builds SQL. */
const STORE = "lib/service/store/";
const BUILDER = "kysely";

/** The folders of the engines. */
const ENGINE = /\/store\/(?:sqlite|postgres)\//;

/** What queries the database. The lint knows these by their names. */
const NAMES: readonly string[] = ["sql", "fixed", "acrossProjects", "runText", "loadedBuilder"];

/** What runs any SQL, below the templates. */
const BELOW: readonly string[] = ["runWritten", "getExecutor"];

const NAME_HINT = "Import each thing by its own name, so that each query can be checked.";

const ENGINE_HINT = "Use what lib/service/store/mod.ts exports.";

const FORM_HINT = "Write the SQL as a template: sql`…` or fixed`…`.";

/** Reports ways to query that the rule about projects cannot see. */
export const queries: Deno.lint.Rule = {
  create(context) {
    const path = repositoryPath(context.filename);
    if (!path.startsWith("lib/service/") || path.startsWith(STORE)) return {};
    const refuse = (node: Deno.lint.Node, message: string, hint: string) =>
      context.report({ node, message, hint });
    return { ...imported(path, refuse), ...used(refuse) };
  },
};

/** Reports a node. */
type Refuse = (node: Deno.lint.Node, message: string, hint: string) => void;

/** Imports name what they take, and keep its name. */
function imported(path: string, refuse: Refuse): Deno.lint.LintVisitor {
  const whole = (node: Deno.lint.Node, source: Deno.lint.Expression | null) => {
    if (source?.type !== "Literal" || !isWatched(path, String(source.value))) return;
    refuse(node, `"${source.value}" must be imported name by name`, NAME_HINT);
  };
  return {
    ExportAllDeclaration: (node) => whole(node, node.source),
    ExportNamedDeclaration: (node) => whole(node, node.source),
    ImportExpression: (node) => whole(node, node.source),
    TSImportType(node) {
      if (node.argument.type === "TSLiteralType") whole(node, node.argument.literal);
    },
    ImportDeclaration(node) {
      const source = node.source.value;
      if (!isWatched(path, source)) return;
      if (ENGINE.test(source) && node.importKind !== "type") {
        refuse(node, `"${source}" is an engine, which only the store uses`, ENGINE_HINT);
      }
      for (const one of node.specifiers) {
        if (one.type !== "ImportSpecifier") {
          whole(one, node.source);
          continue;
        }
        const name = nameOf(one.imported);
        if (NAMES.includes(name) && one.local.name !== name) {
          refuse(one, `${name} must keep its name`, NAME_HINT);
        }
        const isType = one.importKind === "type" || node.importKind === "type";
        if (source !== BUILDER || isType || name === "sql") continue;
        refuse(one, `${name} of ${BUILDER} must not be used outside of the store`, FORM_HINT);
      }
    },
  };
}

/** `sql` and `fixed` are tags, and nothing goes below them. */
function used(refuse: Refuse): Deno.lint.LintVisitor {
  const tags = new Set<string>();
  return {
    Identifier(node) {
      const { name, parent } = node;
      if (BELOW.includes(name)) refuse(node, `${name} runs SQL that is not checked`, FORM_HINT);
      if (parent.type === "ImportSpecifier") tags.add(name);
      else if (name === "loadedBuilder") {
        if (!givesSql(parent)) {
          refuse(
            node,
            "Only sql may be taken from the builder",
            "const { sql } = loadedBuilder();",
          );
        }
      } else if (name === "sql" || name === "fixed" && tags.has(name)) {
        if (!isTag(node)) refuse(node, `${name} must be used as a tag`, FORM_HINT);
      }
    },
    Literal(node) {
      if (!BELOW.includes(String(node.value))) return;
      refuse(node, `${node.value} runs SQL that is not checked`, FORM_HINT);
    },
  };
}

/** Whether an import takes something of the store or of the builder. */
function isWatched(path: string, specifier: string): boolean {
  if (!specifier.startsWith(".")) return specifier === BUILDER;
  return new URL(specifier, `file:///${path}`).pathname.slice(1).startsWith(STORE);
}

/** The name of what is imported. */
function nameOf(imported: Deno.lint.ImportSpecifier["imported"]): string {
  return imported.type === "Identifier" ? imported.name : String(imported.value);
}

/** Whether a name is a tag, has a method called (which `tenancy.ts` looks at), or is only a key. */
function isTag(node: Deno.lint.Identifier): boolean {
  const { parent } = node;
  if (parent.type === "TaggedTemplateExpression") return true;
  if (parent.type === "MemberExpression") return !parent.computed;
  if (parent.type !== "Property") return false;
  return parent.parent.type === "ObjectPattern" || !parent.shorthand && parent.key === node;
}

/** Whether the call of a function only gives `sql`: `const { sql } = loadedBuilder()`. */
function givesSql(call: Deno.lint.Node): boolean {
  if (call.type !== "CallExpression" || call.parent.type !== "VariableDeclarator") return false;
  const { id } = call.parent;
  return id.type === "ObjectPattern" &&
    id.properties.every((property) =>
      property.type === "Property" && property.shorthand &&
      property.key.type === "Identifier" && property.key.name === "sql"
    );
}
