/**
 * Everything that needs a real browser, in one window after the other of one browser. The arguments
 * choose: `deno test --config=tests/browser/deno.json --no-check -A tests/browser/main.ts -- consent`.
 * `tests/service/oauth/browser_test.ts` runs it in a process of its own: a browser needs more
 * permissions than any other test.
 *
 * @module
 */

import type { Browser } from "playwright-core";
import { startBrowser } from "./chromium.ts";
import type { Checks } from "./stage.ts";

/** Runs the checks of one file as steps of a test. */
type Suite = (browser: Browser, t: Deno.TestContext) => Promise<void>;

/** The suites, by the names of their files. Each is loaded when it runs. */
const SUITES: Readonly<Record<string, () => Promise<Suite>>> = {
  consent: async () => eachOf((await import("./consent.ts")).CONSENT),
  passwords: async () => eachOf((await import("./passwords.ts")).PASSWORDS),
  sign_in: async () => eachOf((await import("./sign_in.ts")).SIGN_IN),
  web_app: async () => (await import("./web_app.ts")).useWebApp,
};

function eachOf(checks: Checks): Suite {
  return async (browser, t) => {
    for (const [name, check] of Object.entries(checks)) await t.step(name, () => check(browser));
  };
}

Deno.test({
  name: "in a real browser",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const wanted = Deno.args.length > 0 ? Deno.args : Object.keys(SUITES);
    const browser = await startBrowser();
    try {
      for (const name of wanted) {
        const suite = await SUITES[name]?.();
        if (!suite) throw new Error(`there are no checks named ${name}`);
        await t.step(name, (t) => suite(browser, t));
      }
    } finally {
      await browser.close();
    }
  },
});
