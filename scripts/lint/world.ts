/**
 * Keeps the outside world behind a few files: the terminal, the exit, the clock, the environment.
 *
 * @module
 */

import { isLibrary, repositoryPath } from "./rooms.ts";

/** A part of the world and the only files that may touch it. */
interface Guard {
  /** The names, as `object.member`; `object.*` means every member. */
  names: readonly string[];
  /** Whether a file must keep the rule. */
  binds(path: string): boolean;
  /** What is wrong, after the name that was used. */
  problem: string;
  /** What to do instead. */
  hint: string;
}

const TERMINAL = [
  "lib/cli/screen/output.ts",
  "lib/cli/screen/ask.ts",
  "lib/cli/context.ts",
  "cli.ts",
];
const PLATFORM = ["lib/platform/deno.ts", "lib/platform/node.ts"];
const ENVIRONMENT = ["lib/cli/context.ts", "lib/config/machine.ts", ...PLATFORM];
const CLOCK = [
  ...ENVIRONMENT,
  "lib/alarm.ts",
  "lib/client.ts",
  "lib/retry.ts",
  "lib/webhook.ts",
  "lib/service/time/clock.ts",
];

/** Only three files write to the terminal. */
export const terminal: Deno.lint.Rule = guard({
  names: [
    "console.*",
    "Deno.stdout",
    "Deno.stderr",
    "process.stdout",
    "process.stderr",
    "globalThis.alert",
    "globalThis.confirm",
    "globalThis.prompt",
  ],
  binds: (path) => isProgram(path) && !TERMINAL.includes(path),
  problem: "must not be used here: only output.ts, ask.ts and context.ts write to the terminal",
  hint: "Return the value, or use context.out and context.ask.",
});

/** Only cli.ts ends the process. */
export const exit: Deno.lint.Rule = guard({
  names: ["Deno.exit", "process.exit"],
  binds: (path) => path !== "cli.ts",
  problem: "must not be called here: only cli.ts exits",
  hint: "In lib/, throw an error of lib/errors.ts. In a script, set Deno.exitCode and return.",
});

/** Only a few files read the clock. */
export const clock: Deno.lint.Rule = guard({
  names: ["Date.now", "performance.now", "Temporal.Now", "new Date", "Date"],
  binds: (path) => isProgram(path) && !CLOCK.includes(path),
  problem: "must not be used here: a test could not set the time",
  hint: "Take the time as an argument: context.now() in lib/cli, the clock in lib/service.",
});

/** Only the context and the platform read the environment. */
export const environment: Deno.lint.Rule = guard({
  names: ["Deno.env", "process.env", "Deno.args", "process.argv"],
  binds: (path) => isProgram(path) && path !== "cli.ts" && !ENVIRONMENT.includes(path),
  problem: "must not be read here: only context.ts and lib/platform read the environment",
  hint: "Take the value as an argument, or use context.env.",
});

/** The library runs on Deno, Node and Bun alike: what differs between them is in lib/platform. */
export const platform: Deno.lint.Rule = guard({
  names: ["Deno.*", "process.*"],
  binds: (path) => isLibrary(path) && !path.startsWith("lib/platform/"),
  problem: "must not be used here: the library runs on Deno, Node and Bun",
  hint: "In lib/auth, lib/config and lib/connect.ts use lib/platform. Requests need only fetch; " +
    "elsewhere take what you need as an argument.",
});

/** Whether a file is part of what we ship. */
function isProgram(path: string): boolean {
  return path.startsWith("lib/") || path === "cli.ts" || path === "mod.ts";
}

/** Makes a rule of a guard. Files that it doesn't bind cost nothing. */
function guard({ names, binds, problem, hint }: Guard): Deno.lint.Rule {
  const guarded = new Set(names);
  return {
    create(context) {
      if (!binds(repositoryPath(context.filename))) return {};
      const look = (node: Deno.lint.Node, object: string, member?: string) => {
        const name = member === undefined ? object : `${object}.${member}`;
        if (!guarded.has(name) && !(member && guarded.has(`${object}.*`))) return;
        context.report({ node, message: `${name} ${problem}`, hint });
      };
      return {
        MemberExpression(node) {
          const object = globalName(node.object);
          const member = memberName(node);
          if (object && member) look(node, object, member);
        },
        CallExpression(node) {
          if (node.callee.type !== "Identifier") return;
          look(node, node.callee.name);
          look(node, "globalThis", node.callee.name);
        },
        NewExpression(node) {
          if (node.arguments.length > 0 || node.callee.type !== "Identifier") return;
          look(node, `new ${node.callee.name}`);
        },
        VariableDeclarator(node) {
          const object = node.init && globalName(node.init);
          if (!object || node.id.type !== "ObjectPattern") return;
          for (const part of node.id.properties) {
            if (part.type !== "Property" || part.key.type !== "Identifier") continue;
            look(part, object, part.key.name);
          }
        },
        ImportDeclaration(node) {
          if (node.source.value !== "node:process" || node.importKind === "type") return;
          for (const part of node.specifiers) {
            if (part.type !== "ImportSpecifier" || part.imported.type !== "Identifier") continue;
            look(part, "process", part.imported.name);
          }
        },
      };
    },
  };
}

/** The name of a global object: `Deno`, or `globalThis.Deno`. */
function globalName(node: Deno.lint.Node): string | undefined {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression" || node.object.type !== "Identifier") return undefined;
  return /^(globalThis|self)$/.test(node.object.name) ? memberName(node) : undefined;
}

/** The name of the member that is read: `a.name` or `a["name"]`. */
function memberName(node: Deno.lint.MemberExpression): string | undefined {
  const { property } = node;
  if (!node.computed) return property.type === "Identifier" ? property.name : undefined;
  return property.type === "Literal" ? String(property.value) : undefined;
}
