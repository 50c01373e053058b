/**
 * The program that runs tests one by one, as `runner_process.ts` asks: it loads the product once, and
 * then tries many faults. It reads a request a line, and answers with a line that begins with a mark.
 *
 * @module
 */

/** Loads a test file, or runs one of its tests, with some faults or without. */
export type Request =
  | { readonly do: "load"; readonly file: string }
  | {
    readonly do: "run";
    readonly file: string;
    readonly test: number;
    readonly name: string;
    readonly faults?: readonly number[];
    /** Which probes the answer has, if they are passed. */
    readonly probes?: readonly number[] | "all";
  };

/** The result of a request. */
export interface Answer {
  /** Why it failed; undefined when it did not. */
  readonly failure?: string | undefined;
  /** The names of the tests in a file. Those that are ignored have none. */
  readonly tests?: readonly (string | null)[];
  /** The faults that were on, and passed. */
  readonly hits: readonly number[];
  /** The probes that were passed, of those that were asked for; of a file that loads, all. */
  readonly passed: readonly number[];
  /** Its duration, in milliseconds. */
  readonly ms: number;
}

/** The beginning of each answer, since tests may print as well. */
export const MARK = "\u0001answer ";

/** A fault that is passed so often more than usual makes a loop that never ends. */
const MOST_HITS = 2_000_000;

/** The context of a test, as far as tests use it. */
interface Context {
  /** Its name. */
  name: string;
  /** Runs a part of it. */
  step(name: string, part: (context: Context) => unknown): Promise<boolean>;
}

/** A test that has been registered. */
interface Test {
  /** Its name. */
  name: string;
  /** Whether it is left out. */
  ignore?: boolean;
  /** What it does. */
  fn(context: Context): unknown;
}

/** Tests may replace it. */
const sleep = setTimeout;

/** The tests of each file. */
const files = new Map<string, Test[]>();
/** The tests of the file that loads. */
let loading: Test[] = [];
/** The faults that are on. */
let active: ReadonlySet<number> = new Set();
/** How often they were passed. */
let times = 0;
/** The faults that were passed since the last answer. */
let hits = new Set<number>();
/** The probes that were passed since then: a one at the number of each. */
const passed = new Uint8Array(1 << 18);
/** An error that no test has caught. */
let uncaught: unknown;

/** Whether a fault is on: what each switch calls. */
function isFaultOn(id: number): boolean {
  if (!active.has(id)) return false;
  hits.add(id);
  if (++times > MOST_HITS) throw new Error("The fault makes an endless loop");
  return true;
}

/** Registers a test, in each of the forms of `Deno.test()`. */
function register(...args: unknown[]): void {
  const test: Partial<Test> = {};
  for (const arg of args) {
    if (typeof arg === "string") test.name = arg;
    else if (typeof arg === "function") test.fn = (context) => arg(context);
    else Object.assign(test, arg);
  }
  const { fn, name = fn?.name ?? "", ignore = false } = test;
  if (fn !== undefined) loading.push({ name, ignore, fn });
}

/** The context of a test. */
function contextOf(name: string): Context {
  return {
    name,
    async step(part, fn) {
      await fn(contextOf(part));
      return true;
    },
  };
}

/** Loads a test file. */
async function load(file: string): Promise<Test[]> {
  const known = files.get(file);
  if (known !== undefined) return known;
  loading = [];
  await import(new URL(file, `file://${Deno.cwd()}/`).href);
  files.set(file, loading);
  return loading;
}

/** The numbers of the probes that were passed. */
function allPassed(): number[] {
  const numbers: number[] = [];
  for (let at = passed.indexOf(1); at >= 0; at = passed.indexOf(1, at + 1)) numbers.push(at);
  return numbers;
}

/** What the answer to a request says of itself. */
type Outcome = Pick<Answer, "failure" | "tests">;

/** Does what a request asks for. */
async function answer(request: Request): Promise<Outcome> {
  const tests = await load(request.file);
  if (request.do === "load") {
    return { tests: tests.map(({ name, ignore }) => ignore ? null : name) };
  }
  const isIt = (test: Test | undefined) => test?.name === request.name;
  const test = isIt(tests[request.test]) ? tests[request.test] : tests.find(isIt);
  // It is gone since it was measured, with a change of what its file imports.
  if (test === undefined) return {};
  passed.fill(0);
  active = new Set(request.faults);
  await test.fn(contextOf(test.name));
  // What nobody waits for may still fail.
  await new Promise((wake) => sleep(wake, 0));
  if (uncaught !== undefined) throw uncaught;
  return {};
}

/** Answers all requests. */
async function main(): Promise<void> {
  Object.defineProperty(globalThis, "__isFaultOn", { value: isFaultOn });
  Object.defineProperty(globalThis, "__passed", { value: passed });
  Object.defineProperty(Deno, "test", { value: register });
  const exit = () => {
    throw new Error("A test may not end the program");
  };
  Object.defineProperty(Deno, "exit", { value: exit });
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    uncaught ??= event.reason ?? "rejected";
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    uncaught ??= event.error ?? event.message;
  });
  const clock = performance.now.bind(performance);
  const write = Deno.stdout.writeSync.bind(Deno.stdout);
  const { env } = Deno;
  const before = env.toObject();
  let rest = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      [uncaught, times, hits] = [undefined, 0, new Set()];
      passed.fill(0);
      const request: Request = JSON.parse(line);
      const began = clock();
      let result: Outcome;
      try {
        result = await answer(request);
      } catch (error) {
        result = { failure: String(error instanceof Error ? error.stack : error) };
      }
      const ms = clock() - began;
      active = new Set();
      const wanted = request.do === "load" ? "all" : request.probes ?? [];
      const full: Answer = {
        ...result,
        hits: [...hits],
        passed: wanted === "all" ? allPassed() : wanted.filter((id) => passed[id] === 1),
        ms,
      };
      // A test that failed may not have tidied up.
      for (const name of Object.keys(env.toObject())) {
        if (before[name] === undefined) env.delete(name);
      }
      for (const [name, value] of Object.entries(before)) env.set(name, value);
      write(new TextEncoder().encode(`\n${MARK}${JSON.stringify(full)}\n`));
    }
  }
}

if (import.meta.main) await main();
