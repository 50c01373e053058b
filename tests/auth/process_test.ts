/**
 * Many processes of the real command line at once. `AUTH_PROCESSES=64` starts more of them.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { saveProfile } from "../../lib/auth/store.ts";
import { LIFETIMES } from "../../lib/service/oauth/mod.ts";
import type { Service } from "../../lib/service/mod.ts";
import { cacheFolder } from "../support/cache_folder.ts";
import { ended } from "../support/ended.ts";
import { openOnPort } from "../support/on_port.ts";
import { CLI_FLAGS } from "../support/cli_flags.ts";

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));
const COUNT = Number(Deno.env.get("AUTH_PROCESSES") ?? 6);
const HALF = Math.ceil(COUNT / 2);
const NAMES = "CLI_*,HOME,USERPROFILE,NO_COLOR,COLUMNS,TERM,TERM_PROGRAM,WT_SESSION,CI";

/** A service that listens, and a home folder. */
interface Place extends AsyncDisposable {
  /** The service. */
  service: Service;
  /** Its address. */
  baseUrl: string;
  /** The environment of processes. */
  env: Record<string, string>;
  /** The home folder. */
  home: string;
  /** Runs when the token endpoint has an answer, before that is sent. */
  beforeAnswer: (() => void) | undefined;
  /** Moves the service's time. */
  pass(milliseconds: number): void;
}

async function openPlace(): Promise<Place> {
  const home = await Deno.realPath(await Deno.makeTempDir());
  let passed = 0;
  const clock = () => Date.now() + passed;
  const onPort = await openOnPort({ clock }, async (request, pass) => {
    const response = await pass(request);
    if (request.url.endsWith("/oauth2/token")) place.beforeAnswer?.();
    return response;
  });
  const { service, baseUrl } = onPort;
  const env = {
    HOME: home,
    USERPROFILE: home,
    NO_COLOR: "1",
    CLI_BASE_URL: baseUrl,
    DENO_DIR: await cacheFolder(),
  };
  const place: Place = {
    service,
    baseUrl,
    env,
    home,
    beforeAnswer: undefined,
    pass: (milliseconds) => void (passed += milliseconds),
    async [Symbol.asyncDispose]() {
      await onPort[Symbol.asyncDispose]();
      await Deno.remove(home, { recursive: true });
    },
  };
  return place;
}

/** Starts the command line with the permissions that its task has. */
function start(place: Place, ...words: string[]): Deno.ChildProcess {
  const flags = [...CLI_FLAGS, "--cached-only", "--allow-net", `--allow-env=${NAMES}`];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, "--ignore-env", "--allow-read", "--allow-write", CLI, ...words],
    cwd: place.home,
    env: place.env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs many processes at once; all must do the same, and without a word on standard error. */
async function allSucceed(place: Place, count: number): Promise<void> {
  const children = Array.from(
    { length: count },
    () => start(place, "projects", "list", "--output", "json"),
  );
  const runs = await Promise.all(children.map(ended));
  const [first] = runs;
  match(first?.out ?? "", /"name": "Notes"/);
  deepStrictEqual(runs, runs.map(() => ({ code: 0, out: first?.out, err: "" })));
}

/** Stores a sign-in whose access token has ended. Returns its refresh token. */
async function storeEnded({ service, baseUrl, home }: Place): Promise<string> {
  const { access_token, refresh_token } = await service.oauth.issueToken({ rotates: true });
  const around = {
    env: () => undefined,
    cwd: home,
    home,
    now: () => Date.now(),
    warn: () => {},
  };
  const profile = { name: "default", access_token, refresh_token, base_url: baseUrl };
  await saveProfile(around, { ...profile, expires_at_ms: 0 });
  return refresh_token;
}

/** How many refresh tokens were replaced, and how many access tokens are live. */
async function counts({ service }: Place): Promise<{ rotations: number; access: number }> {
  return await service.store.read(async (tx) => {
    const rotated = await tx.selectFrom("refresh_tokens").select("hash")
      .where("rotated_at", "is not", null).execute();
    const access = await tx.selectFrom("access_tokens").select("hash").execute();
    return { rotations: rotated.length, access: access.length };
  });
}

/** The refresh token that the file of profiles holds. */
async function storedToken({ home }: Place): Promise<string> {
  const text = await Deno.readTextFile(join(home, ".cli", "config.json"));
  return JSON.parse(text).profiles.default.refresh_token;
}

Deno.test(`${COUNT} processes that start with an expired access token all succeed, with one rotation`, async () => {
  await using place = await openPlace();
  const before = await storeEnded(place);
  await allSucceed(place, COUNT);
  deepStrictEqual(await counts(place), { rotations: 1, access: 1 });
  ok(await storedToken(place) !== before);
});

Deno.test(`${HALF} processes with one CLI_REFRESH_TOKEN that rotates all succeed, with one rotation`, async () => {
  await using place = await openPlace();
  const { refresh_token } = await place.service.oauth.issueToken({ rotates: true });
  place.env.CLI_REFRESH_TOKEN = refresh_token;
  await allSucceed(place, HALF);
  deepStrictEqual(await counts(place), { rotations: 1, access: 1 });
  place.pass(LIFETIMES.grace + 1000);
  const later = await ended(start(place, "projects", "list"));
  deepStrictEqual([later.code, later.err], [0, ""], "the successor is remembered");
});

Deno.test(`${HALF} processes with one CLI_REFRESH_TOKEN that does not rotate all succeed, with one exchange`, async () => {
  await using place = await openPlace();
  const { refresh_token } = await place.service.oauth.issueToken();
  place.env.CLI_REFRESH_TOKEN = refresh_token;
  await allSucceed(place, HALF);
  // One came with the refresh token itself.
  deepStrictEqual(await counts(place), { rotations: 0, access: 2 });
});

Deno.test("a process killed between receiving and storing loses nothing within the grace", async () => {
  await using place = await openPlace();
  const before = await storeEnded(place);
  const child = start(place, "projects", "list");
  place.beforeAnswer = () => child.kill("SIGKILL");
  const killed = await ended(child);
  place.beforeAnswer = undefined;
  strictEqual(killed.out, "");
  deepStrictEqual(await counts(place), { rotations: 1, access: 1 });
  strictEqual(await storedToken(place), before, "the old token is all that is stored");
  const next = await ended(start(place, "projects", "list"));
  deepStrictEqual([next.code, next.err], [0, ""]);
  deepStrictEqual(await counts(place), { rotations: 1, access: 1 });
  ok(await storedToken(place) !== before);
});

Deno.test("after a kill between receiving and storing, a later run names the command to run", async () => {
  await using place = await openPlace();
  await storeEnded(place);
  const child = start(place, "projects", "list");
  place.beforeAnswer = () => child.kill("SIGKILL");
  await ended(child);
  place.beforeAnswer = undefined;
  place.pass(LIFETIMES.grace + 1000);
  const late = await ended(start(place, "projects", "list"));
  deepStrictEqual([late.code, late.out], [4, ""]);
  match(late.err, /^Cannot refresh the sign-in of profile "default": .*used before/);
  match(late.err, /\nSign in again with: cli auth login\n$/);
});
