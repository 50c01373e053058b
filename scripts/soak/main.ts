/**
 * A soak: the service under repeated kills, power cuts, a full disk, hostile receivers and clients
 * and a thousand slow connections, with one table of figures at the end. It fails when an
 * acknowledged write is lost or a limit is exceeded.
 *
 *     deno task soak [--minutes N]
 *
 * @module
 */

import { parseArgs } from "node:util";
import { fillDisk, killUnderLoad } from "./crashes.ts";
import { createFigures, type Figures } from "./figures.ts";
import { feedHostileReceivers, holdSlowConnections, sendHostileRequests } from "./hostile.ts";
import { cutPower } from "./power.ts";
import { startService } from "./service.ts";

/** The default duration of a soak, in minutes. */
const MINUTES = 10;

/** Slow connections at a time, and for how many seconds: longer than any limit on a head or body. */
const SLOW = { count: 1000, seconds: 40 };

/** The duration of each hostile attack, of which there are two, as a part of the whole time. */
const HOSTILE_SHARE = 0.06;

if (import.meta.main) Deno.exitCode = await main(Deno.args);

/** Runs the soak. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { minutes: { type: "string" } } });
  const minutes = Number(values.minutes ?? MINUTES);
  if (!(minutes > 0)) {
    console.error(`Cannot soak for ${JSON.stringify(values.minutes)}: not a number of minutes`);
    return 2;
  }
  if (Deno.build.os === "windows") {
    console.error("SKIPPED the soak: it needs signals and limits that Windows does not have");
    return 0;
  }
  const figures = createFigures();
  const folder = await Deno.makeTempDir({ prefix: "soak" });
  const end = Date.now() + minutes * 60_000;
  let fine = false;
  try {
    const seconds = minutes * 60 * HOSTILE_SHARE;
    await besideHostility(folder, figures, { seconds });
    await fillDisk(figures);
    const middle = Date.now() + (end - Date.now()) / 2;
    for (let isFirstHalf = true; Date.now() < end;) {
      await killUnderLoad(folder, figures);
      await cutPower(folder, figures);
      if (!isFirstHalf || Date.now() < middle) continue;
      isFirstHalf = false;
      await besideHostility(folder, figures, { seconds });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
    fine = figures.judge();
    console.log(figures.table());
  }
  return fine ? 0 : 1;
}

/** The attacks during which one service must keep running. */
async function besideHostility(
  folder: string,
  figures: Figures,
  time: { seconds: number },
): Promise<void> {
  const service = await startService(folder);
  if (!service) return figures.wrong("the service did not start");
  try {
    await sendHostileRequests(service, figures, time);
    await feedHostileReceivers(service, figures, time);
    await holdSlowConnections(service, figures, SLOW);
    const { status } = await fetch(`${service.baseUrl}/health`);
    if (status !== 200) figures.wrong(`/health answers ${status} after the run`);
  } catch (error) {
    figures.wrong(`the service has ended: ${error instanceof Error ? error.message : error}`);
  } finally {
    await service.kill();
  }
}
