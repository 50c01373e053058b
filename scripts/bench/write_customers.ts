/**
 * Creates and deletes customers until its standard input ends, then prints how many. Takes its job as
 * JSON, and prints a line when it has begun.
 *
 * @module
 */

import { type Client, createClient } from "../../lib/client.ts";
import { createCustomer, deleteCustomer } from "../../lib/resources/customers.ts";
import { customerId, type Job, VOLATILE, type Written } from "./customers.ts";

/** How many requests are under way at a time. */
const AT_A_TIME = 2;

/** Writes until told to stop. `begun` is called once something of both kinds is done. */
async function write(job: Job, stop: Promise<unknown>, begun: () => void): Promise<Written> {
  const client = createClient({
    baseUrl: job.base_url,
    projectId: job.project_id,
    credential: job.access_token,
  });
  let isOver = false;
  void stop.then(() => isOver = true);
  const written: Written = { created: 0, deleted: 0 };
  const victims = victimsOf(job.customers);
  await Promise.all(Array.from({ length: AT_A_TIME }, async (_, lane) => {
    for (let round = 0; !isOver; round++) {
      await createAndDelete(client, `late-${lane}-${round}`, written, victims);
      if (round === 10) begun();
    }
  }));
  return written;
}

/** Creates two customers and deletes one of them; and deletes one of those that were there. */
async function createAndDelete(
  client: Client,
  id: string,
  written: Written,
  victims: Iterator<string>,
): Promise<void> {
  await createCustomer(client, { id });
  await createCustomer(client, { id: `${id}-again` });
  written.created += 2;
  await deleteCustomer(client, id);
  written.deleted++;
  const victim = victims.next();
  if (victim.done) return;
  await deleteCustomer(client, victim.value);
  written.deleted++;
}

/** Those who may be deleted, from all over the list: behind the walk, before it, and where it is. */
function* victimsOf(customers: number): Generator<string> {
  const count = Math.floor(customers / VOLATILE);
  // A step that has no divisor in common with the count leads to each of them once.
  let step = Math.max(1, Math.floor(count * 0.618));
  while (greatestDivisor(step, count) > 1) step++;
  for (let i = 0, at = 0; i < count; i++, at = (at + step) % count) {
    yield customerId((at + 1) * VOLATILE);
  }
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

if (import.meta.main) {
  const isClosed = Array.fromAsync(Deno.stdin.readable);
  let isTold = false;
  const written = await write(JSON.parse(Deno.args[0] ?? "{}"), isClosed, () => {
    if (!isTold) console.log("begun");
    isTold = true;
  });
  console.log(JSON.stringify(written));
}
