/**
 * Opens the person's browser: with an argument vector and no shell, so that nothing in an address is
 * taken for a command and nothing is cut at a `&`.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";

/** The program that opens an address, and what comes before the address. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  windows: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** The command that opens an address on an operating system, as Deno names it. */
export function openerCommand(url: string, os: string): [string, ...string[]] {
  const [program, ...args] = OPENERS[os] ?? ["xdg-open"];
  return [program, ...args, url];
}

/**
 * Starts the program that `BROWSER` names, with the arguments that stand there. The shell reads the
 * variable, so this program need not; the address is an argument that no shell parses.
 */
const NAMED_BROWSER = "browser=${BROWSER%%:*}; browser=${browser%%%s*}; " +
  '[ -n "$browser" ] || exit 127; exec $browser "$1"';

/**
 * Opens an address in the person's browser, and tells whether that could be done. Where the browser
 * runs until it is closed, so does this. A program that may not start the opener is not asked. What
 * `BROWSER` names comes first: on a remote machine often nothing else leads to the person's screen.
 */
export async function openInBrowser(url: string, os: string): Promise<boolean> {
  const named: [string, ...string[]] = ["sh", "-c", NAMED_BROWSER, "sh", url];
  for (const [program, ...args] of [...os === "windows" ? [] : [named], openerCommand(url, os)]) {
    if (!platform.mayRun(program)) continue;
    // Apart, so that a Ctrl-C for us does not close the browser, and silent, so that a browser for
    // terminals does not take this one.
    if (await platform.runApart(program, args).catch(() => false)) return true;
  }
  return false;
}
