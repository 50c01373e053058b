/**
 * The program: takes the real environment and sets the exit code. Only this file ends the process.
 *
 * @module
 */

// Nothing else is loaded for `--version`, which scripts call often: each further file takes a third of
// a millisecond.
import "./lib/cli/packages.ts";
import { VERSION } from "./lib/version.ts";

if (import.meta.main) {
  if (/^(--version|-V)$/.test(Deno.args.join(" "))) {
    Deno.stdout.writeSync(new TextEncoder().encode(`cli ${VERSION}\n`));
  } else {
    const { start } = await import("./lib/cli/main.ts");
    Deno.exit(await start(Deno));
  }
}
