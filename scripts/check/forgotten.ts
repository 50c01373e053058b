/**
 * The missing steps of an operation or a command: row, function, docs, route, request, test, golden
 * text or a line of `CHANGES.md`. It only reads files, so `deno task check` answers in a second or two,
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
  /** The names of the service's routes, without those that have an alias. */
  routes: ReadonlySet<string>;
  /** The functions that `tests/support/every_operation_*.ts` calls. */
  requests: ReadonlySet<string>;
  /** The same of the simulator: its functions are all in `lib/simulator/`. */
  simulator: Pick<Holdings, "rows" | "docs" | "routes" | "requests">;
  /** The text of `docs/support.md`. */
  support: string;
  /** The text of each test file. */
  tests: readonly string[];
  /** All commands: `offerings set-current`. */
  commands: readonly string[];
  /** The groups of commands that have a folder. */
  folders: ReadonlySet<string>;
  /** The text of all golden files, and of the list of commands that need none. */
  golden: string;
}

/** The code of the tests. */
interface TestCode {
  /** All of it. */
  all: string;
  /** That of files that run commands. */
  running: string;
}

/** One line for each missing step, with its name and its place. */
export function findForgotten(holdings: Holdings): string[] {
  const tests = testCodeOf(holdings.tests);
  const operations = [...placesOf(holdings)].flatMap(([name, place]) =>
    missingOfOperation(holdings, tests, name, place)
  );
  const simulated = [...placesOf(holdings.simulator)].flatMap(([name, place]) =>
    missingOfSimulator(holdings.simulator, name, place)
  );
  return [
    ...operations,
    ...simulated,
    ...holdings.commands.flatMap((name) => missingOfCommand(holdings, name)),
  ];
}

/** Each operation that has a row, a function or a route, with the method and path of its row. */
function placesOf(
  { rows, docs, routes }: Pick<Holdings, "rows" | "docs" | "routes">,
): Map<string, string | undefined> {
  const places = new Map<string, string | undefined>(
    rows.map(([name = "", method, path]) => [name, `${method} ${path}`]),
  );
  const functions = [...docs].filter(([, doc]) => isOperation(doc)).map(([name]) => name);
  for (const name of [...functions, ...routes]) if (!places.has(name)) places.set(name, undefined);
  return places;
}

function missingOfOperation(
  holdings: Holdings,
  tests: TestCode,
  name: string,
  place: string | undefined,
): string[] {
  const { functions, docs, routes, requests, support, golden, added, changesTouched } = holdings;
  const row = rowOf(support, name);
  // Apps send the operations of public keys, and no command does.
  const isWithoutCommand = row !== undefined && commandsOf(support, name).length === 0 &&
    !row.includes("a public SDK key");
  // Most operations are tested through their commands, so a command's test counts as well.
  const isTested = calls(tests.all, name) ||
    commandsOf(support, name).some((command) => runs(tests.running, command));
  const isNew = place === undefined || added.includes(name);
  const isReviewed = new RegExp(`: ${RegExp.escape(name)}, \\d`).test(golden);
  return linesFor(name, [
    [place === undefined, "no row in tests/operations.json"],
    [!functions.has(name), "no function in lib/resources/ that mod.ts exports"],
    [functions.has(name) && !endsWith(docs.get(name), place), `its doc does not end with ${place}`],
    [!routes.has(name), "no route() in lib/service/routes/"],
    [!row, `no row in docs/support.md: ${NEW_LINE}`],
    [isWithoutCommand, `no command in its row of docs/support.md: ${NEW_LINE}`],
    [!isTested, "no test in tests/ calls the function or runs one of its commands"],
    [!requests.has(name), NO_REQUEST],
    [
      routes.has(name) && !isReviewed,
      `no contract in tests/golden/operations.txt: ${
        update("tests/service/routes/contracts_test.ts")
      }`,
    ],
    [isNew && changesTouched === false, "no line in CHANGES.md"],
  ]);
}

function missingOfSimulator(
  { docs, routes, requests }: Holdings["simulator"],
  name: string,
  place: string | undefined,
): string[] {
  return linesFor(`${name} of the simulator`, [
    [place === undefined, "no row in tests/simulator.json"],
    [!docs.has(name), "no function in lib/simulator/"],
    [docs.has(name) && !endsWith(docs.get(name), place), `its doc does not end with ${place}`],
    [!routes.has(name), "no route in lib/service/sim/"],
    [!requests.has(name), NO_REQUEST],
  ]);
}

/** A line for each step that is missing. */
function linesFor(name: string, steps: readonly [isMissing: boolean, what: string][]): string[] {
  return steps.filter(([isMissing]) => isMissing).map(([, what]) => `${name}: ${what}`);
}

/** Where the request of an operation is missing. */
const NO_REQUEST = "no request in tests/support/every_operation_*.ts";

/** How a golden text gets written. */
function update(tests: string): string {
  return `run \`UPDATE_GOLDEN=1 deno task test ${tests}\``;
}

/** How an operation gets a row with a command. */
const NEW_LINE =
  "add a line that runs its command to scripts/docs/lines.ts, then run `deno task docs`";

function missingOfCommand({ golden, folders }: Holdings, name: string): string[] {
  const [group = ""] = name.split(" ");
  const folder = folders.has(group) ? `${group}/` : "";
  const hasHelp = golden.includes(`$ cli ${name} --help`);
  const isShown = new RegExp(`(^\\$ cli |")${RegExp.escape(name)}\\b(?! --help)`, "m").test(golden);
  return linesFor(`cli ${name}`, [
    [
      !hasHelp,
      `no help in tests/golden/help/: ${update(`tests/cli/commands/${folder}help_test.ts`)}`,
    ],
    [!isShown, NO_OUTPUT],
  ]);
}

/** How a command gets reviewed output. */
const NO_OUTPUT = `no output in tests/golden/: add it to a session of tests/cli/golden/ and ${
  update("tests/cli/golden")
}, or add a reason to tests/cli/golden/coverage_test.ts`;

/** Whether a doc comment is one of an operation: it ends with a method and a path. */
function isOperation(doc: string): boolean {
  return /`(?:GET|POST|PUT|DELETE) \/[^`]*`[\s*.]*$/.test(doc);
}

/**
 * Whether a doc comment names an operation's method and path; values may have other names. Without
 * a row there is nothing to compare.
 */
function endsWith(doc: string | undefined, place: string | undefined): boolean {
  if (place === undefined) return true;
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

/**
 * The tests without their comments and names: neither runs anything. A command in a file that runs
 * none is only a text.
 */
function testCodeOf(tests: readonly string[]): TestCode {
  const code = tests.map((text) =>
    text.replace(/^\s*(?:\/?\*|\/\/).*$|(?<=[;,{}()[\]]) \/\/ .*$/gm, "")
      .replace(/Deno\.test\(\s*(?:"[^"]*"|`[^`]*`)/g, "")
  );
  return { all: code.join("\n"), running: code.filter((text) => RUNS.test(text)).join("\n") };
}

/** The start of a command: `run()` of a fixture, or a session of a golden test. */
const RUNS = /\brun\(|\bmatchScreen\(|\bCLI_FLAGS\b/;

/** Whether code calls a function. */
function calls(code: string, name: string): boolean {
  return new RegExp(`(?<![\\w.])${RegExp.escape(name)}\\(`).test(code);
}

/** Whether code has a command: as words, or at the start of a text. */
function runs(code: string, command: string): boolean {
  return code.includes(command.split(" ").map((word) => `"${word}"`).join(", ")) ||
    new RegExp(`["'\`](?:cli )?${RegExp.escape(command)}(?![\\w-])`).test(code);
}
