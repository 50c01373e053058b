/**
 * The rooms of this repository and the allowed imports between them. `imports.ts` enforces this
 * table; ARCHITECTURE.md explains it.
 *
 * @module
 */

/** A part of the tree with one rule for the imports of its files. */
export type Room =
  | "cli.ts"
  | "mod.ts"
  | "lib/cli"
  | "lib/service"
  | "lib/scenario"
  | "lib/connect.ts"
  | "lib/auth"
  | "lib/config"
  | "lib/platform"
  | "lib/debug.ts"
  | "lib/resources"
  | "lib/simulator"
  | "lib core"
  | "scripts/examples";

/** The allowed imports of a room. A room may always import its own files. */
export interface Doors {
  /** Rooms whose code may be loaded. */
  code: readonly Room[];
  /** Rooms from which `import type` is allowed besides. */
  types: readonly Room[];
  /** Rooms that may be loaded by `import("./literal")` besides. */
  lazy: readonly Room[];
  /** Which packages may be imported: any of the import map, `node:` built-ins only, or none. */
  packages: "any" | "node" | "none";
}

const LIBRARY: readonly Room[] = [
  "lib/connect.ts",
  "lib/auth",
  "lib/config",
  "lib/platform",
  "lib/debug.ts",
  "lib/resources",
  "lib/simulator",
  "lib core",
];

/** The table. Everything else is forbidden. */
export const DOORS: Readonly<Record<Room, Doors>> = {
  "cli.ts": open({ code: ["lib/cli", "lib core"] }),
  "mod.ts": open({ code: LIBRARY }),
  "lib/cli": open({
    code: [...LIBRARY, "lib/scenario"],
    types: ["lib/service"],
    lazy: ["lib/service"],
    packages: "any",
  }),
  // The types of the library are the truth; the service's answers must satisfy them.
  "lib/service": open({ types: ["lib/resources", "lib/simulator", "lib core"], packages: "any" }),
  // It takes data and returns data. It acts on a service only through its interface Stage.
  "lib/scenario": open({
    code: ["lib/simulator", "lib/resources", "lib core"],
    packages: "any",
  }),
  "lib/connect.ts": open({
    code: ["lib/auth", "lib/config", "lib/platform", "lib/debug.ts", "lib core"],
    packages: "node",
  }),
  "lib/auth": open({
    code: ["lib/config", "lib/platform", "lib/resources", "lib core"],
    packages: "node",
  }),
  "lib/config": open({ code: ["lib/platform", "lib core"], packages: "node" }),
  "lib/platform": open({ packages: "node" }),
  "lib/debug.ts": open({ code: ["lib core"], packages: "node" }),
  "lib/resources": open({ code: ["lib core"] }),
  "lib/simulator": open({ code: ["lib core"], types: ["lib/resources"] }),
  "lib core": open({ packages: "node" }),
  "scripts/examples": open({ code: ["mod.ts"], packages: "node" }),
};

/**
 * Files that every room may load: errors, bytes, words of events, file modes, JSON, loopback hosts, the
 * look of pages, roles, words of commands, names of unfinished files, and the only writer of secrets.
 * No bare `Error` crosses rooms.
 */
export const COMMON: readonly string[] = [
  "lib/bytes.ts",
  "lib/errors.ts",
  "lib/event_types.ts",
  "lib/file_mode.ts",
  "lib/file_reason.ts",
  "lib/html.ts",
  "lib/json_text.ts",
  "lib/loopback.ts",
  "lib/page_look.ts",
  "lib/roles.ts",
  "lib/temporary_name.ts",
  "lib/version.ts",
  "lib/config/durable_file.ts",
  "lib/config/paths.ts",
  "lib/config/shell_word.ts",
];

/** Packages that only some files may import, and only dynamically where `lazy` is set. */
export const KEPT: readonly {
  name: string;
  by: readonly string[];
  lazy?: true;
  instead: string;
}[] = [
  {
    name: "@stricli/core",
    by: ["lib/cli/words/command.ts", "lib/cli/words/complaints.ts", "lib/cli/packages.ts"],
    instead: "Use command() and group() from lib/cli/words/command.ts.",
  },
  {
    name: "@clack/prompts",
    by: ["lib/cli/screen/ask.ts"],
    lazy: true,
    instead:
      "Ask through context.ask; lib/cli/screen/ask.ts loads the prompts when there is a terminal.",
  },
  {
    name: "node:sqlite",
    by: [
      "lib/service/store/sqlite/",
      "scripts/bench/",
      "scripts/examples/webhook_access.ts",
      "tests/",
    ],
    instead: "Go through the store: store.read() and store.write().",
  },
  {
    name: "pg",
    by: ["lib/service/store/postgres/", "scripts/", "tests/"],
    instead: "Go through the store: store.read() and store.write().",
  },
  {
    name: "yaml",
    by: ["lib/scenario/", "lib/cli/", "tests/"],
    lazy: true,
    instead: 'Load it when a file is read: await import("yaml").',
  },
  {
    name: "diff",
    by: ["lib/scenario/"],
    lazy: true,
    instead: 'Load it when something differs: await import("diff").',
  },
  {
    name: "oauth4webapi",
    by: ["lib/service/oauth/provider.ts", "tests/", "scripts/"],
    instead: "Go through the Provider of lib/service/oauth/provider.ts.",
  },
  {
    name: "@zxcvbn-ts/language-common",
    by: ["lib/service/oauth/password_rules.ts"],
    lazy: true,
    instead: "Ask faultOfPassword() of lib/service/oauth/password_rules.ts.",
  },
  {
    name: "re2js",
    by: ["lib/scenario/file/regular.ts"],
    lazy: true,
    instead: "Search with openSearcher() from lib/scenario/file/regular.ts.",
  },
  {
    name: "fast-check",
    by: ["tests/support/properties.ts", "lib/"],
    instead: "Import fc from tests/support/properties.ts, which prints the seed of a failure.",
  },
];

/** The one package that the library loads by an inline specifier, so that URL imports work. */
export const INLINE = { by: "lib/config/", name: "npm:smol-toml@" };

const ROOT = new URL("../../", import.meta.url).pathname;

/** The path of a file inside the repository, with forward slashes. */
export function repositoryPath(filename: string): string {
  const path = filename.replaceAll("\\", "/");
  const root = decodeURIComponent(ROOT);
  for (const prefix of [root, root.slice(1)]) {
    if (path.startsWith(prefix)) return path.slice(prefix.length);
  }
  return path;
}

/** The room that a file of the repository is in, if it is in one. */
export function roomOf(path: string): Room | undefined {
  if (path === "cli.ts" || path === "mod.ts") return path;
  if (path === "lib/connect.ts" || path === "lib/debug.ts") return path;
  if (path.startsWith("scripts/examples/")) return "scripts/examples";
  const [top, room, file] = path.split("/", 3);
  if (top !== "lib") return undefined;
  if (file === undefined) return "lib core";
  return isLibraryRoom(`lib/${room}`) ? `lib/${room}` as Room : undefined;
}

/** Whether a file is part of the library, which runs on Deno, Node and Bun. */
export function isLibrary(path: string): boolean {
  const room = roomOf(path);
  return room !== undefined && LIBRARY.includes(room);
}

/** Whether a folder of lib/ is a room. */
function isLibraryRoom(name: string): boolean {
  return Object.hasOwn(DOORS, name);
}

/** Completes a room's rule with prohibitions. */
function open(doors: Partial<Doors>): Doors {
  return { code: [], types: [], lazy: [], packages: "none", ...doors };
}
