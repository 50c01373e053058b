/**
 * The pages that ask for consent, in a real browser. Run by `main.ts`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { addAccount } from "../../lib/service/oauth/mod.ts";
import { codeForm, OWNER } from "../support/oauth_fixture.ts";
import {
  type Checks,
  inEachView,
  lookAt,
  onlyCallback,
  servePage,
  setStage,
  type Stage,
} from "./stage.ts";

/** The checks of the pages that ask for consent. */
export const CONSENT: Checks = {
  "Allow leads to the client, whose code is good": async (browser) => {
    await using stage = await setStage(browser);
    await stage.open();
    await stage.page.getByRole("button", { name: "Allow" }).click();
    await stage.page.getByRole("heading", { name: "Signed in" }).waitFor();
    const { code, ...rest } = onlyCallback(stage);
    assert.deepEqual(rest, { state: "a state & more", iss: stage.origin });
    const form = codeForm(code ?? "", { redirect_uri: stage.redirect });
    const { status, json } = await stage.signIn.post("/oauth2/token", form);
    assert.equal(status, 200);
    assert.equal((await stage.signIn.oauth.authenticate(String(json.access_token)))?.email, OWNER);
    assert.deepEqual(stage.complaints, []);
  },
  "Allow leads to a client on the IPv6 loopback": async (browser) => {
    if (!hasIPv6()) return console.warn("SKIPPED: this machine has no IPv6 loopback");
    await using stage = await setStage(browser, { loopback: "[::1]" });
    await stage.open();
    await stage.page.getByRole("button", { name: "Allow" }).click();
    await stage.page.getByRole("heading", { name: "Signed in" }).waitFor();
    assert.ok(onlyCallback(stage).code);
  },
  "Deny leads to the client, with the error and no code": async (browser) => {
    await using stage = await setStage(browser);
    await stage.open();
    await stage.page.getByRole("button", { name: "Deny" }).click();
    await stage.page.getByRole("heading", { name: "Signed in" }).waitFor();
    const { error, code, state } = onlyCallback(stage);
    assert.deepEqual({ error, code, state }, {
      error: "access_denied",
      code: undefined,
      state: "a state & more",
    });
    assert.deepEqual(stage.complaints, []);
  },
  "a double click on Allow signs in once": async (browser) => {
    await using stage = await setStage(browser);
    await stage.open();
    // The service takes the first click at once, and its answer arrives after the second click.
    await stage.page.route("**/oauth2/authorize", async (route) => {
      const response = await route.fetch({ maxRedirects: 0 });
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.fulfill({ response });
    });
    await stage.page.getByRole("button", { name: "Allow" }).dblclick({ delay: 50 });
    await stage.page.getByRole("heading", { name: "Signed in" }).waitFor();
    assert.ok(onlyCallback(stage).code);
  },
  "the keyboard is enough, and shows where it is": async (browser) => {
    await using stage = await setStage(browser);
    await addSecondAccount(stage);
    await stage.open();
    const { keyboard } = stage.page;
    const focused = () => stage.page.evaluate<string>("document.activeElement.value");
    await keyboard.press("Tab");
    await keyboard.press("ArrowDown");
    const chosen = stage.page.getByRole("radio", { name: "support@example.com" });
    assert.ok(await chosen.isChecked());
    await keyboard.press("Tab");
    assert.equal(await focused(), "allow");
    const style = "getComputedStyle(document.activeElement).outlineStyle";
    assert.equal(await stage.page.evaluate<string>(style), "solid");
    await keyboard.press("Tab");
    assert.equal(await focused(), "deny");
    await keyboard.press("Shift+Tab");
    await keyboard.press("Enter");
    await stage.page.getByRole("heading", { name: "Signed in" }).waitFor();
    const form = codeForm(onlyCallback(stage).code ?? "", { redirect_uri: stage.redirect });
    const { json } = await stage.signIn.post("/oauth2/token", form);
    const actor = await stage.signIn.oauth.authenticate(String(json.access_token));
    assert.equal(actor?.email, "support@example.com");
  },
  "the page works where scripts are turned off": async (browser) => {
    await using stage = await setStage(browser, { javaScriptEnabled: false });
    await stage.open();
    await stage.page.getByRole("button", { name: "Allow" }).click();
    await stage.page.getByRole("heading", { name: "Signed in" }).waitFor();
    assert.ok(onlyCallback(stage).code);
  },
  "a form that was tampered with is refused": async (browser) => {
    await using stage = await setStage(browser);
    await stage.open();
    await setForm(stage, "x".repeat(43));
    await stage.page.getByRole("button", { name: "Allow" }).click();
    await stage.page.getByRole("heading", { name: "This page cannot be used" }).waitFor();
    assert.equal(stage.callbacks.length, 0);
  },
  "a form without its cookie is refused": async (browser) => {
    await using stage = await setStage(browser);
    await stage.open();
    await stage.page.context().clearCookies();
    await stage.page.getByRole("button", { name: "Allow" }).click();
    await stage.page.getByRole("heading", { name: "This page cannot be used" }).waitFor();
    assert.equal(stage.callbacks.length, 0);
  },
  "a form that was answered is refused, and so is its reload": async (browser) => {
    await using stage = await setStage(browser);
    await stage.open();
    const form = await stage.page.locator("input[name=form]").inputValue();
    const cookies = await stage.page.context().cookies(`${stage.origin}/oauth2/authorize`);
    assert.deepEqual(
      cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite })),
      [{ httpOnly: true, sameSite: "Strict" }],
    );
    await stage.page.getByRole("button", { name: "Allow" }).click();
    await stage.page.getByRole("heading", { name: "Signed in" }).waitFor();
    assert.deepEqual(await stage.page.context().cookies(`${stage.origin}/oauth2/authorize`), []);
    await stage.open();
    await stage.page.context().addCookies(cookies);
    await setForm(stage, form);
    await stage.page.getByRole("button", { name: "Allow" }).click();
    const heading = stage.page.getByRole("heading", { name: "You have already answered" });
    await heading.waitFor();
    await stage.page.reload();
    await heading.waitFor();
    assert.equal(stage.callbacks.length, 1);
  },
  "going back after an answer asks anew": async (browser) => {
    await using stage = await setStage(browser);
    await stage.open();
    const first = await stage.page.locator("input[name=form]").inputValue();
    await stage.page.getByRole("button", { name: "Deny" }).click();
    await stage.page.getByRole("heading", { name: "Signed in" }).waitFor();
    await stage.page.goBack();
    assert.notEqual(await stage.page.locator("input[name=form]").inputValue(), first);
    await stage.page.getByRole("button", { name: "Allow" }).click();
    await stage.page.getByRole("heading", { name: "Signed in" }).waitFor();
    assert.equal(stage.callbacks.length, 2);
  },
  "two tabs do not disturb each other": async (browser) => {
    await using stage = await setStage(browser);
    await stage.open();
    const second = await stage.page.context().newPage();
    await second.goto(stage.page.url());
    for (const page of [stage.page, second]) {
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByRole("heading", { name: "Signed in" }).waitFor();
    }
    assert.equal(stage.callbacks.length, 2);
  },
  "another page cannot answer in a person's name": async (browser) => {
    await using stage = await setStage(browser);
    await stage.open();
    const form = await stage.page.locator("input[name=form]").inputValue();
    const account = await stage.page.locator("input[name=account]").inputValue();
    await using stranger = servePage(`<form method="post" action="${stage.origin}/oauth2/authorize">
      <input name="form" value="${form}"><input name="account" value="${account}">
      <button name="decision" value="allow">Win a prize</button></form>`);
    for (const host of ["127.0.0.1", "localhost"]) {
      await stage.page.goto(`http://${host}:${stranger.addr.port}/`);
      await stage.page.getByRole("button").click();
      await stage.page.getByRole("heading", { name: "This page cannot be used" }).waitFor();
    }
    assert.equal(stage.callbacks.length, 0);
  },
  "another page can neither frame nor read anything": async (browser) => {
    await using stage = await setStage(browser);
    await stage.open();
    const address = stage.page.url();
    await using stranger = servePage(`<iframe src="${address.replaceAll("&", "&amp;")}"></iframe>`);
    await stage.page.goto(`http://127.0.0.1:${stranger.addr.port}/`);
    const [frame] = stage.page.frames().slice(1);
    assert.match(await frame?.content() ?? "", /^(?!.*Allow)/s);
    assert.ok(stage.complaints.some((text) => text.includes("frame-ancestors")));
    for (const path of ["/.well-known/oauth-authorization-server", "/oauth2/token"]) {
      const read = stage.page.evaluate(`fetch("${stage.origin}${path}")`);
      await assert.rejects(read, /Failed to fetch/);
    }
  },
  "the pages can be read by everyone, at any width and in any light": async (browser) => {
    await using stage = await setStage(browser);
    await addSecondAccount(stage);
    await inEachView(stage, async (view) => {
      const scope = "project_configuration:apps:read_write customer_information:*:read *:*:read";
      await stage.open({ scope });
      await lookAt(stage, `consent-${view}`);
      const redirect_uri = `http://127.0.0.1.evil.example/${"long".repeat(50)}`;
      await stage.open({ redirect_uri });
      await lookAt(stage, `error-${view}`);
    });
  },
};

/** Puts another one-time id into the form. */
async function setForm(stage: Stage, form: string): Promise<void> {
  await stage.page.evaluate(`document.querySelector("input[name=form]").value = "${form}"`);
}

async function addSecondAccount({ signIn }: Stage): Promise<void> {
  const account = { email: "support@example.com", now: 1_800_000_000_000 };
  await signIn.store.write((tx) => addAccount(tx, account));
}

function hasIPv6(): boolean {
  try {
    Deno.listen({ hostname: "::1", port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}
