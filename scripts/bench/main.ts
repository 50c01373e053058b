/**
 * Measures what design and users care about against budgets, and writes RESULTS.md beside this file.
 *
 * Run it as `deno task bench`, or as `deno task bench http charts` to measure only some sections: the
 * others stay in RESULTS.md as they are. `--quick` only shows that it still works, and writes nothing;
 * `--note "at real-time priority"` is added to what each section says of its machine.
 *
 * @module
 */

import { cpus, release, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { homeAt, inTemporaryFolder } from "./child.ts";
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
  const { values: { quick, note }, positionals } = parseArgs({
    args: words,
    options: { quick: { type: "boolean" }, note: { type: "string" } },
    allowPositionals: true,
  });
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
    const before = await Deno.readTextFile(file).catch(() => "");
    await Deno.writeTextFile(file, renderResults(titles, sections, before));
  }
  const over = sections.flatMap(({ findings }) => findings)
    .filter(({ value, budget }) => value !== undefined && budget && !keeps(value, budget));
  for (const { what } of over) console.error(`Over budget: ${what}`);
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
