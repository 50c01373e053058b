/**
 * Measures what design and users care about against budgets, and writes RESULTS.md beside this file.
 *
 * Run it as `deno task bench`, or as `deno task bench http charts` to measure only some sections: the
 * others stay in RESULTS.md as they are. `--quick` takes minutes, shows that it still works, and does not
 * change RESULTS.md. `--note "at real-time priority"` is added to what each section says of its machine.
 *
 * `--save run.json` stores the run; later, `--compare run.json` prints what has become slower by more
 * than its noise, and then exits with code 1. Compare runs of one machine and of one size only.
 *
 * @module
 */

import { cpus, release, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { homeAt, inTemporaryFolder } from "./child.ts";
import { readRun, slowerThan, type StoredRun } from "./compare.ts";
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

/** Measures what the words say, and prints it. */
async function main(words: string[]): Promise<void> {
  const { values: { quick, note, save, compare }, positionals } = parseArgs({
    args: words,
    options: {
      quick: { type: "boolean" },
      note: { type: "string" },
      save: { type: "string" },
      compare: { type: "string" },
    },
    allowPositionals: true,
  });
  // A file that cannot be read is refused before anything is measured.
  const before = compare === undefined ? undefined : await storedRun(compare);
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
  if (save !== undefined) await Deno.writeTextFile(save, JSON.stringify({ sections }, null, 2));
  const over = sections.flatMap(({ findings }) => findings)
    .filter(({ value, budget }) => value !== undefined && budget && !keeps(value, budget));
  for (const { what } of over) console.error(`Over budget: ${what}`);
  if (!before) return;
  const slower = slowerThan(before, { sections });
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
