/**
 * Requests at random to everything that the service has: how it bears them.
 *
 * @module
 */

import { join } from "node:path";
import { fillSite } from "../../tests/support/request_fill.ts";
import { sendGenerated, type Site, type Tally } from "../../tests/support/generated_requests.ts";
import { createStock } from "../../tests/support/request_stock.ts";
import { peakMemory } from "./child.ts";
import { elapsed, type Measured, megabytes, plain } from "./measure.ts";
import { startService } from "./programs.ts";

/** How many requests are under way at a time. */
const AT_A_TIME = 8;

/** How many requests a service gets before the next one takes its place, with everything new. */
const EACH = 20_000;

/** The memory that a service has had, in bytes; undefined where the system does not tell. */
interface Memory {
  /** At the beginning, at most. */
  before: number | undefined;
  /** Until the end, at most. */
  peak: number | undefined;
}

/** Sends requests to services in processes of their own. Throws at the first that is their fault. */
export async function measureRequests(
  options: { requests: number; folder: string; env: Record<string, string> },
): Promise<Measured> {
  const { requests, folder, env } = options;
  const tally: Tally = new Map();
  const memories: Memory[] = [];
  let ms = 0;
  for (let left = requests; left > 0; left -= EACH) {
    const part = Math.min(left, EACH);
    ms += await elapsed(async () => {
      memories.push(await sendPart(join(folder, String(left)), env, part, tally));
    });
  }
  const memory = { before: mostOf(memories, "before"), peak: mostOf(memories, "peak") };
  return {
    method:
      `${requests} random requests, ${AT_A_TIME} at a time, to a service in its own process, ` +
      `with a new service after each ${EACH}: to every route in turn, half of them intended ` +
      "as valid and half with faults. Every answer is checked against the service's own " +
      "document. A status of 500 or above, or no answer within 30 seconds, ends the run.",
    findings: findings(tally, requests, ms, memory),
  };
}

function mostOf(memories: readonly Memory[], which: keyof Memory): number | undefined {
  const known = memories.map((one) => one[which]).filter((bytes) => bytes !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Sends requests to one service. */
async function sendPart(
  folder: string,
  env: Record<string, string>,
  requests: number,
  tally: Tally,
): Promise<Memory> {
  const receiver = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(),
  );
  await using service = await startService(folder, env, "--webhook-targets", "loopback");
  const site: Site = {
    base_url: service.base_url,
    credentials: { token: service.access_token, admin: service.admin_secret, key: "" },
    stock: createStock(),
    fetch: (request) => fetch(request),
  };
  await fillSite(site, service.project_id, `http://127.0.0.1:${receiver.addr.port}/`);
  const before = await peakMemory(service.pid);
  await sendGenerated(site, { requests, atATime: AT_A_TIME, tally, round: 0 });
  const peak = await peakMemory(service.pid);
  await receiver.shutdown();
  return { before, peak };
}

function findings(
  tally: Tally,
  requests: number,
  ms: number,
  memory: Memory,
) {
  const classes = new Map<number, number>();
  let missed = 0;
  for (const counts of tally.values()) {
    let done = 0;
    for (const [status, times] of counts) {
      const hundred = Math.floor(status / 100);
      classes.set(hundred, (classes.get(hundred) ?? 0) + times);
      if (hundred < 4) done += times;
    }
    if (done === 0) missed++;
  }
  if (classes.has(5)) throw new Error(`The service failed ${classes.get(5)} times`);
  return [
    plain("Requests", String(requests)),
    plain("The run, including starts, generation and checks", `${(ms / 1000).toFixed(1)} s`),
    plain("Requests per second", (requests / ms * 1000).toFixed(0)),
    ...[2, 3, 4, 5].map((hundred) =>
      plain(`Answered with ${hundred}xx`, String(classes.get(hundred) ?? 0))
    ),
    plain("Routes requested", String(tally.size)),
    plain("Of them without a success", String(missed)),
    plain("Memory of a service, before", megabytes(memory.before)),
    plain("Memory of a service, peak", megabytes(memory.peak)),
  ];
}
