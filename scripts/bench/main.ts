/**
 * Measures what design and users care about against budgets, and writes RESULTS.md beside this file.
 *
 * Run it as `deno task bench`; `--help` lists the words that it takes.
 *
 * @module
 */

import { cpus, release, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { homeAt, inTemporaryFolder } from "./child.ts";
import { compareRuns, readRun, type StoredRun } from "./compare.ts";
import { keeps, type Section } from "./measure.ts";
import { renderResults } from "./results.ts";
import {
  type BenchSize,
  FULL,
  QUICK,
  type SectionPlan,
  SECTIONS,
  sectionsNamed,
} from "./sections.ts";

/** Measures sections. `tell` hears what is being measured, and says where that is. */
export async function bench(
  plans: readonly SectionPlan[],
  size: BenchSize,
  tell: (what: string) => string,
): Promise<Section[]> {
  return await inTemporaryFolder(async (folder) => {
    const env = await homeAt(folder);
    const sections: Section[] = [];
    for (const { name, title, measure } of plans) {
      const place = tell(title);
      const room = { folder: join(folder, name), env };
      await Deno.mkdir(room.folder);
      sections.push({ title, place, ...await measure(size, room) });
      // What is measured next may need the room on the disk.
      await Deno.remove(room.folder, { recursive: true });
    }
    return sections;
  });
}

/** The machine, the day, and how busy it is with other work, in one line. */
function machine(): string {
  const [first] = cpus();
  const [load = 0] = Deno.loadavg();
  const system = `${type()} ${release().split(/[-+]/)[0]}`;
  const day = new Date().toISOString().slice(0, 10);
  return `${first?.model ?? "an unknown processor"}, ${cpus().length} cores, ${system}, ` +
    `Deno ${Deno.version.deno}, ${day}, load ${load.toFixed(1)} before it`;
}

const HELP = `Measure against the budgets, and write scripts/bench/RESULTS.md

Usage: deno task bench [flags] [SECTION…]

Without sections it measures all. The others stay in RESULTS.md as they are.

Sections:
${SECTIONS.map(({ name, title }) => `  ${name.padEnd(11)} ${title}`).join("\n")}

Flags:
  --quick         Take minutes, show that it still works, and do not change RESULTS.md
  --note TEXT     Add a text to the machine of each section: --note "at real-time priority"
  --save FILE     Store the run
  --compare FILE  Print what has become slower than in a stored run by more than its noise, and exit
                  with code 1 then. Compare runs of one machine only
  -h, --help      Print this help`;

/** Reads the words of the command line. */
function wordsIn(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        help: { type: "boolean", short: "h" },
        quick: { type: "boolean", default: false },
        note: { type: "string" },
        save: { type: "string" },
        compare: { type: "string" },
      },
      allowPositionals: true,
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [problem] = error.message.split(". ");
    throw new RangeError(`${problem}\n\n${HELP}`);
  }
}

/** Measures what the words say, and prints it. */
async function main(words: string[]): Promise<void> {
  const { values: { help, quick, note, save, compare }, positionals } = wordsIn(words);
  if (help) return console.log(HELP);
  // A file that cannot be compared is refused before anything is measured.
  const before = compare === undefined ? undefined : await storedRun(compare);
  if (before && before.quick !== quick) {
    throw new RangeError("Cannot compare a run of --quick with a full one");
  }
  const sections = await bench(
    sectionsNamed(positionals),
    quick ? QUICK : FULL,
    (what) => {
      console.error(`Measuring: ${what}`);
      return machine() + (note === undefined ? "" : `, ${note}`);
    },
  );
  const file = fileURLToPath(import.meta.resolve("./RESULTS.md"));
  const titles = SECTIONS.map(({ title }) => title);
  console.log(renderResults(titles, sections, ""));
  if (!quick) {
    const text = await Deno.readTextFile(file).catch(() => "");
    await Deno.writeTextFile(file, renderResults(titles, sections, text));
  }
  if (save !== undefined) {
    await Deno.writeTextFile(save, JSON.stringify({ quick, sections }, null, 2));
  }
  const over = sections.flatMap(({ findings }) => findings)
    .filter(({ value, budget }) => value !== undefined && budget && !keeps(value, budget));
  for (const { what } of over) console.error(`Over budget: ${what}`);
  if (!before) return;
  const { slower, leftOut } = compareRuns(before, { quick, sections });
  if (leftOut > 0) console.error(`Left out: rows that only one of the runs has: ${leftOut}`);
  for (const line of slower) console.error(`Slower: ${line}`);
  if (slower.length > 0) Deno.exitCode = 1;
  else console.error("Nothing became slower by more than its noise");
}

/** The run in a file. */
async function storedRun(file: string): Promise<StoredRun> {
  const text = await Deno.readTextFile(file).catch((error: Error) => {
    throw new RangeError(`Cannot read the run ${JSON.stringify(file)}: ${error.message}`);
  });
  return readRun(file, text);
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(error.message);
    Deno.exitCode = 2;
  }
}
