/**
 * A process for a test to kill: it advances the clock of a database to a moment, or goes
 * on with an advance that was broken off. It prints a line every other millisecond, and `through`
 * at the end.
 *
 * @module
 */

import { serveAt, tell } from "./clock_fixture.ts";
import { acrossProjects } from "../../lib/service/store/mod.ts";

if (import.meta.main) {
  const [database = "", to = ""] = Deno.args;
  const service = await serveAt(database);
  print("started");
  const timer = setInterval(() => print("going on"), 2);
  const { clock_advancing_to } = await service.store.read((tx) =>
    acrossProjects(tx).selectFrom("projects").select("clock_advancing_to").executeTakeFirstOrThrow()
  );
  if (clock_advancing_to === null) await tell(service, "/clock/advance", { to: Number(to) });
  else await service.catchUp();
  clearInterval(timer);
  await service.close();
  print("through");
}

/** Prints a line that the parent has even if this process is killed right after. */
function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
