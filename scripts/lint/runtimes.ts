/**
 * Keeps the library compatible with its oldest runtime, Node 22. Checks and tests on Deno would not
 * find what Node 22 lacks.
 *
 * @module
 */

import { isLibrary, repositoryPath } from "./rooms.ts";

/** Features of newer runtimes, by the names of their members. */
const MISSING = new Set([
  "RegExp.escape",
  "Promise.try",
  "Error.isError",
  "Math.sumPrecise",
  "Uint8Array.fromBase64",
  "Uint8Array.fromHex",
  "Iterator.concat",
]);

/** The same for methods of any value. */
const MISSING_METHODS = new Set(["toBase64", "toHex", "setFromBase64", "setFromHex"]);

/** Reports syntax and functions that Node 22 does not have. */
export const runtimes: Deno.lint.Rule = {
  create(context) {
    if (!isLibrary(repositoryPath(context.filename))) return {};
    const report = (node: Deno.lint.Node, name: string, hint: string) =>
      context.report({ node, message: `${name} must not be used here: Node 22 lacks it`, hint });
    return {
      VariableDeclaration(node) {
        if (!/using/.test(node.kind)) return;
        report(node, node.kind, "Close it in a finally block.");
      },
      MemberExpression({ object, property }) {
        if (property.type !== "Identifier") return;
        const { name } = property;
        const whole = object.type === "Identifier" ? `${object.name}.${name}` : name;
        if (!MISSING.has(whole) && !MISSING_METHODS.has(name)) return;
        const node = property;
        report(node, whole, "lib/bytes.ts has what the library needs of bytes; else write it out.");
      },
      ImportDeclaration(node) {
        const text = context.sourceCode.getText(node);
        if (/^import\s+defer\b/.test(text)) {
          report(node, "import defer", "Use import() where needed.");
        }
      },
    };
  },
};
