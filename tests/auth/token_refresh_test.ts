import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { renewing } from "../../lib/auth/access_token.ts";
import { saveProfile } from "../../lib/auth/store.ts";
import { connect } from "../../lib/connect.ts";
import { rememberFolder } from "../../lib/config/folders.ts";
import { ApiError, AuthError, ConfigError, NetworkError } from "../../lib/errors.ts";
import {
  client,
  expired,
  NOW,
  onDisk,
  profileNamed,
  putPrivate,
  tokenSent,
} from "../support/token_service.ts";

Deno.test("a token that expires within a minute is replaced, a later one is not", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const connected = await client(machine);
  const first = await tokenSent(connected);
  strictEqual(service.forms.length, 1);
  service.now += 3_600_000 - 60_001;
  strictEqual(await tokenSent(connected), first);
  service.now += 1;
  ok(await tokenSent(connected) !== first);
  strictEqual(service.forms.length, 2);
});

Deno.test("the refresh names the client of the sign-in, and the new pair is stored", async () => {
  const [machine, service, refresh_token] = await expired();
  await using _ = machine;
  const profile = profileNamed("default", { refresh_token, expires_at_ms: 0, client_id: "mine" });
  await saveProfile(machine, profile);
  const access_token = await tokenSent(await client(machine));
  deepStrictEqual(Object.fromEntries(service.forms[0] ?? []), {
    grant_type: "refresh_token",
    refresh_token,
    client_id: "mine",
  });
  deepStrictEqual(await onDisk(machine), {
    ...profile,
    access_token,
    refresh_token: "rtk_test_number_3",
    expires_at_ms: NOW + 3_600_000,
    scope: "a:b:read",
  });
});

Deno.test("a sign-in without its own client uses CLI_OAUTH_CLIENT_ID, then the built-in client", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  await tokenSent(await client(machine));
  machine.variables.CLI_OAUTH_CLIENT_ID = "theirs";
  service.now += 3_600_000;
  await tokenSent(await client(machine));
  deepStrictEqual(service.forms.map((form) => form.get("client_id")), ["svc-cli", "theirs"]);
});

Deno.test("the new pair is on disk before it is used", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const stored: unknown[] = [];
  const surroundings = {
    ...machine,
    fetch: async (request: Request) => {
      if (!request.url.endsWith("/oauth2/token")) stored.push((await onDisk(machine)).access_token);
      return await service.fetch(request);
    },
  };
  const sent = await tokenSent(await client(machine, { surroundings }));
  deepStrictEqual(stored, [sent]);
});

Deno.test("an answer without a refresh token keeps the old one, and unknown fields stay", async () => {
  const [machine, service, refresh_token] = await expired();
  await using _ = machine;
  service.rotates = false;
  service.namesUnchanged = false;
  const file = join(machine.home, ".cli", "config.json");
  const content = JSON.parse(await Deno.readTextFile(file));
  content.profiles.default.note = "mine";
  await putPrivate(file, content);
  await tokenSent(await client(machine));
  const stored = await onDisk(machine);
  deepStrictEqual([stored.refresh_token, stored.note], [refresh_token, "mine"]);
});

Deno.test("a token that the service refuses is replaced once, and the request repeated", async () => {
  const [machine, service, refresh_token] = await expired();
  await using _ = machine;
  await saveProfile(machine, profileNamed("default", { refresh_token }));
  const connected = await client(machine);
  strictEqual(await tokenSent(connected), (await onDisk(machine)).access_token);
  deepStrictEqual([service.forms.length, service.requests.length], [1, 2]);
  const elsewhere = connected.with({ credential: "atk_refused" });
  await rejects(tokenSent(elsewhere), ApiError);
});

Deno.test("a pair that another process stored is used instead of a refresh", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const [early, late] = [await client(machine), await client(machine)];
  const sent = await tokenSent(early);
  strictEqual(await tokenSent(late), sent);
  strictEqual(service.forms.length, 1);
  // The same where this process had a good token, which the other one's refresh has ended.
  service.now += 3_590_000;
  const renewed = await tokenSent(early);
  strictEqual(await tokenSent(late), renewed);
  strictEqual(service.forms.length, 2);
});

Deno.test("concurrent callers share one refresh", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const connected = await connect({ surroundings: machine });
  const others = await Promise.all([1, 2, 3].map(() => connect({ surroundings: machine })));
  const all = [connected, connected, connected, ...others].map(tokenSent);
  strictEqual(new Set(await Promise.all(all)).size, 1);
  deepStrictEqual([service.forms.length, service.pairs], [1, 1]);
});

Deno.test("callers that wait for a refresh do not start another one", async () => {
  let renewals = 0;
  const credential = renewing(() => NOW, undefined, async (refused) => {
    await Promise.resolve();
    return { access_token: `${refused} ${++renewals}`, expires_at_ms: NOW + 3_600_000 };
  });
  ok(typeof credential === "function");
  const calls = await Promise.all([credential("a"), credential("a"), credential(undefined)]);
  deepStrictEqual([...calls, await credential("a")], ["a 1", "a 1", "a 1", "a 1"]);
  strictEqual(await credential("a 1"), "a 1 2");
});

Deno.test("a refused refresh is reported, and the stored token is kept", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const before = await onDisk(machine);
  for (const [name, command] of [["default", "cli auth login"], ["w", "cli auth login --name w"]]) {
    await saveProfile(
      machine,
      profileNamed(name ?? "", { refresh_token: "rtk_x", expires_at_ms: 0 }),
    );
    await rejects(tokenSent(await client(machine, { profile: name })), (error) => {
      ok(error instanceof AuthError);
      strictEqual(
        error.message,
        `Cannot refresh the sign-in of profile "${name}": The token is unknown`,
      );
      strictEqual(error.hint, `Sign in again with: ${command}`);
      return true;
    });
  }
  strictEqual(service.requests.length, 0);
  deepStrictEqual((await onDisk(machine)).access_token, before.access_token);
  strictEqual((await onDisk(machine)).refresh_token, "rtk_x");
});

Deno.test("a lost answer is requested again, three times in all", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  let failures = 2;
  service.beforeAnswer = () =>
    failures-- > 0 ? Promise.reject(new TypeError("connection reset")) : Promise.resolve();
  const sent = await tokenSent(await client(machine));
  strictEqual((await onDisk(machine)).access_token, sent);
  deepStrictEqual([service.forms.length, service.pairs], [3, 1]);
  service.now += 3_600_000;
  failures = Infinity;
  await rejects(tokenSent(await client(machine)), (error) => {
    ok(error instanceof NetworkError);
    match(error.message, /^Cannot reach http:\/\/127\.0\.0\.1:4010: connection reset$/);
    return true;
  });
  strictEqual(service.forms.length, 6);
});

Deno.test("a busy service is retried, a failing one is reported", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const answers = [
    () => Response.json({}, { status: 503 }),
    () => Response.json({}, { status: 429, headers: { "Retry-After": "1" } }),
    undefined,
  ];
  service.instead = () => answers.shift()?.();
  await tokenSent(await client(machine));
  strictEqual(service.forms.length, 3);
  service.now += 3_600_000;
  const limited = { status: 429, headers: { "Retry-After": "600" } };
  service.instead = () => Response.json({ error: "slow_down" }, limited);
  await rejects(tokenSent(await client(machine)), (error) => {
    ok(error instanceof ApiError);
    deepStrictEqual([error.status, error.retryAfterMs, error.path], [
      429,
      600_000,
      "/oauth2/token",
    ]);
    match(error.message, /^Cannot get an access token: the service answered "status 429"$/);
    return true;
  });
  strictEqual(service.forms.length, 4);
});

Deno.test("an invalid token answer is refused, and redirects are not followed", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const answers: [Response, RegExp][] = [
    [new Response("<html>Sign in to the network</html>"), /it has no access token$/],
    [Response.json({ access_token: "" }), /it has no access token$/],
    [new Response("", { status: 404 }), /it has status 404$/],
    [new Response(null, { status: 307, headers: { Location: "/v2/projects" } }), /status 307$/],
  ];
  for (const [answer, message] of answers) {
    service.instead = () => answer;
    await rejects(tokenSent(await client(machine)), { name: "NetworkError", message });
  }
  deepStrictEqual([service.requests.length, service.forms.length], [0, 4]);
});

Deno.test("a sign-in is sent only to its own service", async () => {
  const [machine, service, refresh_token] = await expired();
  await using _ = machine;
  const elsewhere = "http://localhost:4010";
  const refused = {
    name: "AuthError",
    message: `Cannot use the sign-in of profile "default" at ${elsewhere}: ` +
      "it was issued by http://127.0.0.1:4010",
    hint: /^Unset CLI_BASE_URL .* sign in at http:\/\/localhost:4010 with: cli auth login$/,
  };
  await rejects(tokenSent(await client(machine, { baseUrl: elsewhere })), refused);
  machine.variables.CLI_BASE_URL = elsewhere;
  await rejects(tokenSent(await client(machine)), refused);
  // A token that needs no refresh is kept from the other service just as well.
  await saveProfile(machine, profileNamed("default", { refresh_token }));
  await rejects(tokenSent(await client(machine)), refused);
  await saveProfile(machine, profileNamed("default", { refresh_token, expires_at_ms: 0 }));
  machine.variables.CLI_BASE_URL = "http://127.0.0.1:4010/";
  const running = await client(machine);
  await tokenSent(running);
  // The name may come to mean another service while this process runs.
  await saveProfile(
    machine,
    profileNamed("default", { refresh_token, expires_at_ms: 0, base_url: elsewhere }),
  );
  service.now += 3_600_000;
  await rejects(tokenSent(running), { message: /it was issued by http:\/\/localhost:4010$/ });
  strictEqual(service.forms.length, 1);
});

Deno.test("a profile removed during the refresh is reported", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const connected = await client(machine);
  await putPrivate(join(machine.home, ".cli", "config.json"), { profiles: {} });
  await rejects(tokenSent(connected), { name: "AuthError", message: /it was removed from/ });
  strictEqual(service.forms.length, 0);
});

Deno.test("where nothing can be written, the token is not exchanged", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const connected = await client(machine);
  await Deno.remove(join(machine.home, ".cli", "config.json.lock"));
  await Deno.mkdir(join(machine.home, ".cli", "config.json.lock"));
  await rejects(tokenSent(connected), (error) => {
    ok(error instanceof ConfigError);
    match(error.message, /^Cannot lock ".*config\.json\.lock": there is a folder at its path$/);
    return true;
  });
  strictEqual(service.forms.length, 0);
});

Deno.test("a pair that cannot be stored is reported, and the next run within the grace works", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const folder = join(machine.home, ".cli");
  const waits: number[] = [];
  const surroundings = { ...machine, pause: (ms: number) => Promise.resolve(void waits.push(ms)) };
  service.beforeAnswer = async () => {
    await Deno.rename(folder, join(machine.home, "away"));
    await Deno.writeTextFile(folder, "in the way");
  };
  const failing = tokenSent(await client(machine, { surroundings }));
  await rejects(failing, (error) => {
    ok(error instanceof ConfigError);
    match(
      error.message,
      /^Cannot store the sign-in of profile "default", which the service has just renewed: cannot /,
    );
    match(
      error.hint ?? "",
      /accepts the old token for 30 seconds .* sign in with: cli auth login$/,
    );
    return true;
  });
  deepStrictEqual([service.requests.length, waits], [0, [200, 200]]);
  await Deno.remove(folder);
  await Deno.rename(join(machine.home, "away"), folder);
  service.beforeAnswer = undefined;
  service.now += 29_000;
  strictEqual(await tokenSent(await client(machine)), (await onDisk(machine)).access_token);
  strictEqual(service.pairs, 1);
});

Deno.test("a failed write is retried once", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const folder = join(machine.home, ".cli");
  const away = join(machine.home, "away");
  service.beforeAnswer = async () => {
    await Deno.rename(folder, away);
    await Deno.writeTextFile(folder, "in the way");
  };
  const surroundings = {
    ...machine,
    pause: async () => {
      await Deno.remove(folder);
      await Deno.rename(away, folder);
    },
  };
  strictEqual(
    await tokenSent(await client(machine, { surroundings })),
    (await onDisk(machine)).access_token,
  );
});

Deno.test("the local sign-in is refreshed in its own file, and the profile is unchanged", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const before = await onDisk(machine);
  const file = join(machine.cwd, ".cli", "config.json");
  const { name: _name, ...token } = profileNamed("x", { refresh_token: service.issue() });
  const [id, base_url] = ["made_here", "http://127.0.0.1:4010"];
  await rememberFolder(machine, { id, folder: machine.cwd, base_url });
  await putPrivate(file, {
    id,
    project_id: "p",
    extra: 1,
    profile: { ...token, expires_at_ms: 0 },
  });
  const sent = await tokenSent(await client(machine));
  const content = JSON.parse(await Deno.readTextFile(file));
  deepStrictEqual([content.profile.access_token, content.extra], [sent, 1]);
  deepStrictEqual(await onDisk(machine), before);
  await tokenSent(await client(machine, { profile: "default" }));
  strictEqual(service.pairs, 2);
  service.now += 3_600_000;
  strictEqual(typeof await tokenSent(await client(machine)), "string");
  content.profile.refresh_token = "rtk_x";
  await putPrivate(file, { id, profile: { ...content.profile, expires_at_ms: 0 } });
  await rejects(tokenSent(await client(machine)), { message: /the sign-in of ".*config\.json"/ });
});
