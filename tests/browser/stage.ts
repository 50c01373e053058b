/**
 * The parts of a sign-in in a browser: the service and a waiting client on sockets, and a foreign
 * page.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { SignInChoice } from "../../lib/service/oauth/mod.ts";
import { authorizePath, type SignIn, startSignIn } from "../support/oauth_fixture.ts";
import { READABILITY } from "./readability.ts";

/** A service, a client that waits, and a browser window. */
export interface Stage extends AsyncDisposable {
  /** The service. */
  signIn: SignIn;
  /** Its address. */
  origin: string;
  /** The window. */
  page: Page;
  /** The address of the client. */
  redirect: string;
  /** The queries of the client's callback. */
  callbacks: URLSearchParams[];
  /** Opens the page that asks for consent, with some parameters changed. */
  open(changes?: Record<string, string | undefined>): Promise<void>;
  /** The browser's complaints, such as violations of the content security policy. */
  complaints: string[];
}

/** What is checked in windows of a browser, by name. */
export type Checks = Readonly<Record<string, (browser: Browser) => Promise<void>>>;

/** Sets the stage. */
export async function setStage(
  browser: Browser,
  options: BrowserContextOptions & { loopback?: string; way?: SignInChoice } = {},
): Promise<Stage> {
  const { loopback = "127.0.0.1", way, ...rest } = options;
  const signIn = await startSignIn({ signIn: way });
  const service = listen("127.0.0.1", (request) => signIn.handle(request));
  const callbacks: URLSearchParams[] = [];
  const client = listen(loopback.replace(/[[\]]/g, ""), (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/callback") return new Response(null, { status: 404 });
    callbacks.push(searchParams);
    return new Response("<h1>Signed in</h1>", { headers: { "Content-Type": "text/html" } });
  });
  const context = await browser.newContext(rest);
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  const origin = `http://127.0.0.1:${service.addr.port}`;
  const redirect = `http://${loopback}:${client.addr.port}/callback`;
  return {
    signIn,
    origin,
    page,
    redirect,
    callbacks,
    complaints,
    open: async (changes) => {
      await page.goto(origin + authorizePath({ redirect_uri: redirect, ...changes }));
    },
    [Symbol.asyncDispose]: async () => {
      await context.close();
      await Promise.all([service.shutdown(), client.shutdown()]);
      await signIn[Symbol.asyncDispose]();
    },
  };
}

/** Serves a foreign page, until it is disposed of. */
export function servePage(html: string): Deno.HttpServer<Deno.NetAddr> {
  return listen(
    "127.0.0.1",
    () => new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } }),
  );
}

/**
 * Sets the light and the width of the window, and looks, for each way in which people see a page. The
 * light changes colours and the width the layout, so the dark is looked at in one width, unless
 * `LONG_TESTS` is set.
 */
export async function inEachView(
  { page }: Stage,
  look: (view: string) => Promise<void>,
): Promise<void> {
  const widths = [1100, 390, 320];
  const dark = Deno.env.has("LONG_TESTS") ? widths : [390];
  for (const [colorScheme, seen] of [["light", widths], ["dark", dark]] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of seen) {
      await page.setViewportSize({ width, height: 844 });
      await look(`${colorScheme}-${width}`);
    }
  }
}

/** Checks the content of the page, and saves a picture if `SCREENSHOTS` names a folder. */
export async function lookAt({ page }: Stage, name: string): Promise<void> {
  const folder = Deno.env.get("SCREENSHOTS");
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  assert.deepEqual(await page.evaluate(READABILITY), { dim: [], wide: [], small: [] }, name);
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
  assert.equal(await page.locator("h1").count(), 1);
}

/** The only thing that the client was sent. */
export function onlyCallback({ callbacks }: Stage): Record<string, string> {
  assert.equal(callbacks.length, 1);
  return Object.fromEntries(callbacks[0] ?? []);
}

function listen(hostname: string, handler: Deno.ServeHandler): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname, port: 0, onListen: () => {} }, handler);
}
