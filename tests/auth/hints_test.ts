import { equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { recognizeService } from "../../lib/auth/discovery.ts";
import { openLoopback } from "../../lib/auth/loopback.ts";
import { checkStorable, saveProfile, setActive } from "../../lib/auth/store.ts";
import { connect, type ConnectOptions, signIn } from "../../lib/connect.ts";
import { ToolkitError } from "../../lib/errors.ts";
import { path } from "../../lib/path.ts";
import { allowedAddress, type Home, openHome } from "../support/home_fixture.ts";
import { profileNamed, putPrivate } from "../support/token_service.ts";

/** Checks the reason and the remedy of the error with which something ends. */
async function check(run: () => Promise<unknown>, reason: string, hint: string | undefined) {
  const error = await run().then(() => undefined, (thrown) => thrown);
  ok(error instanceof ToolkitError, `${reason}: ${error}`);
  equal(error.message, reason);
  equal(error.hint, hint);
}

/** A request that needs a sign-in. */
function requestAt(at: Home, options: ConnectOptions = {}, surroundings = at.around()) {
  return async () => await (await connect({ surroundings, ...options })).get(path`/v2/projects`);
}

Deno.test("a missing or unusable sign-in names the next command", async () => {
  await using at = await openHome();
  await check(
    requestAt(at),
    "Cannot send the request: nobody is signed in",
    "Run: cli auth login, or in CI set CLI_REFRESH_TOKEN",
  );
  const homeless = { ...at.around(), home: undefined };
  await check(
    requestAt(at, {}, homeless),
    "Cannot send the request: nobody is signed in",
    "Set CLI_REFRESH_TOKEN, or let this program read the stored sign-in with: " +
      "--allow-env=CLI_*,HOME --allow-read --allow-write",
  );
  const none = 'Cannot use the profile "work": none is stored';
  await check(
    requestAt(at, { profile: "work" }),
    none,
    "Sign in with: cli auth login --name work",
  );
  await check(
    () => setActive(at.around(), "work"),
    none,
    "Sign in with: cli auth login --name work",
  );
  await saveProfile(at.around(), profileNamed("a b"));
  await check(
    requestAt(at),
    'Cannot choose a sign-in: the profile "default" is not among "a b"',
    "Choose one with: cli auth use 'a b'",
  );
  await check(
    requestAt(at, { profile: "c d" }),
    'Cannot use the profile "c d": stored are "a b"',
    "Choose a stored profile, or sign in with: cli auth login --name 'c d'",
  );
  await check(
    requestAt(at, { refreshToken: " " }),
    "Cannot sign in with an empty refresh token",
    "Leave refreshToken out to use CLI_REFRESH_TOKEN or the stored sign-in.",
  );
  await check(
    () => saveProfile(at.around(), profileNamed("a\nb")),
    'Cannot use "a\\nb" as the name of a profile',
    "Use 1 to 64 characters on one line, without a space at either end.",
  );
  await check(
    () => saveProfile(homeless, profileNamed("a")),
    "Cannot find ~/.cli/config.json: no home folder is known",
    "Set HOME, and in a script allow reading it with: --allow-env=CLI_*,HOME",
  );
});

Deno.test("a given token that is refused names the next command", async () => {
  await using at = await openHome();
  const reset = "It may be mistyped, from another service, or from a service that was reset. A " +
    "rotating token works on one machine only, as long as ~/.cli/ci keeps its replacement. " +
    "Set a new token; for a local service: cli service token";
  at.env["CLI_REFRESH_TOKEN"] = "rtk_unknown";
  const reason = "Cannot sign in with CLI_REFRESH_TOKEN: the service refused it " +
    "(The refresh token is unknown)";
  await check(requestAt(at), reason, reset);
  at.env["CLI_REFRESH_TOKEN"] = "atk_one";
  await check(
    requestAt(at),
    "Cannot sign in with CLI_REFRESH_TOKEN: it holds an access token, not a refresh token",
    "Set it to a complete refresh token and nothing else; for a local service: cli service token",
  );
});

Deno.test("an address of another server names the right one", async () => {
  await using at = await openHome();
  const intercept = () => Promise.resolve(new Response("", { status: 404 }));
  const around = at.around({ intercept });
  await check(
    () => recognizeService({ baseUrl: "http://h", around }),
    "Cannot use http://h: the server there is not the service",
    "Check CLI_BASE_URL: it must be the service's address without a path of the API.",
  );
  await check(
    () => recognizeService({ baseUrl: "http://h/v1", around }),
    "Cannot use http://h/v1: the server there is not the service",
    "Leave out the version: CLI_BASE_URL=http://h",
  );
});

Deno.test("a port of another program is named, with the remedy", async () => {
  await using first = await openLoopback("s");
  const { port } = new URL(first.redirectUri);
  await check(
    () => openLoopback("s", Number(port)),
    `Cannot listen on 127.0.0.1:${port} for the browser's answer: another program uses the port`,
    "Stop that program, or choose another port.",
  );
});

Deno.test("a failed sign-in names the next step", async () => {
  await using at = await openHome();
  const around = at.around({ browser: () => Promise.resolve(true) });
  const answering = (change: (search: URLSearchParams) => void) => async () => {
    const visit = async (url: string) => {
      const address = await allowedAddress(url, at);
      change(address.searchParams);
      await (await fetch(address)).body?.cancel();
    };
    let visited: Promise<void> | undefined;
    const onUrl = (url: string) => void (visited = visit(url));
    await signIn({ surroundings: around, onUrl }).finally(() => visited);
  };
  const again = "Try again. If that does not help, check CLI_BASE_URL.";
  await check(
    answering((search) => search.delete("code")),
    "Cannot sign in: the answer of the service contains no code",
    again,
  );
  await check(
    answering((search) => search.delete("iss")),
    "Cannot sign in: the answer does not name its service",
    again,
  );
  await check(
    answering((search) => search.set("iss", "http://evil.example")),
    "Cannot sign in: the answer is from http://evil.example, not from http://127.0.0.1:4010",
    "Set CLI_BASE_URL to the address that the service gives for itself, if you trust it.",
  );
  await check(
    answering((search) => search.set("error", "access_denied")),
    "Cannot sign in: access was denied in the browser",
    "Nothing was stored. Try again and choose Allow.",
  );
  await check(
    answering((search) => search.set("error", "invalid_scope")),
    "Cannot sign in: invalid_scope",
    "Request other permissions, or leave them out to get all that the commands need.",
  );
  await check(
    answering((search) => search.set("error", "server_error")),
    "Cannot sign in: server_error",
    undefined,
  );
});

Deno.test("a sign-in that was removed meanwhile names its command", async () => {
  await using at = await openHome();
  const around = at.around();
  const file = join(at.home, ".cli", "config.json");
  await saveProfile(around, profileNamed("w", { expires_at_ms: 0 }));
  const client = await connect({ surroundings: around, profile: "w" });
  await putPrivate(file, { profiles: {} });
  await check(
    () => client.get(path`/v2/projects`),
    `Cannot refresh the sign-in of profile "w": it was removed from ${file}`,
    "Sign in again with: cli auth login --name w",
  );
});

Deno.test("a file that cannot keep a sign-in is refused before the person signs in", async () => {
  await using at = await openHome();
  const file = join(at.home, ".cli", "config.json");
  await checkStorable(at.around(), "default");
  await putPrivate(file, { profiles: [] });
  await check(
    () => checkStorable(at.around(), "default"),
    `Cannot use "${file}": profiles must be an object`,
    `Correct ${file}, or remove it and set it up again.`,
  );
  equal(await Deno.readTextFile(file), '{"profiles":[]}');
});
