/**
 * Opens the person's browser: with an argument vector and no shell, so that nothing in an address is
 * taken for a command and nothing is cut at a `&`.
 *
 * @module
 */

/** The program that opens an address, and what comes before the address. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  windows: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** The command that opens an address on a platform, as `Deno.build.os` names it. */
export function openerCommand(url: string, platform: string): [string, ...string[]] {
  const [program, ...args] = OPENERS[platform] ?? ["xdg-open"];
  return [program, ...args, url];
}

/**
 * Opens an address in the person's browser, and tells whether that could be done. Where the browser
 * runs until it is closed, so does this. A program that may not start the opener is not asked.
 */
export async function openInBrowser(url: string, platform: string): Promise<boolean> {
  const [program, ...args] = openerCommand(url, platform);
  const { state } = Deno.permissions.querySync({ name: "run", command: program });
  if (state !== "granted") return false;
  try {
    // On its own, so that a Ctrl-C for us does not close the browser, and silent, so that a browser
    // for terminals does not take this one.
    const child = new Deno.Command(program, {
      args,
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn();
    child.unref();
    return (await child.status).success;
  } catch {
    return false;
  }
}
