/**
 * Keeps one way to open a service in the tests: `openService()` of `tests/support/engine.ts`. It picks
 * the engine of the tests, and does not let internal errors pass.
 *
 * @module
 */

import { repositoryPath } from "./rooms.ts";

/** The file that opens services for all tests. */
const OPENER = "tests/support/engine.ts";

/** The file whose `openService()` knows nothing of the tests. */
const SERVICE = "lib/service/mod.ts";

/** Reports tests that open a service past the engine of the tests. */
export const openers: Deno.lint.Rule = {
  create(context) {
    const path = repositoryPath(context.filename);
    if (!path.startsWith("tests/") || path === OPENER) return {};
    const refuse = (node: Deno.lint.Node) =>
      context.report({
        node,
        message: "A test must not open the service directly: it would not run on PostgreSQL",
        hint: `Import openService() from ${OPENER}.`,
      });
    const isService = (specifier: string) =>
      new URL(specifier, `file:///${path}`).pathname.slice(1) === SERVICE;
    return {
      ImportDeclaration(node) {
        if (node.importKind === "type" || !isService(node.source.value)) return;
        for (const one of node.specifiers) {
          const opens = one.type === "ImportNamespaceSpecifier" ||
            one.type === "ImportSpecifier" && one.imported.type === "Identifier" &&
              one.imported.name === "openService";
          if (opens) refuse(one);
        }
      },
      ImportExpression(node) {
        const { source } = node;
        if (source.type !== "Literal" || typeof source.value !== "string") return;
        if (isService(source.value)) refuse(node);
      },
    };
  },
};
