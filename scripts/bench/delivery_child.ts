/**
 * A process to kill: the service on a database, delivering what is in line. It prints
 * `started`, `memory` and its bytes now and then, and `through` once nothing is in line any more.
 *
 * @module
 */

import { sql } from "kysely";
import { openService } from "../../lib/service/mod.ts";

/** How often the process looks whether it is through, in milliseconds. */
const LOOK_MS = 50;

if (import.meta.main) {
  const service = await openService({
    database: Deno.args[0] ?? "",
    webhookTargets: "loopback",
    webhookSchedule: "dev",
    report: (error) => print(`fault ${error}`),
  });
  print("started");
  // Written out, the state has an index: the look must not cost more than what is measured.
  const isPending = () =>
    service.store.read(async (tx) => {
      const { rows } = await sql`select 1 from deliveries where state = 'pending' limit 1`
        .execute(tx);
      return rows.length > 0;
    });
  // What is to be tried again keeps the process waiting; the worker has timers of its own.
  const timer = setInterval(() => print(`memory ${Deno.memoryUsage().rss}`), 500);
  while (await isPending()) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  await service.deliverer.idle();
  clearInterval(timer);
  await service.close();
  print("through");
}

/** Prints a line that the parent has even if this process is killed right after. */
function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
