/**
 * Ends that nobody has asked for: kills, power cuts, and a full disk.
 *
 * @module
 */

import { join } from "node:path";
import { lostOf, startLoad } from "./load.ts";
import { type Service, startService } from "./service.ts";
import type { Figures } from "./figures.ts";

/** Kills a service under load, and looks whether it has all that it has acknowledged. */
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
 * Stops a service in its tracks and copies its files as they are, then cuts a random tail that is no
 * whole frame onto the copy's log, as a power cut may leave it. What was acknowledged must be there.
 */
export async function cutPower(folder: string, figures: Figures): Promise<void> {
  const service = await needed(folder);
  const load = startLoad(service);
  await pause(300 + Math.random() * 1200);
  const known = [...load.acknowledged];
  service.signal("SIGSTOP");
  const copy = await Deno.makeTempDir({ prefix: "soak" });
  for (const name of ["service.db", "service.db-wal", "admin.secret"]) {
    await Deno.copyFile(join(folder, name), join(copy, name));
  }
  service.signal("SIGCONT");
  await load.stop();
  await service.kill();
  const torn = crypto.getRandomValues(new Uint8Array(Math.floor(Math.random() * 4000)));
  await Deno.writeFile(join(copy, "service.db-wal"), torn, { append: true });
  await check("power cuts", copy, known, figures);
  await Deno.remove(copy, { recursive: true });
}

/** Lets a service write until its files may not grow, and looks whether it has what it acknowledged. */
export async function fillDisk(figures: Figures): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "soak" });
  // A first start on a full disk leaves nothing that a later one would trust.
  await (await startService(folder, 0))?.kill();
  const empty = await Deno.stat(join(folder, "admin.secret")).then(
    ({ size }) => size === 0,
    () => false,
  );
  if (empty) figures.wrong("a first start on a full disk left an empty admin.secret");
  await (await needed(folder)).kill();
  const { size } = await Deno.stat(join(folder, "service.db"));
  const service = await startService(folder, Math.ceil(size / 512) + 4096);
  if (!service) return figures.skip("full disk: this system cannot limit a file's size");
  const load = startLoad(service);
  await pause(8000);
  await load.stop();
  const refused = [...load.refused].map(([status, count]) => `${count} × ${status}`).join(", ");
  figures.note("full disk", refused === "" ? "the limit was not reached" : `refused: ${refused}`);
  await service.kill();
  await check("full disk", folder, load.acknowledged, figures);
  await Deno.remove(folder, { recursive: true });
}

/** Starts a service again and looks what of the acknowledged writes it lacks. */
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
