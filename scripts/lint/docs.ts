/**
 * Keeps the library documented: every export, every field, every operation's method and path.
 *
 * @module
 */

import { repositoryPath } from "./rooms.ts";

/** Rows mirror the schema; its migrations document the columns. */
const ROWS = /^lib\/service\/store\/(\w+_)?tables\.ts$/;

const METHODS = ["GET", "POST", "PUT", "DELETE"];
const AGREE = "Make the doc and the call agree with the API document.";

/** A method and a path at the end of a line, such as `POST /offerings/{id}`. */
const OPERATION = /(?:^|[\s`(])(GET|POST|PUT|DELETE) (\/[^\s`]*)`?\.?\s*$/;

/** Reports exports and interface fields in lib/ without a doc comment. */
export const documented: Deno.lint.Rule = {
  create(context) {
    const path = repositoryPath(context.filename);
    if (!path.startsWith("lib/")) return {};
    const { text } = context.sourceCode;
    const known = new Set<string>();
    const look = (node: Deno.lint.Node, name: string, hint: string) => {
      if (docBefore(text, node.range[0]) !== undefined) return;
      context.report({ node, message: `${name} has no doc comment`, hint });
    };
    return {
      ExportNamedDeclaration(node) {
        for (const name of node.declaration ? namesOf(node.declaration) : []) {
          // The first of several overloads has the doc of all.
          if (!known.has(name)) {
            look(node, name, "Say in one sentence what it is or does: /** ... */");
          }
          known.add(name);
        }
      },
      TSPropertySignature(node) {
        if (node.parent.type !== "TSInterfaceBody" || node.key.type !== "Identifier") return;
        if (ROWS.test(path)) return;
        look(node, node.key.name, "Say in one sentence what the field holds, units included.");
      },
      TSMethodSignature(node) {
        if (node.parent.type !== "TSInterfaceBody" || node.key.type !== "Identifier") return;
        look(node, node.key.name, "Say in one sentence what it does.");
      },
    };
  },
};

/** Reports operations whose doc does not end with their method and path. */
export const operationDocs: Deno.lint.Rule = {
  create(context) {
    if (!/^lib\/(resources|simulator)\//.test(repositoryPath(context.filename))) return {};
    const { text } = context.sourceCode;
    let told: { method: string; path: string } | undefined;
    return {
      ExportNamedDeclaration(node) {
        told = undefined;
        if (node.declaration?.type !== "FunctionDeclaration") return;
        const found = OPERATION.exec(lastLine(docBefore(text, node.range[0]) ?? ""));
        if (found) told = { method: found[1] ?? "", path: found[2] ?? "" };
        else {
          context.report({
            node: node.declaration.id ?? node,
            message: "An operation's doc must end with its method and path",
            hint: "End it with a line such as: `POST /offerings/{id}`",
          });
        }
      },
      "ExportNamedDeclaration:exit"() {
        told = undefined;
      },
      TaggedTemplateExpression(node) {
        if (!told || node.tag.type !== "Identifier" || node.tag.name !== "path") return;
        const used = node.quasi.quasis.map((part) => part.cooked).join("{}");
        if (plainPath(used) === plainPath(told.path)) return;
        context.report({
          node,
          message: `This path differs from the path in the doc: ${told.path}`,
          hint: AGREE,
        });
      },
      MemberExpression(node) {
        if (!told || node.object.type !== "Identifier" || node.object.name !== "client") return;
        const used = node.property.type === "Identifier" ? node.property.name.toUpperCase() : "";
        if (!METHODS.includes(used) || used === told.method) return;
        context.report({
          node,
          message: `This method differs from the method in the doc: ${told.method}`,
          hint: AGREE,
        });
      },
    };
  },
};

/** The text of the doc comment that ends right before an offset. */
function docBefore(text: string, offset: number): string | undefined {
  const before = text.slice(0, offset).trimEnd();
  if (!before.endsWith("*/")) return undefined;
  const comment = before.slice(before.lastIndexOf("/*"));
  return comment.startsWith("/**") ? comment.slice(3, -2) : undefined;
}

/** The last line of a doc comment's description, tags left out. */
function lastLine(doc: string): string {
  const lines = doc.split("\n").map((line) => line.replace(/^\s*\*?\s?/, "").trimEnd());
  const tag = lines.findIndex((line) => line.startsWith("@"));
  const description = tag === -1 ? lines : lines.slice(0, tag);
  return description.findLast((line) => line !== "") ?? "";
}

/** A path inside its project, without its version and the names of its values. */
function plainPath(path: string): string {
  const plain = path.replace(/^\/v2(?=\/)/, "").replace(/\{[^}]*\}/g, "{}");
  return plain.replace(/^\/projects\/\{\}(?=\/)/, "");
}

/** The names that an exported declaration declares. */
function namesOf(
  declaration: NonNullable<Deno.lint.ExportNamedDeclaration["declaration"]>,
): string[] {
  if (declaration.type === "VariableDeclaration") {
    return declaration.declarations.flatMap(({ id }) => id.type === "Identifier" ? [id.name] : []);
  }
  const id = declaration.id;
  return id?.type === "Identifier" ? [id.name] : [];
}
