/**
 * Keeps imports in their direction: see `rooms.ts` and `wings.ts` for the tables.
 *
 * @module
 */

import { COMMON, DOORS, INLINE, KEPT, repositoryPath, type Room, roomOf } from "./rooms.ts";
import { isOpenDoor, openDoors, wingOf } from "./wings.ts";

/** The specifier of an import. */
type Manner = "code" | "types" | "lazy";

/** The reason why an import is wrong, with the alternative. */
interface Refusal {
  message: string;
  hint: string;
}

/** Reports imports that go against the direction, packages out of place and inline addresses. */
export const imports: Deno.lint.Rule = {
  create(context) {
    const path = repositoryPath(context.filename);
    const look = (node: Deno.lint.Node, specifier: string, manner: Manner) => {
      const refusal = refusalOf(path, specifier, manner);
      if (refusal) context.report({ node, ...refusal });
    };
    return {
      ImportDeclaration: (node) => look(node, node.source.value, mannerOf(node.importKind)),
      ExportAllDeclaration: (node) => look(node, node.source.value, mannerOf(node.exportKind)),
      ExportNamedDeclaration: (node) => {
        if (node.source) look(node, node.source.value, mannerOf(node.exportKind));
      },
      TSImportType: (node) => {
        const argument = node.argument;
        if (argument.type !== "TSLiteralType" || argument.literal.type !== "Literal") return;
        look(node, String(argument.literal.value), "types");
      },
      ImportExpression: (node) => {
        if (node.source.type === "Literal") look(node, String(node.source.value), "lazy");
        else if (roomOf(path)) {
          context.report({
            node,
            message: "Cannot determine what this import() loads",
            hint: "Write the specifier as a literal, so that `deno compile` includes the file.",
          });
        }
      },
    };
  },
};

/** Whether an import or export is erased or loaded. */
function mannerOf(kind: "type" | "value"): Manner {
  return kind === "type" ? "types" : "code";
}

/** The reason why a file must not import this, or undefined if it may. */
function refusalOf(path: string, specifier: string, manner: Manner): Refusal | undefined {
  if (/^\.{1,2}\//.test(specifier)) return refusalOfFile(path, specifier, manner);
  return refusalOfAddress(path, specifier, manner) ?? refusalOfPackage(path, specifier, manner);
}

/** Judges a relative import by the rooms of both files. */
function refusalOfFile(path: string, specifier: string, manner: Manner): Refusal | undefined {
  const from = roomOf(path);
  const target = new URL(specifier, `file:///${path}`).pathname.slice(1);
  if (from === undefined || COMMON.includes(target)) return undefined;
  const to = roomOf(target);
  if (to === from) return manner === "types" ? undefined : refusalOfWing(path, target);
  const doors = DOORS[from];
  const allowed = [...doors.code, ...(manner === "code" ? [] : doors[manner])];
  if (to && allowed.includes(to)) return undefined;
  return { message: `${from} must not import ${to ?? target}`, hint: wayOut(doors, to) };
}

/** Judges an import within a house by the wings of both files. */
function refusalOfWing(path: string, target: string): Refusal | undefined {
  const from = wingOf(path);
  if (from === undefined || isOpenDoor(path, target)) return undefined;
  const wings = openDoors(path)?.join(", ");
  return {
    message: `${from.house}/${from.wing} must not load ${target}`,
    hint: wings === undefined
      ? "Add the new folder to the table in scripts/lint/wings.ts."
      : `Allowed here: ${wings || "its own files"}. Use \`import type\`, or move the code.`,
  };
}

/** The alternative to an import against the direction. */
function wayOut(doors: typeof DOORS[Room], to: Room | undefined): string {
  if (to && doors.lazy.includes(to)) {
    return 'Use `import type`, or load it when it is needed: await import("./literal.ts").';
  }
  if (to && doors.types.includes(to)) return "Use `import type`: only its types may be seen here.";
  const rooms = doors.code.join(", ");
  return rooms === ""
    ? "Take what you need as an argument, or move the code to the room that uses it."
    : `Allowed here: ${rooms}. Take the rest as an argument, or move the code.`;
}

/** Judges inline `npm:`, `jsr:` and URL specifiers. */
function refusalOfAddress(path: string, specifier: string, manner: Manner): Refusal | undefined {
  if (!/^(npm|jsr|https?|data|file):/.test(specifier)) return undefined;
  const { by, name } = INLINE;
  if (path.startsWith(by) && specifier.startsWith(name) && manner !== "code") return undefined;
  return {
    message: `${specifier} must not be named here`,
    hint: path.startsWith(by) && specifier.startsWith(name)
      ? "Load it when a file is read or written: await import(...)."
      : "Add the npm package to the import map in deno.json and import it by its name.",
  };
}

/** Judges packages of the import map and built-in modules. */
function refusalOfPackage(path: string, specifier: string, manner: Manner): Refusal | undefined {
  const kept = KEPT.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  if (kept && !kept.by.some((keeper) => path.startsWith(keeper))) {
    return { message: `${specifier} is imported by ${kept.by[0]} only`, hint: kept.instead };
  }
  if (kept?.lazy && manner === "code") {
    return { message: `${specifier} must be loaded dynamically`, hint: kept.instead };
  }
  const room = roomOf(path);
  const packages = room ? DOORS[room].packages : "any";
  const builtIn = specifier.startsWith("node:");
  if (packages === "any" || (packages === "node" && builtIn)) return undefined;
  if (specifier.startsWith(INLINE.name)) return undefined;
  return {
    message: `${room} must not import ${specifier}`,
    hint: packages === "node"
      ? "The library has no dependencies: use node: built-ins or its own files."
      : "Take what you need as an argument; only the library's own files may be imported here.",
  };
}
