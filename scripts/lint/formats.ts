/**
 * Keeps the formats of `Intl` out of the start: the first one loads the data of all languages, which
 * takes about 30 ms.
 *
 * @module
 */

import { repositoryPath } from "./rooms.ts";

/** Reports formats that are made when a module loads. */
export const formats: Deno.lint.Rule = {
  create(context) {
    if (!repositoryPath(context.filename).startsWith("lib/")) return {};
    const report = (node: Deno.lint.NewExpression | Deno.lint.CallExpression) => {
      const { callee } = node;
      if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return;
      if (callee.object.name !== "Intl") return;
      const isInFunction = context.sourceCode.getAncestors(node).some(({ type }) =>
        /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type)
      );
      if (isInFunction) return;
      const name = context.sourceCode.getText(callee);
      context.report({
        node,
        message: `${name} must not be made while the module loads: it takes 30 ms at each start`,
        hint: "Make it in a function, and keep it for the next call.",
      });
    };
    return { NewExpression: report, CallExpression: report };
  },
};
