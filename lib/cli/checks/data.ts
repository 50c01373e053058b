/**
 * The check of the local service's usual data folder.
 *
 * @module
 */

import { join } from "node:path";
import type { Surroundings } from "../../config/surroundings.ts";
import { doubtful, failed, type Finding, runCheck, type Verdict } from "./finding.ts";

/** Checks who can open the data of the local service. It changes nothing. */
export async function checkData({ home }: Pick<Surroundings, "home">): Promise<Finding[]> {
  if (!home) return [];
  return [await runCheck("service data", () => dataVerdict(join(home, ".cli", "service")))];
}

async function dataVerdict(folder: string): Promise<Verdict> {
  const { DATABASE, exposures } = await import("../../service/store/data_folder.ts");
  const there = await Deno.stat(join(folder, DATABASE)).then(() => true, () => false);
  if (!there) return "no local service has run here";
  const open = await exposures(folder);
  const [worst] = open.filter(({ writable }) => writable).concat(open);
  if (!worst) return `only you can open ${folder}`;
  const detail = `others can ${worst.writable ? "change" : "open"} ${worst.path} ` +
    `(mode ${worst.mode})`;
  const fix = `Run: ${open.map((one) => one.fix).join(" && ")}`;
  return worst.writable ? failed(detail, fix) : doubtful(detail, fix);
}
