/**
 * A real browser, from npm alone: it is unpacked into the folder for temporary files, with the
 * libraries and fonts that it needs.
 *
 * @module
 */

import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { NO_BROWSER } from "./no_browser.ts";

/** The loader's messages if the machine's libraries are missing or too old. */
const LIBRARIES = /error while loading shared libraries: [^\n]*|version `GLIBC[^\n]*/;

/**
 * Starts the browser. Set `TMPDIR` to a separate folder first: all its files go there.
 *
 * @throws {Error} when it cannot start on this machine.
 */
export async function startBrowser(): Promise<Browser> {
  for (const name of ["HOME", "XDG_CACHE_HOME"]) Deno.env.set(name, tmpdir());
  // The package brings shared libraries and fonts along, but unpacks them for this name only.
  Deno.env.set("AWS_EXECUTION_ENV", "AWS_Lambda_nodejs22.x");
  try {
    const { default: chromium } = await import("@sparticuz/chromium");
    const { chromium: launcher } = await import("playwright-core");
    chromium.setGraphicsMode = false;
    const executablePath = await chromium.executablePath();
    await pointToFonts();
    return await launcher.launch({
      executablePath,
      // Not the package's own list: that turns off the very rules that are tested.
      args: ["--no-sandbox", "--in-process-gpu", "--font-render-hinting=none"],
      timeout: 60_000,
    });
  } catch (error) {
    const [reason] = LIBRARIES.exec(String(error)) ?? [];
    throw reason === undefined ? error : new Error(`${NO_BROWSER}: ${reason}`, { cause: error });
  }
}

/** The package looks for its fonts in a fixed folder, but unpacks them elsewhere. */
async function pointToFonts(): Promise<void> {
  const folder = join(tmpdir(), "fonts");
  const dirs = `<dir>${folder}</dir><cachedir>${folder}-cache</cachedir>`;
  await Deno.writeTextFile(join(folder, "fonts.conf"), `<fontconfig>${dirs}</fontconfig>\n`);
}
