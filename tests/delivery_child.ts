/**
 * A process for a test to kill: the service on the database in a folder, delivering what is in line.
 * It prints `started`, and `through` once nothing is in line any more.
 *
 * @module
 */

import { join } from "node:path";
import { openService } from "../lib/service/mod.ts";

if (import.meta.main) {
  const service = await openService({
    database: join(Deno.args[0] ?? "", "data.db"),
    webhookTargets: "loopback",
    webhookSchedule: "dev",
    report: (error) => print(`fault ${error}`),
  });
  print("started");
  const countPending = () =>
    service.store.read(async (tx) => {
      const { count } = await tx.selectFrom("deliveries").where("state", "=", "pending")
        .select((eb) => eb.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
      return count;
    });
  // What is to be tried again keeps the process waiting; the worker has timers of its own.
  const timer = setInterval(() => {}, 1000);
  while (await countPending() > 0) {
    await service.deliverer.idle();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  clearInterval(timer);
  await service.close();
  print("through");
}

/** Prints a line that the parent has even if this process is killed right after. */
function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
