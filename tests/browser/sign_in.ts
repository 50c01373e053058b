/**
 * Signing in with a real browser. Run by `main.ts`.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { StoredToken } from "../../lib/config/stored_token.ts";
import { type BrowserOptions, signInWithBrowser } from "../../lib/auth/browser_sign_in.ts";
import { ConfigError } from "../../lib/errors.ts";
import { type Checks, inEachView, lookAt, setStage, type Stage } from "./stage.ts";

/** The checks of a sign-in from the program to the page after it. */
export const SIGN_IN: Checks = {
  "Allow signs the program in, and the page says so": async (browser) => {
    await using stage = await setStage(browser);
    const { signing } = await startSignIn(stage);
    await stage.page.getByRole("button", { name: "Allow" }).click();
    await heading(stage, "You are signed in");
    const token = await signing;
    assert.ok(await stage.signIn.oauth.authenticate(token.access_token));
    assert.deepEqual(stage.complaints, []);
  },
  "Deny signs nobody in, and the page says so": async (browser) => {
    await using stage = await setStage(browser);
    const { signing } = await startSignIn(stage);
    await Promise.all([
      assert.rejects(signing, { name: "AuthError", message: /access was denied in the browser$/ }),
      stage.page.getByRole("button", { name: "Deny" }).click(),
    ]);
    await heading(stage, "You are not signed in");
    assert.deepEqual(stage.complaints, []);
  },
  "another state is not taken, and the wait goes on": async (browser) => {
    await using stage = await setStage(browser);
    const { signing } = await startSignIn(stage);
    const { searchParams } = new URL(stage.page.url());
    const redirect = searchParams.get("redirect_uri") ?? "";
    const asking = stage.page.url();
    await stage.page.goto(`${redirect}?code=stolen&state=${"x".repeat(22)}`);
    await heading(stage, "This does not belong to your sign-in");
    await stage.page.goto(asking);
    await stage.page.getByRole("button", { name: "Allow" }).click();
    await heading(stage, "You are signed in");
    assert.ok((await signing).access_token);
  },
  "the callback that is loaded again reaches nobody and changes nothing": async (browser) => {
    await using stage = await setStage(browser);
    const { signing } = await startSignIn(stage);
    await stage.page.getByRole("button", { name: "Allow" }).click();
    await heading(stage, "You are signed in");
    const { access_token } = await signing;
    await assert.rejects(stage.page.reload(), /ERR_CONNECTION_REFUSED/);
    // A code that came to the service twice would have ended the sign-in.
    assert.ok(await stage.signIn.oauth.authenticate(access_token));
  },
  "a sign-in that cannot be stored is shown as failed": async (browser) => {
    await using stage = await setStage(browser);
    const { signing } = await startSignIn(stage, {
      complete: () => Promise.reject(new ConfigError("Cannot write <config>: the disk is full")),
    });
    await Promise.all([
      assert.rejects(signing, ConfigError),
      stage.page.getByRole("button", { name: "Allow" }).click(),
    ]);
    await heading(stage, "You are not signed in");
    await stage.page.getByText("Cannot write <config>: the disk is full").waitFor();
  },
  "the pages can be read by everyone, at any width and in any light": async (browser) => {
    await using stage = await setStage(browser);
    await inEachView(stage, async (view) => {
      for (const choice of ["Allow", "Deny"]) {
        const { signing } = await startSignIn(stage);
        await stage.page.getByRole("button", { name: choice }).click();
        await stage.page.getByRole("heading", { name: /^You are/ }).waitFor();
        await signing.catch(() => {});
        await lookAt(stage, `callback-${choice}-${view}`);
      }
    });
  },
};

/** Starts to sign in, and opens the page that asks in the browser. */
async function startSignIn(
  { origin, page }: Stage,
  options: Partial<BrowserOptions> = {},
): Promise<{ signing: Promise<StoredToken> }> {
  const opened = Promise.withResolvers<void>();
  const around = {
    env: () => undefined,
    cwd: undefined,
    home: undefined,
    now: () => Date.now(),
    warn: () => {},
    openBrowser: async (url: string) => {
      await page.goto(url);
      opened.resolve();
      return true;
    },
  };
  const endpoint = { baseUrl: origin, around };
  const signing = signInWithBrowser(endpoint, { onUrl: () => {}, ...options });
  // It is awaited by the caller; until then a failure must not end the process.
  signing.catch(opened.reject);
  await opened.promise;
  return { signing };
}

/** Waits for a page with this heading. */
async function heading({ page }: Stage, name: string): Promise<void> {
  await page.getByRole("heading", { name }).waitFor();
}
