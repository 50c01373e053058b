/**
 * Finds unused exports: functions, values and types of `lib/`.
 *
 * @module
 */

/** A file, and its text. */
export interface SourceFile {
  /** The path from the repository's root. */
  path: string;
  /** Its text. */
  text: string;
}

/** An unused export. */
export interface DeadExport {
  /** Its file. */
  path: string;
  /** Its name. */
  name: string;
}

const EXPORT =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
const LIST = /^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?/gm;
const FROM = /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?([^;"']*?)\s+from\s+"([^"]+)"/g;
const LAZY = /import\(\s*"([^"]+)"\s*\)/g;

/**
 * The files whose exports need an importer. The simulator's library has a function for every route, as
 * a ledger test demands. A `.d.ts` file describes a package, which is imported by its name.
 */
const HELD = /^lib\/(?!simulator\/)(?!.*\.d\.ts$)/;

/** The files whose exports need an importer other than tests. */
const SHIPPED = /^lib\/(?!.*\.d\.ts$)/;

/** Exports that only tests import, with the reason. */
const FOR_TESTS: ReadonlyMap<string, string> = new Map([
  // The simulator's library is whole, so that scripts need not write requests by hand.
  ["lib/simulator/customers.ts listBalances", "a function for each route"],
  ["lib/simulator/webhooks.ts clearWebhookFaults", "a function for each route"],
]);

/** The exports of `lib/` that no other file imports. Exports of `mod.ts` are public. */
export function deadExports(files: readonly SourceFile[]): DeadExport[] {
  return unused(files, HELD);
}

/**
 * The exports of `lib/` that only tests use. One that its own file uses as well is part of the product,
 * and so is a name that a file passes on.
 */
export function exportsForTests(files: readonly SourceFile[]): DeadExport[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return unused(files.filter(({ path }) => !path.startsWith("tests/")), SHIPPED)
    .filter(({ path, name }) =>
      !FOR_TESTS.has(`${path} ${name}`) && isLonely(name, texts.get(path) ?? "")
    );
}

/** Whether a file declares a name and does not use it; comments do not count. */
function isLonely(name: string, text: string): boolean {
  const code = text.replace(/^\s*(?:\/?\*|\/\/).*$/gm, "");
  const isDeclared = [...code.matchAll(EXPORT)].some(([, declared]) => declared === name);
  return isDeclared && [...code.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length === 1;
}

/** The exports that no other file imports, of files with such paths. */
function unused(files: readonly SourceFile[], held: RegExp): DeadExport[] {
  const used = new Map<string, Set<string>>();
  const use = (path: string, name: string) => {
    const names = used.get(path) ?? new Set();
    used.set(path, names.add(name));
  };
  for (const file of files) for (const [path, name] of importsOf(file)) use(path, name);
  return files.filter(({ path }) => held.test(path)).flatMap(({ path, text }) => {
    const names = used.get(path);
    if (names?.has("*")) return [];
    return [...exportsOf(text)].filter((name) => !names?.has(name)).map((name) => ({ path, name }));
  });
}

/** The names that a file exports, but not those of `export *`. */
function exportsOf(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, name = ""] of text.matchAll(EXPORT)) names.add(name);
  for (const [, list = ""] of text.matchAll(LIST)) {
    for (const { outside } of namesIn(list)) names.add(outside);
  }
  return names;
}

/** The imports and re-exports of a file: the other file and the name, `*` for all. */
function* importsOf({ path, text }: SourceFile): Generator<[path: string, name: string]> {
  for (const [, what = "", from = ""] of text.matchAll(FROM)) {
    if (!from.startsWith(".")) continue;
    const target = resolve(path, from);
    const [, list] = /\{([\s\S]*)\}/.exec(what) ?? [];
    if (list === undefined) yield [target, "*"];
    else for (const { inside } of namesIn(list)) yield [target, inside];
  }
  for (const match of text.matchAll(LAZY)) {
    const [, from = ""] = match;
    if (from.startsWith(".")) {
      for (const name of lazyNames(text, match)) yield [resolve(path, from), name];
    }
  }
}

/** The names used from an `import()`: those destructured before it, or the one after it. */
function lazyNames(text: string, { index, 0: call }: RegExpExecArray): string[] {
  const before = text.slice(0, index);
  const [, list] = /\{([^{}]*)\}\s*=\s*await\s*$/.exec(before) ?? [];
  if (list !== undefined) return namesIn(list.replaceAll(":", " as ")).map(({ inside }) => inside);
  const [, name] = /^\)?\.(\w+)/.exec(text.slice(index + call.length)) ?? [];
  return [name ?? "*"];
}

/** The names in braces: inside the module, and outside. */
function namesIn(list: string): { inside: string; outside: string }[] {
  return list.split(",").map((part) => part.trim().replace(/^type\s+/, "")).filter(Boolean)
    .map((part) => {
      const [inside = "", outside = inside] = part.split(/\s+as\s+/);
      return { inside, outside };
    });
}

function resolve(path: string, from: string): string {
  return new URL(from, `file:///${path}`).pathname.slice(1);
}
