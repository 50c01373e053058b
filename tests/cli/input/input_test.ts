import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { join } from "node:path";
import { fc } from "../../support/properties.ts";
import {
  checkDateRange,
  denoFiles,
  type Files,
  parseCount,
  parseDate,
  parseDuration,
  parsePairs,
} from "../../../lib/cli/input/input.ts";
import { readJsonFile } from "../../../lib/cli/input/json_file.ts";
import { Cancelled, UsageError } from "../../../lib/errors.ts";

/** A standard input with the given bytes, and a record of the notes. */
function piped(...chunks: (string | Uint8Array)[]): Files & { said: string[] } {
  const bytes = chunks.map((it) => typeof it === "string" ? new TextEncoder().encode(it) : it);
  const said: string[] = [];
  return {
    readFile: () => Promise.reject(new Error("not this one")),
    stdin: () => ReadableStream.from(bytes),
    stdinIsTerminal: false,
    say: (text) => said.push(text),
    said,
  };
}

/** The error message for this text as JSON. */
async function refusalOf(...chunks: (string | Uint8Array)[]): Promise<string> {
  try {
    await readJsonFile(piped(...chunks), "-");
  } catch (error) {
    ok(error instanceof UsageError, String(error));
    return error.message.replace("Cannot read standard input: ", "");
  }
  return "none";
}

/** Runs something with the path of a folder that is gone afterwards. */
async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a JSON file is read, also with a byte order mark and in Unicode", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "ä b.json");
    await Deno.writeTextFile(path, '\ufeff{"name": "Größe 😀", "n": [1, 0.10, null]}\n');
    const files = denoFiles(() => {});
    deepStrictEqual(await readJsonFile(files, path), { name: "Größe 😀", n: [1, 0.1, null] });
  });
});

Deno.test("a file that cannot be read is named with the reason", async () => {
  await inFolder(async (folder) => {
    const files = denoFiles(() => {});
    const missing = join(folder, "missing.json");
    await rejects(readJsonFile(files, missing), {
      name: "UsageError",
      message: `Cannot read ${JSON.stringify(missing)}: no such file`,
    });
    await rejects(readJsonFile(files, folder), /: it is a directory$/);
    await rejects(readJsonFile(files, "a\0b"), UsageError);
    await rejects(readJsonFile(files, ""), UsageError);
  });
});

Deno.test("a file that may not be read is refused with the reason", async () => {
  const denied = new Deno.errors.PermissionDenied("os error 13");
  const files = { ...piped(), readFile: () => Promise.reject(denied) };
  await rejects(readJsonFile(files, "secret.json"), {
    message: 'Cannot read "secret.json": permission denied',
  });
});

Deno.test("piped JSON is read completely in any chunks, without a note", async () => {
  const text = '{"name":"Grüße 😀"}';
  const bytes = [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte));
  const files = piped(...bytes);
  deepStrictEqual(await readJsonFile(files, "-"), { name: "Grüße 😀" });
  deepStrictEqual(files.said, []);
});

Deno.test("on a terminal the wait for input is announced before anything is read", async () => {
  const events: string[] = [];
  const files: Files = {
    ...piped(),
    stdinIsTerminal: true,
    say: (text) => events.push(text),
    stdin: () => {
      events.push("read");
      return ReadableStream.from([new TextEncoder().encode("{}")]);
    },
  };
  deepStrictEqual(await readJsonFile(files, "-"), {});
  match(events[0] ?? "", /^Reading JSON from standard input; end with Ctrl-/);
  strictEqual(events[1], "read");
});

Deno.test("a file on a terminal is read without an announcement", async () => {
  const events: string[] = [];
  const files: Files = {
    ...piped(),
    stdinIsTerminal: true,
    say: (text) => events.push(text),
    readFile: () => Promise.resolve(ReadableStream.from([new TextEncoder().encode("{}")])),
  };
  await readJsonFile(files, "./-");
  deepStrictEqual(events, []);
});

Deno.test("a wait for input ends when the signal fires", async () => {
  const abort = new AbortController();
  const files: Files = { ...piped(), stdin: () => new ReadableStream(), signal: abort.signal };
  const reading = readJsonFile(files, "-");
  abort.abort();
  await rejects(reading, Cancelled);
});

Deno.test("an endless input is refused at 4 MiB", async () => {
  let given = 0;
  let left = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      given += 65536;
      controller.enqueue(new Uint8Array(65536).fill(32));
    },
    cancel: () => {
      left = true;
    },
  });
  await rejects(readJsonFile({ ...piped(), stdin: () => endless }, "-"), /exceeds 4 MiB$/);
  ok(left);
  ok(given <= 4 * 1024 * 1024 + 3 * 65536, String(given));
});

Deno.test("4 MiB are read, one byte more is refused", async () => {
  const body = `{"a":"${"x".repeat(4 * 1024 * 1024 - 8)}"}`;
  const read = await readJsonFile(piped(body), "-");
  strictEqual(String(read.a).length, 4 * 1024 * 1024 - 8);
  strictEqual(await refusalOf(body, " "), "it exceeds 4 MiB");
});

Deno.test("bytes that are not UTF-8 are refused, UTF-16 by name", async () => {
  strictEqual(await refusalOf('{"a":"', Uint8Array.of(0xe9), '"}'), "it is not UTF-8");
  strictEqual(await refusalOf('{"a":"\u00e9"}', Uint8Array.of(0xc3)), "it is not UTF-8");
  strictEqual(
    await refusalOf(Uint8Array.of(0xff, 0xfe, 0x7b, 0, 0x7d, 0)),
    "it is UTF-16, not UTF-8",
  );
});

Deno.test("a value that is not an object is refused with its position", async () => {
  const needed = "expected an object, found ";
  strictEqual(await refusalOf("\n [1]"), `line 2, column 2: ${needed}an array`);
  strictEqual(await refusalOf("null"), `line 1, column 1: ${needed}null`);
  strictEqual(await refusalOf('"{}"'), `line 1, column 1: ${needed}a string`);
  strictEqual(await refusalOf("12"), `line 1, column 1: ${needed}a number`);
  strictEqual(await refusalOf(" \n"), "it is empty");
});

Deno.test("a mistake in a file of secrets does not quote the file", async () => {
  ok(!(await refusalOf('{"shared_secret": "abc123" "x"}')).includes("abc123"));
});

Deno.test("a number that would be changed is refused with its position", async () => {
  strictEqual(
    await refusalOf('{"n": 9007199254740993}'),
    "line 1, column 7: the number 9007199254740993 would be sent as 9007199254740992",
  );
  strictEqual(
    await refusalOf('{\n"n": [1e400]}'),
    "line 2, column 7: the number 1e400 would be sent as Infinity",
  );
  for (
    const number of ["1e-400", "0.12345678901234567890123", "-18446744073709551615", "1.1e400"]
  ) {
    match(await refusalOf(`{"n":${number}}`), /would be sent as/, number);
  }
  for (
    const number of ["9007199254740992", "-0", "0.10", "1e5", "1.50E+2", "0.10000000000000001"]
  ) {
    deepStrictEqual(await readJsonFile(piped(`{"n":${number}}`), "-"), { n: Number(number) });
  }
});

Deno.test("too deep nesting is refused", async () => {
  match(await refusalOf(`{"a":${"[".repeat(1_000_000)}`), /column \d+: more than 500 levels/);
  const deep = `{"a":${"[".repeat(400)}${"]".repeat(400)}}`;
  strictEqual(JSON.stringify(await readJsonFile(piped(deep), "-")), deep);
});

Deno.test("a key named __proto__ is an ordinary key, and changes no prototype", async () => {
  const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
  const read = await readJsonFile(piped(text), "-");
  strictEqual(Reflect.get({}, "polluted"), undefined);
  strictEqual(Object.getPrototypeOf(read), Object.prototype);
  strictEqual(JSON.stringify({ ...read }), text);
});

Deno.test("a file with a repeated name is refused with its position", async () => {
  await rejects(readJsonFile(piped('{"a":1,\n"a":2}'), "-"), {
    message: 'Cannot read standard input: line 2, column 1: the name "a" appears twice',
  });
});

Deno.test("pairs are split at the first =, and values stay unchanged", () => {
  deepStrictEqual(parsePairs(["a=1", "b=", "c=x=y", "$e mail= ü😀\n", "__proto__=1"], "--set"), [
    ["a", "1"],
    ["b", ""],
    ["c", "x=y"],
    ["$e mail", " ü😀\n"],
    ["__proto__", "1"],
  ]);
  const key = fc.string({ minLength: 1, unit: "binary" }).filter((text) => !text.includes("="));
  fc.assert(fc.property(key, fc.string({ unit: "binary" }), (name, value) => {
    deepStrictEqual(parsePairs([`${name}=${value}`], "--set"), [[name, value]]);
  }));
});

Deno.test("a pair without = or without a key is refused with the flag", () => {
  throws(() => parsePairs(["a=1", "pro"], "--set"), {
    name: "UsageError",
    message: 'Cannot use "pro" for --set: it has no "="',
    hint: "Pass a name and a value: --set key=value",
  });
  throws(() => parsePairs(["=x"], "--filter"), /"=x" for --filter: it has no key$/);
  throws(() => parsePairs([""], "--filter"), UsageError);
});

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 31, 12);

Deno.test("durations follow the table: days, months of 30 days, years of 365 days", () => {
  const days: [string, number][] = [
    ["7d", 7],
    ["30d", 30],
    ["90d", 90],
    ["1m", 30],
    ["3m", 90],
    ["6m", 180],
    ["12m", 360],
    ["1y", 365],
    ["2y", 730],
    ["5y", 1825],
    ["forever", 36500],
    ["lifetime", 36500],
  ];
  for (const [text, count] of days) strictEqual(parseDuration(text, NOW), NOW + count * DAY, text);
});

Deno.test("other durations are refused with the valid forms", () => {
  for (const text of ["0d", "00m"]) {
    throws(() => parseDuration(text, NOW), /: it must be longer than zero$/);
  }
  const wrong = "01d -1d +1d 1.5m 1,5m 1h 1w 1 d d1 1dd 1D 1d1m 1e3d 0x1d １d ∞".split(" ");
  for (const text of [...wrong, "", "1 d", " 1d", "1d ", "1d\n", "Forever", "Infinityd", "NaNd"]) {
    throws(() => parseDuration(text, NOW), {
      name: "UsageError",
      message: `Cannot use ${JSON.stringify(text)} as a duration: it is not a duration`,
      hint: "Use forever, lifetime, or a number of days (30d), months (3m) or years (1y).",
    });
  }
});

Deno.test("a duration past the last date is refused, the last day is accepted", () => {
  const last = Math.floor((8.64e15 - NOW) / DAY);
  strictEqual(parseDuration(`${last}d`, NOW), NOW + last * DAY);
  for (
    const text of [`${last + 1}d`, "9999999m", "999999999999999999999y", `${"9".repeat(400)}d`]
  ) {
    throws(() => parseDuration(text, NOW), /: it ends after the last possible date$/, text);
  }
});

Deno.test("real days are accepted unchanged, others are refused with the flag", () => {
  for (const day of ["2026-01-31", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"]) {
    strictEqual(parseDate(day, "--start"), day);
  }
  for (
    const day of [
      "2026-02-30",
      "2026-02-29",
      "1900-02-29",
      "2026-13-01",
      "2026-00-10",
      "2026-04-31",
    ]
  ) {
    throws(() => parseDate(day, "--start"), {
      name: "UsageError",
      message: `Cannot use "${day}" for --start: there is no such day`,
    });
  }
  for (
    const day of [
      "",
      "today",
      "2026-1-1",
      "26-01-01",
      "2026/01/01",
      "2026-01-01T00:00:00Z",
      " 2026-01-01",
    ]
  ) {
    throws(() => parseDate(day, "--end"), /for --end: it must be written as YYYY-MM-DD$/, day);
  }
});

Deno.test("a span with its end before its start is refused, one day is a span", () => {
  checkDateRange("2026-01-31", "2026-01-31");
  checkDateRange("2025-12-31", "2026-01-01");
  checkDateRange(undefined, "2026-01-01");
  checkDateRange("2026-01-01", undefined);
  throws(() => checkDateRange("2026-01-02", "2026-01-01"), /the end is before the start$/);
});

Deno.test("counts are whole numbers within their bounds", () => {
  strictEqual(parseCount("1", "--limit", { min: 1, max: 100 }), 1);
  strictEqual(parseCount("100", "--limit", { min: 1, max: 100 }), 100);
  strictEqual(parseCount("0", "--position", { min: 0 }), 0);
  strictEqual(parseCount("9007199254740991", "--position", { min: 0 }), 2 ** 53 - 1);
  for (
    const text of [
      "",
      "-",
      "--1",
      "-1.0",
      "+1",
      "1.0",
      "1e2",
      "0x10",
      " 1",
      "1 ",
      "ten",
      "١",
      "Infinity",
    ]
  ) {
    throws(() => parseCount(text, "--limit", { min: 1, max: 100 }), {
      name: "UsageError",
      message: `Cannot use ${JSON.stringify(text)} for --limit: it is not a whole number`,
      hint: "Pass a whole number, 1 to 100.",
    });
  }
  throws(
    () => parseCount("101", "--limit", { min: 1, max: 100 }),
    /--limit: it must be between 1 and 100$/,
  );
  throws(() => parseCount("0", "--limit", { min: 1 }), /--limit: it must be 1 or more$/);
  throws(() => parseCount("-1", "--limit", { min: 1 }), /"-1" for --limit: it must be 1 or more$/);
  for (const text of ["9007199254740993", "9".repeat(400)]) {
    throws(() => parseCount(text, "--limit", { min: 1 }), /--limit: it is too large$/);
  }
});
