import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { openerCommand, openInBrowser } from "../../lib/auth/browser.ts";
import { failedPage, SIGNED_IN } from "../../lib/auth/callback_page.ts";
import { openLoopback } from "../../lib/auth/loopback.ts";
import { createPkce } from "../../lib/auth/pkce.ts";
import { DEFAULT_SCOPES, missingScopes } from "../../lib/auth/scopes.ts";
import { signIn, type SignInOptions, signOut } from "../../lib/connect.ts";
import { AuthError, Cancelled, ConfigError, NetworkError, UsageError } from "../../lib/errors.ts";
import { listProjects } from "../../lib/resources/projects.ts";
import { routes } from "../../lib/service/routes/mod.ts";
import { allow, allowedAddress, BASE_URL, type Home, openHome } from "../support/home_fixture.ts";
import { runPrograms } from "../support/token_service.ts";

/** Signs in as a script does. `visit` is what the person does in the browser, to the end. */
async function signInAt(
  at: Home,
  visit: (url: string) => Promise<unknown>,
  options: Partial<SignInOptions> = {},
): ReturnType<typeof signIn> {
  const around = at.around({ browser: () => Promise.resolve(true) });
  let visited: Promise<unknown> | undefined;
  const onUrl = (url: string) => void (visited = visit(url).catch(() => {}));
  return await signIn({ surroundings: around, onUrl, ...options }).finally(() => visited);
}

/** A page of the listener. */
async function pageAt(address: string | URL, init?: RequestInit): Promise<[number, string]> {
  const response = await fetch(address, init);
  return [response.status, await response.text()];
}

Deno.test("the example of RFC 7636 produces the challenge of the RFC", async () => {
  const bytes = new Uint8Array([
    ...[116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186],
    ...[22, 212, 37, 77, 105, 214, 191, 240, 91, 88, 5, 88, 83, 132, 141, 121],
  ]);
  deepStrictEqual(await createPkce(() => bytes), {
    verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  });
});

Deno.test("the browser gets the whole address as one argument, without a shell", () => {
  const url = "http://h/authorize?a=1&b=%20$(x)";
  deepStrictEqual(openerCommand(url, "linux"), ["xdg-open", url]);
  deepStrictEqual(openerCommand(url, "darwin"), ["open", url]);
  deepStrictEqual(openerCommand(url, "windows"), ["rundll32", "url.dll,FileProtocolHandler", url]);
});

Deno.test("the program that BROWSER names opens the address, as one argument", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const folder = await Deno.makeTempDir();
  const before = Deno.env.get("BROWSER");
  const url = "http://127.0.0.1:1/a?b=c&d=$(touch%20x);e='f'";
  // The browser alone keeps no program running.
  const waiting = setInterval(() => {}, 1000);
  try {
    await Deno.writeTextFile(
      `${folder}/open`,
      `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/got'\n`,
    );
    await Deno.chmod(`${folder}/open`, 0o755);
    for (const named of [`${folder}/open`, `${folder}/open:other`, `${folder}/open %s`]) {
      Deno.env.set("BROWSER", named);
      ok(await openInBrowser(url, "linux"), named);
      strictEqual(await Deno.readTextFile(`${folder}/got`), `${url}\n`);
    }
  } finally {
    clearInterval(waiting);
    if (before === undefined) Deno.env.delete("BROWSER");
    else Deno.env.set("BROWSER", before);
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a script signs in, gets tokens that the stores accept, and ends the sign-in", async () => {
  await using at = await openHome();
  let asked = "";
  const token = await signInAt(at, async (url) => {
    asked = url;
    await allow(url, at);
  }, {
    scopes: ["project_configuration:projects:read"],
    complete: async (_, client) => {
      strictEqual((await listProjects(client)).items.length, 1);
    },
  });
  const { searchParams } = new URL(asked);
  const redirect = searchParams.get("redirect_uri") ?? "";
  match(redirect, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  match(searchParams.get("state") ?? "", /^[\w-]{22}$/);
  strictEqual(searchParams.get("code_challenge_method"), "S256");
  strictEqual(token.scope, "project_configuration:projects:read");
  strictEqual(token.base_url, BASE_URL);
  ok(await at.service.oauth.authenticate(token.access_token));
  await rejects(fetch(redirect), "the listener is gone");
  await signOut(token, { surroundings: at.around() });
  strictEqual(await at.service.oauth.authenticate(token.access_token), undefined);
  await signOut(token, { surroundings: at.around() });
});

Deno.test("unrelated callbacks get a page and do not end the wait", async () => {
  await using at = await openHome();
  const pages: [number, string][] = [];
  await signInAt(at, async (url) => {
    const right = await allowedAddress(url, at);
    const changed = (change: (search: URLSearchParams) => void): URL => {
      const address = new URL(right);
      change(address.searchParams);
      return address;
    };
    pages.push(await pageAt(changed((search) => search.set("state", "wrong"))));
    pages.push(await pageAt(changed((search) => search.delete("state"))));
    pages.push(await pageAt(changed((search) => search.append("state", "twice"))));
    pages.push(await pageAt(new URL("/callback/", right)));
    pages.push(await pageAt(new URL("/favicon.ico", right)));
    pages.push(await pageAt(right, { method: "POST" }));
    pages.push(await pageAt(right, { method: "HEAD" }));
    pages.push(await pageAt(right));
  });
  deepStrictEqual(pages.map(([status]) => status), [400, 400, 400, 404, 404, 405, 405, 200]);
  match(pages[0]?.[1] ?? "", /This does not belong to your sign-in[^]*is still waiting/);
  match(pages.at(-1)?.[1] ?? "", /You are signed in[^]*close this page/);
});

Deno.test("every callback with our state gets the same answer, before and after the end is known", async () => {
  await using loopback = await openLoopback("ours");
  const hit = () => pageAt(`${loopback.redirectUri}?state=ours&code=c`);
  const early = [hit(), hit()];
  strictEqual((await loopback.answer).get("code"), "c");
  loopback.finish(SIGNED_IN);
  loopback.finish(failedPage("too late"));
  const pages = [...await Promise.all(early), await hit()];
  deepStrictEqual(pages, pages.map(() => [200, pages[0]?.[1]]));
  match(pages[0]?.[1] ?? "", /You are signed in/);
});

Deno.test("the page of a failed sign-in shows the beginning of a long reason", () => {
  const long = `a${"x".repeat(300)}`;
  strictEqual(failedPage(long).message, `${long.slice(0, 300)}…`);
  strictEqual(failedPage(long.slice(1)).message, long.slice(1));
});

Deno.test("the page appears only after the sign-in is complete, and reports a failure", async () => {
  await using at = await openHome();
  const order: string[] = [];
  let page = "";
  const signing = signInAt(at, async (url) => {
    [, page] = await pageAt(await allowedAddress(url, at));
    order.push("page");
  }, {
    complete: () => {
      order.push("complete");
      throw new ConfigError('Cannot write "<b>config.json</b>": the disk is full');
    },
  });
  await rejects(signing, ConfigError);
  deepStrictEqual(order, ["complete", "page"]);
  match(page, /You are not signed in/);
  match(page, /Cannot write &quot;&lt;b&gt;config.json&lt;\/b&gt;&quot;: the disk is full/);
  strictEqual(at.sent.at(-1), "POST /oauth2/revoke");
});

Deno.test("the page has no script, link, code or state, and cannot be framed or cached", async () => {
  await using at = await openHome();
  let response: Response | undefined;
  let text = "";
  let secrets: string[] = [];
  await signInAt(at, async (url) => {
    const right = await allowedAddress(url, at);
    secrets = [...right.searchParams.values()].filter((value) => !value.startsWith("http"));
    response = await fetch(right);
    text = await response.text();
  });
  doesNotMatch(text, /<script|<a |href="http|src=/);
  strictEqual(secrets.length, 2);
  for (const secret of secrets) ok(!text.includes(secret));
  const headers = response?.headers;
  const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = headers?.get("Content-Security-Policy") ?? "";
  ok(policy.includes(`style-src 'sha256-${hash}'`), policy);
  for (const part of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'none'"]) {
    ok(policy.includes(part), part);
  }
  strictEqual(headers?.get("Cache-Control"), "no-store");
  strictEqual(headers?.get("Referrer-Policy"), "no-referrer");
});

Deno.test("an answer with our state but another issuer, an error or no code ends the sign-in", async () => {
  await using at = await openHome();
  const answering = (change: (search: URLSearchParams) => void) =>
    signInAt(at, async (url) => {
      const address = await allowedAddress(url, at);
      change(address.searchParams);
      await pageAt(address);
    });
  const evil = answering((search) => search.set("iss", "http://evil.example"));
  await rejects(evil, {
    name: "AuthError",
    message: /is from http:\/\/evil\.example, not from/,
  });
  const failed = answering((search) => {
    search.delete("code");
    search.set("error", "server_error");
    search.set("error_description", "Try later");
  });
  await rejects(failed, { name: "AuthError", message: "Cannot sign in: Try later" });
  await rejects(answering((search) => search.delete("code")), { message: /contains no code$/ });
  await rejects(answering((search) => search.append("code", "b")), {
    message: /contains no code$/,
  });
  ok(!at.sent.includes("POST /oauth2/token"));
  await rejects(answering((search) => search.set("code", "made-up")), AuthError);
  const silent = answering((search) => search.delete("iss"));
  await rejects(silent, { name: "AuthError", message: /does not name its service/ });
  const intercept = ({ url }: Request) =>
    Promise.resolve(url.includes("/.well-known/") ? new Response("", { status: 404 }) : undefined);
  const around = at.around({ intercept, browser: () => Promise.resolve(true) });
  const visit = async (url: string) => {
    const address = await allowedAddress(url, at);
    address.searchParams.delete("iss");
    await pageAt(address);
  };
  const onUrl = (url: string) => void visit(url).catch(() => {});
  ok((await signIn({ surroundings: around, onUrl })).access_token, "it never promised its name");
});

Deno.test("a timeout is told in minutes", async () => {
  await using at = await openHome();
  const { setTimeout: timer } = globalThis;
  const said = async (waitMs: number) => {
    globalThis.setTimeout =
      ((run: () => void, ms: number) => timer(run, ms === waitMs ? 0 : ms)) as typeof setTimeout;
    try {
      return await signInAt(at, () => Promise.resolve(), { waitMs }).then(
        () => "",
        (error: Error) => error.message,
      );
    } finally {
      globalThis.setTimeout = timer;
    }
  };
  strictEqual(await said(60_000), "Cannot sign in: no answer arrived within a minute");
  strictEqual(await said(120_000), "Cannot sign in: no answer arrived within 2 minutes");
});

Deno.test("a timeout or Ctrl-C ends the wait and closes the listener", async () => {
  await using at = await openHome();
  let redirect = "";
  const note = (url: string) => {
    redirect = new URL(url).searchParams.get("redirect_uri") ?? "";
    return Promise.resolve();
  };
  await rejects(signInAt(at, note, { waitMs: 1 }), {
    name: "AuthError",
    message: "Cannot sign in: no answer arrived in time",
    hint: /in a browser on this machine: the answer goes to 127\.0\.0\.1:\d+$/,
  });
  await rejects(fetch(redirect));
  const { setTimeout } = globalThis;
  const soon = (run: () => void, ms?: number) => setTimeout(run, ms === 120_000 ? 1 : ms);
  Object.assign(globalThis, { setTimeout: soon });
  try {
    const message = "Cannot sign in: no answer arrived within 2 minutes";
    await rejects(signInAt(at, note, { waitMs: 120_000 }), { message });
  } finally {
    Object.assign(globalThis, { setTimeout });
  }
  const stop = new AbortController();
  const waiting = signInAt(at, (url) => {
    stop.abort();
    return note(url);
  }, { signal: stop.signal });
  await rejects(waiting, Cancelled);
  await rejects(fetch(redirect));
  await rejects(signInAt(at, note, { signal: stop.signal }), Cancelled);
});

Deno.test("a Ctrl-C during the token exchange revokes the tokens", async () => {
  await using at = await openHome();
  const stop = new AbortController();
  const around = at.around({
    browser: () => Promise.resolve(true),
    intercept: async (request) => {
      if (!request.url.endsWith("/oauth2/token")) return undefined;
      const response = await at.service.fetch(request);
      stop.abort();
      return response;
    },
  });
  const onUrl = (url: string) => void allow(url, at).catch(() => {});
  const stopped = signIn({ surroundings: around, onUrl, signal: stop.signal });
  await rejects(stopped, Cancelled);
  strictEqual(at.sent.at(-1), "POST /oauth2/revoke");
});

Deno.test("an invalid address or an unreachable service is reported before the address is shown", async () => {
  await using at = await openHome();
  const onUrl = () => {
    throw new Error("the address was shown");
  };
  await rejects(signIn({ surroundings: at.around(), onUrl, baseUrl: "not a url" }), UsageError);
  const away = at.around({ intercept: () => Promise.reject(new TypeError("refused")) });
  await rejects(signIn({ surroundings: away, onUrl }), NetworkError);
});

Deno.test("without a browser the person sees the address, unless the answer is already there", async () => {
  await using at = await openHome();
  let told = 0;
  const onNoBrowser = () => void told++;
  await signInAt(at, (url) => allow(url, at), { browser: false, onNoBrowser });
  strictEqual(told, 1);
  const around = at.around({ browser: () => Promise.reject(new Error("crash")) });
  const onUrl = (url: string) => void allow(url, at);
  await signIn({ surroundings: around, onUrl, onNoBrowser });
  strictEqual(told, 2);
});

Deno.test("a script that may not listen is told the missing permission", async () => {
  const source = `
    import { signIn } from ${JSON.stringify(new URL("../../mod.ts", import.meta.url).href)};
    await signIn({ onUrl: () => {}, surroundings: {
      env: () => undefined, cwd: undefined, home: undefined, now: () => 0, warn: () => {},
      fetch: () => Promise.resolve(Response.json({ status: "ok", version: "1" })),
    } }).catch((error) => console.log(error.name, error.hint));`;
  const [ran] = await runPrograms(source, 1, { args: ["--allow-net=127.0.0.1:4010"] });
  deepStrictEqual(ran, {
    code: 0,
    out: "ConfigError In a script allow it with: --allow-net=127.0.0.1\n",
  });
});

Deno.test("read_write includes read, and a star includes any resource", () => {
  const [read, write] = ["a:b:read", "a:b:read_write"];
  deepStrictEqual(missingScopes(write, [read, write]), []);
  deepStrictEqual(missingScopes(read, [read, write]), [write]);
  deepStrictEqual(missingScopes("*:*:read", [read, write]), [write]);
  deepStrictEqual(missingScopes("a:*:read_write", [write, "c:b:read"]), ["c:b:read"]);
  deepStrictEqual(missingScopes("", [read]), [read]);
});

Deno.test("a sign-in has the permissions of all operations by default, and no others", () => {
  const needed = [...new Set(routes.flatMap(({ scopes }) => scopes))];
  deepStrictEqual(missingScopes(DEFAULT_SCOPES.join(" "), needed), []);
  deepStrictEqual(DEFAULT_SCOPES.filter((scope) => !needed.some((one) => one === scope)), []);
});
