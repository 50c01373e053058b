/**
 * An app with the real SDK, which buys in a real browser. Run by `main.ts`.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { createClient } from "../../lib/client.ts";
import { path } from "../../lib/path.ts";
import { startServer } from "../support/server.ts";

const WEB_APP = new URL("../../scripts/examples/web_app/", import.meta.url);

/** The service on a port, with a test store, and an account with all permissions. */
async function openShop() {
  const server = await startServer({ empty: false, report: console.error });
  const { baseUrl, projectId = "", adminSecret } = server;
  const admin = createClient({ baseUrl, projectId, credential: adminSecret });
  const { access_token } = await admin.post<{ access_token: string }>(path`/_sim/tokens`);
  const owner = createClient({ baseUrl, projectId, credential: access_token });
  const sim = <T>(place: string, body: object) => {
    return fetch(`${baseUrl}/_sim/projects/${projectId}/${place}`, {
      method: "POST",
      headers: { "Authorization": `Bearer ${adminSecret}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    }).then(async (response) => {
      const answer: T = await response.json();
      assert.ok(response.ok, `${place}: ${JSON.stringify(answer)}`);
      return answer;
    });
  };
  const app = await sim<{ id: string }>("apps", { name: "Web app" });
  const keys = await owner.get<{ items: { key: string }[] }>(
    path`/apps/${app.id}/public_api_keys`,
  );
  const product = await owner.post<{ id: string }>(path`/products`, {
    app_id: app.id,
    store_identifier: "web_annual",
    type: "subscription",
    title: "Annual",
    subscription: { duration: "P1Y" },
  });
  await sim(`products/${product.id}/price`, { price: 59.99 });
  await owner.post(path`/entitlements/pro/actions/attach_products`, { product_ids: [product.id] });
  const { items } = await owner.get<{ items: { id: string; lookup_key: string }[] }>(
    path`/offerings/default/packages`,
  );
  const annual = items.find(({ lookup_key }) => lookup_key === "$svc_annual");
  await owner.post(path`/packages/${annual?.id ?? ""}/actions/attach_products`, {
    products: [{ product_id: product.id, eligibility_criteria: "all" }],
  });
  await owner.post(path`/virtual_currencies`, {
    code: "GEM",
    name: "Gems",
    product_grants: [{ product_ids: [product.id], amount: 100 }],
  });
  return { server, owner, sim, key: keys.items[0]?.key ?? "", baseUrl };
}

/** Serves the page of the example, as its README says. */
async function servePage(service: string, key: string) {
  const program = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--no-check", "--allow-all", "main.ts", service, key],
    cwd: WEB_APP,
    stdout: "piped",
  }).spawn();
  const reader = program.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) text += (await reader.read()).value ?? "\n";
  await reader.cancel();
  return { program, address: /http:\S+/.exec(text)?.[0] ?? "" };
}

/** Waits until the page shows a text. */
async function shows(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor();
}

/** Presses a button, and waits until the page is ready again. */
async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
  await shows(page, "Ready");
}

/** Uses the example's page as a customer would, step by step. */
export async function useWebApp(browser: Browser, t: Deno.TestContext): Promise<void> {
  const shop = await openShop();
  const { program, address } = await servePage(shop.baseUrl, shop.key);
  const context = await browser.newContext();
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  try {
    await t.step("configures, and shows offerings with products", async () => {
      await page.goto(address);
      await shows(page, "Ready");
      await shows(page, /\$rc_annual \$59\.99/);
      await shows(page, "Access: nothing");
      await shows(page, "GEM: 0");
    });
    await t.step("buys in the dialogue of the test store", async () => {
      await page.getByRole("button", { name: "Buy Annual" }).click();
      await page.getByRole("button", { name: "Test valid purchase" }).click();
      await shows(page, "Access: pro. Subscriptions: web_annual.");
      await shows(page, "GEM: 100");
    });
    await t.step("signs in, sets attributes, and keeps access", async () => {
      await page.getByLabel("Your name").fill("newcomer");
      await press(page, "Sign in");
      await shows(page, "Access: pro");
      const { items } = await shop.owner.get<{ items: { name: string; value: string }[] }>(
        path`/customers/newcomer/attributes`,
      );
      assert.equal(items.find(({ name }) => name === "$displayName")?.value, "newcomer");
    });
    await t.step("signs out, and restores on a second id", async () => {
      await press(page, "Sign out");
      await shows(page, "Access: nothing");
      await page.getByLabel("Your name").fill("second");
      await press(page, "Sign in");
      await press(page, "Restore");
      await page.reload();
      await shows(page, "Access: pro");
    });
    await t.step("sees the end after the clock was advanced", async () => {
      await shop.sim("clock/advance", { by: "P30D" });
      await page.reload();
      await shows(page, "Access: nothing. Subscriptions: none.");
    });
    await t.step("sees the end after a refund", async () => {
      await page.getByRole("button", { name: "Buy Annual" }).click();
      await page.getByRole("button", { name: "Test valid purchase" }).click();
      await shows(page, "Access: pro");
      const { items } = await shop.owner.get<{ items: { id: string; status: string }[] }>(
        path`/customers/second/subscriptions`,
      );
      const live = items.find(({ status }) => status === "active");
      await shop.sim(`subscriptions/${live?.id}/refund`, {});
      await page.reload();
      await shows(page, "Access: nothing");
    });
    await t.step("shows an error for a wrong key", async () => {
      await page.goto(`${address}?key=test_wrong`);
      await shows(page, /\(error 11\)/);
    });
  } finally {
    await context.close();
    program.kill();
    await program.status;
    await shop.server.stop();
  }
}
