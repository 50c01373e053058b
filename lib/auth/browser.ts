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
 * Opens an address in the person's browser, and tells whether that could be done. Where the browser
 * runs until it is closed, so does this. A program that may not start the opener is not asked.
 */
export async function openInBrowser(url: string, os: string): Promise<boolean> {
  const [program, ...args] = openerCommand(url, os);
  if (!platform.mayRun(program)) return false;
  // Apart, so that a Ctrl-C for us does not close the browser, and silent, so that a browser for
  // terminals does not take this one.
  return await platform.runApart(program, args).catch(() => false);
}
