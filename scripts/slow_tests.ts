/**
 * Runs the tests and lists the slow ones: `deno task test:slow`, with files like `deno task test`.
 * A test that takes longer than three seconds delays everyone; longer ones belong to
 * `deno task test:long`.
 *
 * @module
 */

import { join } from "node:path";

/** The time above which a test is slow, in seconds. */
const LONG_S = 3;

/** A test with its duration. */
export interface TimedTest {
  /** Its file and line. */
  place: string;
  /** Its name. */
  name: string;
  /** Its duration, in seconds. */
  seconds: number;
}

/** Reads a JUnit report. Steps are part of their tests, and left out. */
export function readReport(xml: string): TimedTest[] {
  const all = [...xml.matchAll(/<testcase ([^>]*)>/g)].map(([, attributes = ""]) => {
    const values = new Map(
      [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", text = ""]) => [
        key,
        unescaped(text),
      ]),
    );
    const file = values.get("classname")?.replace(/^\.\//, "") ?? "";
    return {
      place: `${file}:${values.get("line")}`,
      name: values.get("name") ?? "",
      seconds: Number(values.get("time")),
    };
  });
  const names = new Set(all.map(({ place, name }) => `${fileOf(place)} ${name}`));
  return all.filter(({ place, name }) => {
    const parent = name.split(" > ").slice(0, -1).join(" > ");
    return parent === "" || !names.has(`${fileOf(place)} ${parent}`);
  });
}

/** The slow ones as lines, the slowest first. */
export function renderSlow(tests: readonly TimedTest[], longest = LONG_S): string[] {
  const slow = tests.filter(({ seconds }) => seconds > longest)
    .toSorted((a, b) => b.seconds - a.seconds);
  if (slow.length === 0) return [`No test takes longer than ${longest} seconds`];
  return [
    `Longer than ${longest} seconds:`,
    ...slow.map(({ place, name, seconds }) =>
      `${seconds.toFixed(1).padStart(6)} s  ${place}  ${name}`
    ),
  ];
}

/** The file in a place. */
function fileOf(place: string): string {
  return place.replace(/:\w+$/, "");
}

/** Text without the escapes of XML. */
function unescaped(text: string): string {
  const marks: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => marks[name] ?? "");
}

if (import.meta.main) {
  const folder = await Deno.makeTempDir();
  try {
    const report = join(folder, "report.xml");
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["task", "--quiet", "test", `--junit-path=${report}`, ...Deno.args],
    }).spawn().status;
    const tests = readReport(await Deno.readTextFile(report));
    for (const line of renderSlow(tests)) console.log(line);
    Deno.exitCode = code;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
