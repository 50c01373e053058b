/**
 * The program: real world in, exit code out. The only file that ends the process.
 *
 * @module
 */

import { VERSION } from "./lib/version.ts";

/** Runs the command line that this process was started with. */
async function main(): Promise<number> {
  // Nothing else is loaded for this: scripts ask it often.
  const [only, ...rest] = Deno.args;
  if ((only === "--version" || only === "-V") && rest.length === 0) {
    Deno.stdout.writeSync(new TextEncoder().encode(`cli ${VERSION}\n`));
    return 0;
  }
  const [{ run }, { systemWorld }] = await Promise.all([
    import("./lib/cli/main.ts"),
    import("./lib/cli/context.ts"),
  ]);
  const interrupt = new AbortController();
  listenForStop(interrupt);
  return await run(Deno.args, await systemWorld(interrupt.signal));
}

/** The first Ctrl-C stops the work; a second one does not wait for it. */
function listenForStop(interrupt: AbortController): void {
  const stop = () => {
    if (interrupt.signal.aborted) Deno.exit(130);
    interrupt.abort();
  };
  Deno.addSignalListener("SIGINT", stop);
  if (Deno.build.os !== "windows") Deno.addSignalListener("SIGTERM", stop);
}

if (import.meta.main) Deno.exit(await main());
