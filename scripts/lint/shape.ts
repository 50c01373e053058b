/**
 * Keeps files and functions small and plain.
 *
 * @module
 */

import { repositoryPath } from "./rooms.ts";

/** The most lines that a file may have. Aim for 300. */
export const FILE_LINES = 400;

/** The most lines that a function may have. Aim for 40. */
export const FUNCTION_LINES = 60;

/** Reports files that are too long. */
export const fileLines: Deno.lint.Rule = {
  create: (context) => ({
    Program(node) {
      const lines = lineCount(context.sourceCode.text);
      if (lines <= FILE_LINES) return;
      context.report({
        range: [node.range[0], node.range[0] + 1],
        message: `This file has ${lines} lines; ${FILE_LINES} is the limit`,
        hint: "Move a part of it to a file named after that part.",
      });
    },
  }),
};

/** Reports functions that are too long. */
export const functionLines: Deno.lint.Rule = {
  create(context) {
    const look = (node: Deno.lint.Node) => {
      const lines = lineCount(context.sourceCode.text.slice(node.range[0], node.range[1]));
      if (lines <= FUNCTION_LINES) return;
      context.report({
        range: [node.range[0], node.range[0] + 1],
        message: `This function has ${lines} lines; ${FUNCTION_LINES} is the limit`,
        hint: "Move a part of it to a function with a name.",
      });
    };
    return {
      FunctionDeclaration: look,
      FunctionExpression: look,
      ArrowFunctionExpression: look,
    };
  },
};

/** Reports default exports: one thing has one name, wherever it is imported. */
export const namedExports: Deno.lint.Rule = inProgram((context) => ({
  ExportDefaultDeclaration(node) {
    context.report({
      node,
      message: "Default exports must not be used here",
      hint: "Export it by its name.",
    });
  },
}));

/** Reports top-level functions that are not declared with `function`. */
export const functionDeclarations: Deno.lint.Rule = inProgram((context) => ({
  VariableDeclaration(node) {
    const { parent } = node;
    if (parent.type !== "Program" && parent.type !== "ExportNamedDeclaration") return;
    for (const { init } of node.declarations) {
      if (init?.type !== "ArrowFunctionExpression" && init?.type !== "FunctionExpression") continue;
      context.report({
        node,
        message: "A top-level function must be declared with `function`",
        hint:
          "Write `function name(...) { ... }`: it has a name in traces and can be used before " +
          "its definition.",
      });
    }
  },
}));

/** Reports classes that are not errors. */
export const errorClasses: Deno.lint.Rule = inProgram((context) => {
  const look = (node: Deno.lint.ClassDeclaration | Deno.lint.ClassExpression) => {
    const base = node.superClass?.type === "Identifier" ? node.superClass.name : "";
    if (/(Error|Refusal|Cancelled)$/.test(base)) return;
    context.report({
      node,
      message: "Only errors may be classes here",
      hint: "Write a function that returns an object of an interface, as createClient() does.",
    });
  };
  return { ClassDeclaration: look, ClassExpression: look };
});

/** Makes a rule that holds for what we ship: lib/, cli.ts and mod.ts. */
function inProgram(
  visitor: (context: Deno.lint.RuleContext) => Deno.lint.LintVisitor,
): Deno.lint.Rule {
  return {
    create(context) {
      const path = repositoryPath(context.filename);
      const shipped = path.startsWith("lib/") || path === "cli.ts" || path === "mod.ts";
      return shipped ? visitor(context) : {};
    },
  };
}

/** The number of lines of a text. A line break at its end starts no line. */
function lineCount(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return text.endsWith("\n") ? lines - 1 : lines;
}
