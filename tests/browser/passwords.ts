/**
 * Passwords and providers with a real browser. Run by `main.ts`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { codeForm, OWNER } from "../support/oauth_fixture.ts";
import { CHEAP, linkFor, PASSWORD, usePasswordLink } from "../support/password_fixture.ts";
import { CLIENT, startProvider } from "../support/provider.ts";
import { startIndependentProvider } from "./independent_provider.ts";
import { type Checks, inEachView, lookAt, onlyCallback, setStage, type Stage } from "./stage.ts";

/** The checks of passwords and of a provider. They take half a minute. */
export const PASSWORDS: Checks = {
  "a link sets a password, which signs in, without scripts": async (browser) => {
    await using stage = await setStage(browser, { way: CHEAP, javaScriptEnabled: false });
    const { page } = stage;
    await openLink(stage);
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByLabel("The same password again").fill("something else entirely");
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByRole("alert").getByText("The two passwords differ").waitFor();
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByLabel("The same password again").fill(PASSWORD);
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByRole("heading", { name: "Your password is set" }).waitFor();
    await stage.open();
    await signInWith(stage, "a wrong password");
    await page.getByRole("alert").getByText("The e-mail address or the password is wrong.")
      .waitFor();
    assert.equal(await page.getByLabel("E-mail address").inputValue(), OWNER);
    await signInWith(stage, PASSWORD);
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "Signed in" }).waitFor();
    await expectOwner(stage);
    assert.deepEqual(stage.complaints.filter((text) => !text.includes("403")), [
      "Failed to load resource: the server responded with a status of 400 (Bad Request)",
    ]);
  },
  "the keyboard is enough, and another account can be used": async (browser) => {
    await using stage = await setStage(browser, { way: CHEAP });
    await usePasswordLink(stage.signIn, await linkFor(stage.signIn, OWNER), PASSWORD);
    const { page } = stage;
    await stage.open();
    await page.keyboard.press("Tab");
    await page.keyboard.type(OWNER);
    await page.keyboard.press("Tab");
    const style = "getComputedStyle(document.activeElement).outlineStyle";
    assert.equal(await page.evaluate<string>(style), "solid");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Use another account" }).click();
    await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
    await signInWith(stage, PASSWORD);
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "Signed in" }).waitFor();
    await expectOwner(stage);
    assert.deepEqual(stage.complaints, []);
  },
  "a reload after the sign-in changes nothing": async (browser) => {
    await using stage = await setStage(browser, { way: CHEAP });
    await usePasswordLink(stage.signIn, await linkFor(stage.signIn, OWNER), PASSWORD);
    await stage.open();
    await signInWith(stage, PASSWORD);
    await stage.page.getByRole("button", { name: "Allow" }).waitFor();
    await stage.page.reload();
    await stage.page.getByRole("heading", { name: "You have already answered" }).waitFor();
    assert.equal(stage.callbacks.length, 0);
  },
  "a provider signs in, and lets another account be used": async (browser) => {
    await using provider = await startProvider();
    await using stage = await setStage(browser, {
      way: {
        kind: "oidc",
        ...{ issuer: provider.issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret },
        allow: [`@${OWNER.split("@")[1]}`],
      },
    });
    provider.state.claims = { email: OWNER };
    const { page } = stage;
    await stage.open();
    await page.getByText(OWNER).waitFor();
    await page.getByRole("button", { name: "Use another account" }).click();
    await lookAt(stage, "elsewhere");
    await page.getByRole("link", { name: "Continue to 127.0.0.1" }).click();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "Signed in" }).waitFor();
    await expectOwner(stage);
    assert.equal(provider.asked.length, 2);
    assert.deepEqual(stage.complaints, []);
  },
  "an independent provider signs in, with its own pages": async (browser) => {
    await using provider = await startIndependentProvider();
    await using stage = await setStage(browser, {
      way: {
        kind: "oidc",
        ...{ issuer: provider.issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret },
      },
    });
    provider.open(stage.origin);
    const { page } = stage;
    await stage.open();
    const [name = ""] = OWNER.split("@");
    await page.locator("input[name=login]").fill(name);
    await page.locator("input[name=password]").fill("anything");
    await page.locator("button[type=submit]").click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText(OWNER).waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "Signed in" }).waitFor();
    await expectOwner(stage);
  },
  "the pages can be read by everyone, at any width and in any light": async (browser) => {
    await using stage = await setStage(browser, { way: CHEAP });
    const { page } = stage;
    await inEachView(stage, async (view) => {
      const name = (text: string) => `${text}-${view}`;
      await stage.open();
      await lookAt(stage, name("sign-in"));
      await openLink(stage);
      await lookAt(stage, name("password"));
      await page.getByLabel("New password").fill("aaaaaaaaaaaa");
      await page.getByLabel("The same password again").fill("aaaaaaaaaaaa");
      await page.getByRole("button", { name: "Set password" }).click();
      await page.getByRole("alert").waitFor();
      await lookAt(stage, name("password-refused"));
      await page.getByLabel("New password").fill(PASSWORD);
      await page.getByLabel("The same password again").fill(PASSWORD);
      await page.getByRole("button", { name: "Set password" }).click();
      await page.getByRole("heading", { name: "Your password is set" }).waitFor();
      await lookAt(stage, name("password-set"));
      await stage.open();
      await signInWith(stage, "a wrong password");
      await page.getByRole("alert").waitFor();
      await lookAt(stage, name("sign-in-refused"));
      stage.signIn.pass(5000);
      await signInWith(stage, PASSWORD);
      await page.getByRole("button", { name: "Allow" }).waitFor();
      await lookAt(stage, name("signed-in"));
    });
  },
};

/** Opens a new link of the owner. */
async function openLink({ signIn, origin, page }: Stage): Promise<void> {
  await page.goto(`${origin}/oauth2/password?link=${await linkFor(signIn, OWNER)}`);
}

/** Types a password, and the owner's address. */
async function signInWith({ page }: Stage, password: string): Promise<void> {
  await page.getByLabel("E-mail address").fill(OWNER);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Checks that the client's code is good for the owner. */
async function expectOwner(stage: Stage): Promise<void> {
  const form = codeForm(onlyCallback(stage).code ?? "", { redirect_uri: stage.redirect });
  const { json } = await stage.signIn.post("/oauth2/token", form);
  const actor = await stage.signIn.oauth.authenticate(String(json.access_token));
  assert.equal(actor?.email, OWNER);
}
