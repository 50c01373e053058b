/**
 * The missing steps of an operation or a command: function, docs, route, test, golden text or a
 * line of `CHANGES.md`. It only reads files, so `deno task check` answers in a second or two,
 * before any test runs.
 *
 * @module
 */

/** The parts of the repository that the check compares. */
export interface Holdings {
  /** The rows of the ledger: name, method and path. */
  rows: readonly (readonly string[])[];
  /** The new rows since the last release or the main branch. */
  added: readonly string[];
  /** Whether `CHANGES.md` differs from that state too; undefined without git. */
  changesTouched: boolean | undefined;
  /** The functions that `mod.ts` exports from `lib/resources/`. */
  functions: ReadonlySet<string>;
  /** The doc comment before each exported function of `lib/resources/`. */
  docs: ReadonlyMap<string, string>;
  /** The names of the service's routes. */
  routes: ReadonlySet<string>;
  /** The text of `docs/support.md`. */
  support: string;
  /** The text of all tests. */
  tests: string;
  /** All commands: `offerings set-current`. */
  commands: readonly string[];
  /** The text of all golden files, and of the list of commands that need none. */
  golden: string;
}

/** One line for each missing step, with its name and its place. */
export function findForgotten(found: Holdings): string[] {
  const holdings = { ...found, tests: codeOf(found.tests) };
  const operations = holdings.rows.flatMap(([name = "", method = "", path = ""]) =>
    missingOfOperation(holdings, name, `${method} ${path}`)
  );
  const known = new Set(holdings.rows.map(([name]) => name));
  const rowless = [...holdings.docs].filter(([name, doc]) => isOperation(doc) && !known.has(name))
    .flatMap(([name, doc]) => [
      `${name}: no row in tests/operations.json`,
      ...missingOfOperation({ ...holdings, added: [name] }, name, placeIn(doc)),
    ]);
  return [
    ...operations,
    ...rowless,
    ...holdings.commands.flatMap((name) => missingOfCommand(holdings, name)),
  ];
}

function missingOfOperation(holdings: Holdings, name: string, place: string): string[] {
  const { functions, docs, routes, support, tests, added, changesTouched } = holdings;
  const row = rowOf(support, name);
  // Apps send the operations of public keys, and no command does.
  const isWithoutCommand = row !== undefined && commandsOf(support, name).length === 0 &&
    !row.includes("a public SDK key");
  // Most operations are tested through their commands, so a command's test counts as well.
  const isTested = calls(tests, name) ||
    commandsOf(support, name).some((command) => runs(tests, command));
  const lacks: [boolean, string][] = [
    [!functions.has(name), "no function in lib/resources/ that mod.ts exports"],
    [functions.has(name) && !endsWith(docs.get(name), place), `its doc does not end with ${place}`],
    [!routes.has(name), "no route() in lib/service/routes/"],
    [!row, `no row in docs/support.md: ${NEW_LINE}`],
    [isWithoutCommand, `no command in its row of docs/support.md: ${NEW_LINE}`],
    [!isTested, "no test in tests/ calls the function or runs one of its commands"],
    [added.includes(name) && changesTouched === false, "no line in CHANGES.md"],
  ];
  return lacks.filter(([missing]) => missing).map(([, what]) => `${name}: ${what}`);
}

/** How an operation gets a row with a command. */
const NEW_LINE =
  "add a line that runs its command to scripts/docs/lines.ts, then run `deno task docs`";

function missingOfCommand({ golden }: Holdings, name: string): string[] {
  const help = golden.includes(`$ cli ${name} --help`);
  const shown = new RegExp(`(^\\$ cli |")${RegExp.escape(name)}\\b(?! --help)`, "m").test(golden);
  return [
    ...(help
      ? []
      : [`cli ${name}: no help in tests/golden/help/: run the golden tests with UPDATE_GOLDEN=1`]),
    ...(shown ? [] : [
      `cli ${name}: no output in tests/golden/, and no reason in tests/cli/golden/coverage_test.ts`,
    ]),
  ];
}

/** Whether a doc comment is one of an operation: it ends with a method and a path. */
function isOperation(doc: string): boolean {
  return placeIn(doc) !== "";
}

/** The method and the path at the end of a doc comment. Empty without them. */
function placeIn(doc: string): string {
  return /`((?:GET|POST|PUT|DELETE) \/[^`]*)`[\s*.]*$/.exec(doc)?.[1] ?? "";
}

/** Whether a doc comment names an operation's method and path; values may have other names. */
function endsWith(doc: string | undefined, place: string): boolean {
  const nameless = (text: string) => text.replace(/\{\w+\}/g, "{}").replace("/projects/{}/", "/");
  return nameless(doc ?? "").includes(nameless(place));
}

/** The row of an operation in docs/support.md. */
function rowOf(support: string, name: string): string | undefined {
  return support.split("\n").find((line) => line.includes(`| \`${name}\``));
}

/** The commands that the row of an operation in docs/support.md has. */
function commandsOf(support: string, name: string): string[] {
  const cell = rowOf(support, name)?.split("|")[4] ?? "";
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command);
}

/** The tests without their comments and names: neither runs anything. */
function codeOf(tests: string): string {
  return tests.replace(/^\s*(?:\/?\*|\/\/).*$/gm, "").replace(
    /Deno\.test\(\s*(?:"[^"]*"|`[^`]*`)/g,
    "",
  );
}

/** Whether code calls a function. */
function calls(code: string, name: string): boolean {
  return new RegExp(`(?<![\\w.])${RegExp.escape(name)}\\(`).test(code);
}

/** Whether code has a command: as words, or at the start of a text. */
function runs(code: string, command: string): boolean {
  return code.includes(command.split(" ").map((word) => `"${word}"`).join(", ")) ||
    new RegExp(`["'\`](?:cli )?${RegExp.escape(command)}(?![\\w-])`).test(code);
}
