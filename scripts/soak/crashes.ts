/**
 * Kills, and a full disk.
 *
 * @module
 */

import { join } from "node:path";
import { lostOf, startLoad } from "./load.ts";
import { type Service, startService } from "./service.ts";
import type { Figures } from "./figures.ts";

/** Kills a service under load, and checks that it has all acknowledged changes. */
export async function killUnderLoad(folder: string, figures: Figures): Promise<void> {
  const service = await needed(folder);
  const load = startLoad(service);
  await pause(500 + Math.random() * 2500);
  figures.peak(service.peak());
  await service.kill();
  await load.stop();
  await check("kills", folder, load.acknowledged, figures);
  figures.reads("kills", load.times);
}

/**
 * Lets a service write until its files cannot grow, and checks that it has all acknowledged
 * changes.
 */
export async function fillDisk(figures: Figures): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "soak" });
  // A first start on a full disk leaves nothing for a later start to trust.
  await (await startService(folder, { fileBlocks: 0 }))?.kill();
  const empty = await Deno.stat(join(folder, "admin.secret")).then(
    ({ size }) => size === 0,
    () => false,
  );
  if (empty) figures.wrong("a first start on a full disk left an empty admin.secret");
  await (await needed(folder)).kill();
  const { size } = await Deno.stat(join(folder, "service.db"));
  const service = await startService(folder, { fileBlocks: Math.ceil(size / 512) + 4096 });
  if (!service) return figures.skip("full disk: this system cannot limit a file's size");
  const load = startLoad(service);
  await pause(8000);
  await load.stop();
  const refused = [...load.refused].map(([status, count]) => `${count} × ${status}`).join(", ");
  if (refused === "") figures.wrong("full disk: nothing was refused, so the disk was not full");
  figures.note("full disk", `refused: ${refused}`);
  await service.kill();
  await check("full disk", folder, load.acknowledged, figures);
  await Deno.remove(folder, { recursive: true });
}

/** Restarts a service and finds missing acknowledged writes. */
async function check(
  what: string,
  folder: string,
  acknowledged: readonly string[],
  figures: Figures,
): Promise<void> {
  const again = await startService(folder);
  if (!again) return figures.wrong(`${what}: the service did not start again`);
  figures.writes(what, acknowledged.length, (await lostOf(again, acknowledged)).length);
  figures.peak(again.peak());
  await again.kill();
}

/** A service, which must start. */
async function needed(folder: string): Promise<Service> {
  const service = await startService(folder);
  if (!service) throw new Error(`the service does not start on ${folder}`);
  return service;
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
