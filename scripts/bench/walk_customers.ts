/**
 * Walks over all customers as a program with the library does, and keeps count of whom it has seen.
 * Takes its job as JSON, prints what it found, and stays until it is stopped.
 *
 * @module
 */

import { createClient } from "../../lib/client.ts";
import { each, LARGEST_PAGE } from "../../lib/page.ts";
import { listCustomers } from "../../lib/resources/customers.ts";
import { type Job, VOLATILE, type Walked } from "./customers.ts";

/** Walks, and counts. */
async function walk({ base_url, project_id, access_token, customers }: Job): Promise<Walked> {
  const client = createClient({
    baseUrl: base_url,
    projectId: project_id,
    credential: access_token,
  });
  // One byte for each: as little memory as it takes to tell whom the walk has seen how often.
  const times = new Uint8Array(customers + 1);
  const lateOnes = new Set<string>();
  const { rss } = Deno.memoryUsage();
  const walked: Walked = { seen: 0, missed: 0, twice: 0, late: 0, ms: 0, rss };
  const start = performance.now();
  for await (const { id } of each(client, listCustomers(client, { limit: LARGEST_PAGE }))) {
    walked.seen++;
    const number = Number(/^customer-(\d+)$/.exec(id)?.[1] ?? 0);
    if (number > 0) times[number] = (times[number] ?? 0) + 1;
    else if (lateOnes.has(id)) walked.twice++;
    else lateOnes.add(id);
  }
  walked.ms = performance.now() - start;
  for (const id of lateOnes) if (id.startsWith("late-")) walked.late++;
  for (let number = 1; number <= customers; number++) {
    const count = times[number] ?? 0;
    if (count > 1) walked.twice++;
    if (count === 0 && number % VOLATILE !== 0) walked.missed++;
  }
  return walked;
}

if (import.meta.main) {
  console.log(JSON.stringify(await walk(JSON.parse(Deno.args[0] ?? "{}"))));
  // Its memory is looked at before it goes.
  for await (const _ of Deno.stdin.readable);
}
