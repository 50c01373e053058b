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
    readonly faults?: readonly number[];
  };

/** The result of a request. */
export interface Answer {
  /** Why it failed; undefined when it did not. */
  readonly failure?: string | undefined;
  /** The names of the tests in a file. Those that are ignored have none. */
  readonly tests?: readonly (string | null)[];
  /** The numbers of the switches that were passed without a fault, or of the faults that were. */
  readonly hits: readonly number[];
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
/** The switches that were passed since the last answer. */
let hits = new Set<number>();
/** An error that no test has caught. */
let uncaught: unknown;

/** Whether a fault is on: what each switch calls. */
function isFaultOn(id: number): boolean {
  const isOn = active.has(id);
  if (isOn || active.size === 0) hits.add(id);
  if (!isOn) return false;
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

/** Does what a request asks for. */
async function answer(request: Request): Promise<Omit<Answer, "hits" | "ms">> {
  const tests = await load(request.file);
  if (request.do === "load") {
    return { tests: tests.map(({ name, ignore }) => ignore ? null : name) };
  }
  const test = tests[request.test];
  if (test === undefined) throw new RangeError("Cannot run a test: there is no such test");
  hits = new Set();
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
      [uncaught, times] = [undefined, 0];
      const began = clock();
      let result: Omit<Answer, "hits" | "ms">;
      try {
        result = await answer(JSON.parse(line));
      } catch (error) {
        result = { failure: String(error instanceof Error ? error.stack : error) };
      }
      active = new Set();
      // A test that failed may not have tidied up.
      for (const name of Object.keys(env.toObject())) {
        if (before[name] === undefined) env.delete(name);
      }
      for (const [name, value] of Object.entries(before)) env.set(name, value);
      const full: Answer = { ...result, hits: [...hits], ms: clock() - began };
      write(new TextEncoder().encode(`\n${MARK}${JSON.stringify(full)}\n`));
      hits = new Set();
    }
  }
}

if (import.meta.main) await main();
