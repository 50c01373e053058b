/**
 * Opens the person's browser, with an argument vector and without a shell, so that no part of an
 * address is run as a command or cut at a `&`.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";

/** The program that opens an address, and its arguments before the address. */
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
 * Starts the program in `BROWSER` with its arguments. The shell reads the variable, so this program
 * need not. The address is an argument that no shell parses.
 */
const NAMED_BROWSER = "browser=${BROWSER%%:*}; browser=${browser%%%s*}; " +
  '[ -n "$browser" ] || exit 127; exec $browser "$1"';

/**
 * Opens an address in the person's browser, and returns whether that worked. If the opener runs
 * until the browser is closed, so does this. Without permission to start the opener it is not
 * tried. `BROWSER` comes first: on a remote machine it is often the only way to the person's
 * screen.
 */
export async function openInBrowser(url: string, os: string): Promise<boolean> {
  const named: [string, ...string[]] = ["sh", "-c", NAMED_BROWSER, "sh", url];
  for (const [program, ...args] of [...os === "windows" ? [] : [named], openerCommand(url, os)]) {
    if (!platform.mayRun(program)) continue;
    // Detached, so that a Ctrl-C for us does not close the browser, and silent, so that a text
    // browser does not take over this terminal.
    if (await platform.runApart(program, args).catch(() => false)) return true;
  }
  return false;
}
