/**
 * Deliveries to a receiver that takes everything at once, against a loop that posts the same bodies
 * and keeps no account of anything.
 *
 * @module
 */

import { join } from "node:path";
import { deliverKilled, eventRow } from "./delivery.ts";
import { elapsed, type Finding, type Measured, median, ratioOf } from "./measure.ts";

/** How many deliveries the service has under way to one receiver. */
const AT_A_TIME = 32;

/** Measures how many deliveries per second there are, and how many bare requests. */
export async function measureDeliverySpeed(
  { folder, events, rounds }: { folder: string; events: number; rounds: number },
): Promise<Measured> {
  const samples = { ours: [] as number[], loop: [] as number[], wide: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const place = join(folder, `round${round}`);
    await Deno.mkdir(place);
    const run = { folder: place, events, kill: { requests: Infinity }, fails: 0 };
    const { sending, faults } = await deliverKilled(run);
    if (faults.length > 0) throw new Error(`Cannot trust the deliveries: ${faults[0]}`);
    samples.ours.push(events / sending);
    samples.loop.push(await postBarely(events, 1));
    samples.wide.push(await postBarely(events, AT_A_TIME));
  }
  const against = (base: number[], who: string): Finding => ({
    what: `Deliveries per second, against a loop of bare POSTs, ${who}`,
    ours: median(samples.ours).toFixed(0),
    base: `${median(base).toFixed(0)}, bare`,
    ...ratioOf(samples.ours, base),
    better: "more",
  });
  return {
    method:
      `${events} events in a file, to a receiver that takes each at once, ${rounds} rounds. ` +
      "The service signs each delivery, has it on disk that it is under way, sends it, and has its " +
      "outcome on disk; " +
      `it has up to ${AT_A_TIME} under way. The loop only sends bodies of the same size.`,
    findings: [
      { ...against(samples.loop, "1 at a time"), budget: { atLeast: 0.4 } },
      against(samples.wide, `${AT_A_TIME} at a time`),
    ],
  };
}

/** Posts bodies and reads the answers, some at a time. Returns how many per second. */
async function postBarely(events: number, atATime: number): Promise<number> {
  const { payload: body } = eventRow("proj", 1, 1, "customer 1");
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    await request.text();
    return new Response("");
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const headers = { "Content-Type": "application/json" };
  let left = events;
  const ms = await elapsed(() =>
    Promise.all(Array.from({ length: atATime }, async () => {
      while (left-- > 0) await (await fetch(url, { method: "POST", headers, body })).text();
    }))
  );
  await server.shutdown();
  return events / ms * 1000;
}
