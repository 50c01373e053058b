/**
 * The check of the local service's data.
 *
 * @module
 */

import { join } from "node:path";
import type { Context } from "../context.ts";
import { folderOf } from "../local/local_service.ts";
import { DATABASE } from "../local/databases.ts";
import { doubtful, failed, type Finding, runCheck, type Verdict } from "./finding.ts";

/**
 * Checks the access to the service's data: a database on a server if the environment names one, else a
 * data folder. It changes nothing.
 */
export async function checkData(context: Context, data: string | undefined): Promise<Finding[]> {
  const address = data === undefined ? context.around.env(DATABASE) : undefined;
  if (address) {
    const { checkDatabase } = await import("./database.ts");
    return await checkDatabase(context, address);
  }
  if (data === undefined && !context.around.home) return [];
  return [await runCheck("service data", () => dataVerdict(folderOf(context, data)))];
}

async function dataVerdict(folder: string): Promise<Verdict> {
  const { DATABASE: file } = await import("../../service/store/data_folder.ts");
  const there = await Deno.stat(join(folder, file)).then(() => true, () => false);
  if (!there) return `no local service has run in ${folder}`;
  const { exposures } = await import("../../service/store/exposure.ts");
  const open = await exposures(folder);
  const [worst] = open;
  if (!worst) return `only you can open ${folder}`;
  const detail = `${worst.path}: ${worst.why}`;
  const fix = `Run: ${open.map((one) => one.fix).join(" && ")}`;
  return worst.fatal ? failed(detail, fix) : doubtful(detail, fix);
}
