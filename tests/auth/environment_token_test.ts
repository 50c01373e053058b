import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { connect, resolveConnection } from "../../lib/connect.ts";
import {
  CHILD,
  client,
  modeOf,
  program,
  putPrivate,
  runPrograms,
  serve,
  type TestMachine,
  testMachine,
  tokenSent,
  type TokenService,
  tokenService,
} from "../support/token_service.ts";

const HOUR = 3_600_000;

/** A machine whose environment gives a refresh token. */
async function given(rotates: boolean): Promise<[TestMachine, TokenService, string]> {
  const service = tokenService();
  service.rotates = rotates;
  const machine = await testMachine(service);
  const token = service.issue();
  machine.variables.CLI_REFRESH_TOKEN = token;
  return [machine, service, token];
}

/** The files in which given tokens are remembered. */
function rememberedFiles(machine: TestMachine): string[] {
  const folder = join(machine.home, ".cli", "ci");
  return [...Deno.readDirSync(folder)].map(({ name }) => join(folder, name))
    .filter((path) => path.endsWith(".json"));
}

Deno.test("a given token is exchanged once an hour, however many runs use it", async () => {
  for (const rotates of [true, false]) {
    const [machine, service, token] = await given(rotates);
    await using _ = machine;
    const first = await tokenSent(await client(machine));
    strictEqual(await tokenSent(await client(machine)), first);
    service.now += HOUR;
    ok(await tokenSent(await client(machine)) !== first);
    service.now += HOUR;
    await tokenSent(await client(machine));
    const sent = service.forms.map((form) => form.get("refresh_token"));
    strictEqual(sent.length, 3);
    strictEqual(sent[0], token);
    strictEqual(new Set(sent).size, rotates ? 3 : 1);
    deepStrictEqual(machine.warnings, []);
  }
});

Deno.test("a value that is no refresh token is refused before anything is sent or stored", async () => {
  const [machine, service] = await given(true);
  await using _ = machine;
  const values = [
    ["atk_0123456789abcdef", /holds an access token, not a refresh token$/],
    ["sk_0123456789abcdef", /holds another kind of secret, not a refresh token$/],
    ["rtk_one rtk_two", /contains white space$/],
  ] as const;
  for (const [value, message] of values) {
    machine.variables.CLI_REFRESH_TOKEN = value;
    await rejects(tokenSent(await client(machine)), { name: "AuthError", message });
  }
  deepStrictEqual([service.forms, [...Deno.readDirSync(machine.home)]], [[], []]);
});

Deno.test("a token unused for 60 days is forgotten when a new one comes, unless it is in use", async () => {
  const [machine, service] = await given(false);
  await using _ = machine;
  await tokenSent(await client(machine));
  const [first = ""] = rememberedFiles(machine);
  const folder = join(machine.home, ".cli", "ci");
  const [written] = [(await Deno.stat(first)).mtime ?? new Date(NaN)];
  const ages = { old: 61, held: 61, young: 59, orphan: 61 };
  for (const [name, days] of Object.entries(ages)) {
    const then = new Date(written.getTime() - days * 24 * HOUR);
    for (const end of name === "orphan" ? [".json.lock"] : [".json", ".json.lock"]) {
      await putPrivate(join(folder, name + end), {});
      await Deno.utime(join(folder, name + end), then, then);
    }
  }
  const names = () => [...Deno.readDirSync(folder)].map(({ name }) => name.slice(0, 8)).sort();
  using held = await Deno.open(join(folder, "held.json.lock"), { write: true });
  await held.lock(true);
  // A renewal of what is known removes nothing.
  service.now += HOUR;
  await tokenSent(await client(machine));
  ok(names().includes("old.json"));
  machine.variables.CLI_REFRESH_TOKEN = service.issue();
  await tokenSent(await client(machine));
  deepStrictEqual(names().filter((name) => /^[a-z]+\./.test(name)), [
    "held.jso",
    "held.jso",
    "young.js",
    "young.js",
  ]);
  strictEqual(rememberedFiles(machine).length, 4);
});

Deno.test("the memory is private and does not contain the given token", async () => {
  const [machine, service, token] = await given(false);
  await using _ = machine;
  await tokenSent(await client(machine));
  service.rotates = true;
  const [path = ""] = rememberedFiles(machine);
  match(path, /[0-9a-f]{64}\.json$/);
  const text = await Deno.readTextFile(path);
  ok(!text.includes(token));
  deepStrictEqual(Object.keys(JSON.parse(text)), ["access_token", "expires_at_ms", "scope"]);
  service.now += HOUR;
  await tokenSent(await client(machine));
  match(JSON.parse(await Deno.readTextFile(path)).refresh_token, /^rtk_test_number_\d$/);
  if (Deno.build.os === "windows") return;
  for (const folder of [".cli", ".cli/ci"]) {
    strictEqual(await modeOf(join(machine.home, folder)), "700");
  }
  strictEqual(await modeOf(path), "600");
  await Deno.chmod(path, 0o644);
  await rejects(tokenSent(await client(machine)), { hint: `Run: chmod 600 ${path}` });
});

Deno.test("a damaged memory is an error, also where only its scope is read", async () => {
  const [machine] = await given(false);
  await using _ = machine;
  await tokenSent(await client(machine));
  const { grantedScope } = await resolveConnection(machine);
  strictEqual(typeof await grantedScope(), "string");
  const [path = ""] = rememberedFiles(machine);
  await Deno.writeTextFile(path, "{");
  await rejects(grantedScope(), ({ message }: Error) => message.includes(path));
});

Deno.test("each token and each service has its own memory", async () => {
  const [machine, service] = await given(true);
  await using _ = machine;
  await tokenSent(await client(machine));
  machine.variables.CLI_BASE_URL = "http://127.0.0.1:4010/";
  await tokenSent(await client(machine));
  strictEqual(rememberedFiles(machine).length, 1);
  // Within the grace, the service that is meant here answers with the same pair.
  await tokenSent(await client(machine, { baseUrl: "http://localhost:4010" }));
  strictEqual(rememberedFiles(machine).length, 2);
  machine.variables.CLI_REFRESH_TOKEN = service.issue();
  await tokenSent(await client(machine));
  strictEqual(rememberedFiles(machine).length, 3);
});

Deno.test("an access token that the service refuses is replaced with the help of the successor", async () => {
  const [machine, service] = await given(true);
  await using _ = machine;
  await tokenSent(await client(machine));
  const [path = ""] = rememberedFiles(machine);
  const content = JSON.parse(await Deno.readTextFile(path));
  await putPrivate(path, { ...content, access_token: "atk_refused" });
  strictEqual(
    await tokenSent(await client(machine)),
    JSON.parse(await Deno.readTextFile(path)).access_token,
  );
  strictEqual(service.forms.at(-1)?.get("refresh_token"), content.refresh_token);
});

Deno.test("concurrent callers share one exchange", async () => {
  const [machine, service] = await given(true);
  await using _ = machine;
  const ours = async () => await connect({ surroundings: machine });
  const clients = await Promise.all([ours(), ours(), ours(), ours()]);
  const sent = await Promise.all([...clients, ...clients].map(tokenSent));
  strictEqual(new Set(sent).size, 1);
  strictEqual(service.forms.length, 1);
});

Deno.test("where nothing can be stored, a token that does not rotate works", async () => {
  const [machine, service] = await given(false);
  await using _ = machine;
  await Deno.writeTextFile(join(machine.home, "file"), "");
  const homes = [undefined, join(machine.home, "gone"), join(machine.home, "file")];
  for (const home of homes) {
    const connected = await client(machine, { surroundings: { ...machine, home } });
    const sent = await tokenSent(connected);
    strictEqual(await tokenSent(connected), sent);
    service.now += HOUR;
    await tokenSent(connected);
  }
  deepStrictEqual(machine.warnings, []);
  machine.variables.CLI_DEBUG = "1";
  await tokenSent(await client(machine, { surroundings: { ...machine, home: undefined } }));
  // The first says what CLI_DEBUG takes.
  strictEqual(machine.warnings.length, 2);
  match(machine.warnings[1] ?? "", /^Each run exchanges .*\(no home folder is known\)\.$/);
});

Deno.test("where nothing can be stored, a rotating token lasts for this run, with a warning", async () => {
  const [machine, service] = await given(true);
  await using _ = machine;
  await Deno.writeTextFile(join(machine.home, ".cli"), "in the way", { mode: 0o600 });
  const homes: [string | undefined, RegExp][] = [
    [undefined, /\(no home folder is known\)/],
    [join(machine.home, "gone"), /\(Cannot create ".*": its folder does not exist\)/],
  ];
  for (const [home, reason] of homes) {
    machine.variables.CLI_REFRESH_TOKEN = service.issue();
    machine.warnings.length = 0;
    const connected = await client(machine, { surroundings: { ...machine, home } });
    for (let run = 0; run < 3; run++) {
      await tokenSent(connected);
      service.now += HOUR;
    }
    strictEqual(machine.warnings.length, 1);
    match(machine.warnings[0] ?? "", /^The service has replaced CLI_REFRESH_TOKEN, and the repl/);
    match(machine.warnings[0] ?? "", reason);
    match(machine.warnings[0] ?? "", /the next one will be refused\. .*cli service token$/);
    await rejects(tokenSent(await client(machine, { surroundings: { ...machine, home } })), {
      name: "AuthError",
      message: "Cannot sign in with CLI_REFRESH_TOKEN: the service refused it " +
        "(The token was replaced)",
      hint:
        /^It may be mistyped, .* rotating token works on one machine only, .*cli service token$/,
    });
  }
});

Deno.test("a ~/.cli that others can open, or that is a file, does not block a given token", {
  ignore: Deno.build.os === "windows",
}, async () => {
  for (const place of ["a file", 0o755, 0o2777]) {
    for (const rotates of [false, true]) {
      const [machine, service] = await given(rotates);
      await using _ = machine;
      const folder = join(machine.home, ".cli");
      if (typeof place === "string") await Deno.writeTextFile(folder, "");
      else {
        await Deno.mkdir(join(folder, "ci"), { recursive: true });
        await Deno.chmod(folder, place);
      }
      const connected = await client(machine);
      await tokenSent(connected);
      service.now += HOUR;
      await tokenSent(connected);
      strictEqual(machine.warnings.length, rotates ? 1 : 0);
      const { grantedScope } = await resolveConnection(machine);
      strictEqual(await grantedScope(), undefined);
    }
  }
});

Deno.test("a disk that fails after the exchange affects the next run only", async () => {
  const [machine, service] = await given(true);
  await using _ = machine;
  const connected = await client(machine);
  await tokenSent(connected);
  service.now += HOUR;
  const folder = join(machine.home, ".cli", "ci");
  const away = join(machine.home, "away");
  service.beforeAnswer = async () => {
    await Deno.rename(folder, away);
    await Deno.writeTextFile(folder, "in the way");
  };
  await tokenSent(connected);
  strictEqual(machine.warnings.length, 1);
  service.beforeAnswer = undefined;
  await Deno.remove(folder);
  await Deno.rename(away, folder);
  // The file holds a token that was replaced; this process knows the newer one and heals it.
  service.now += HOUR;
  await tokenSent(connected);
  service.now += HOUR;
  await tokenSent(await client(machine));
  strictEqual(service.pairs, 4);
  strictEqual(machine.warnings.length, 1);
});

Deno.test("when the service refuses the successor, the given token is tried once more", async () => {
  const [machine, service, token] = await given(true);
  await using _ = machine;
  await tokenSent(await client(machine));
  const [path = ""] = rememberedFiles(machine);
  await putPrivate(path, { access_token: "atk_x", expires_at_ms: 0, refresh_token: "rtk_ended" });
  await tokenSent(await client(machine));
  deepStrictEqual(service.forms.slice(1).map((form) => form.get("refresh_token")), [
    "rtk_ended",
    token,
  ]);
  service.now += HOUR;
  await putPrivate(path, { access_token: "atk_x", expires_at_ms: 0, refresh_token: "rtk_ended" });
  await rejects(tokenSent(await client(machine)), {
    name: "AuthError",
    message: /refused it \(The token is unknown\), and its replacement$/,
  });
});

Deno.test("a refused token from a program is reported as such", async () => {
  await using machine = await testMachine();
  await rejects(tokenSent(await client(machine, { refreshToken: "rtk_wrong" })), {
    message: "Cannot sign in with refreshToken: the service refused it (The token is unknown)",
  });
});

Deno.test("a script needs only its host and its variables", async () => {
  const service = tokenService();
  service.rotates = false;
  await using machine = await testMachine(service);
  await using server = serve(service);
  const env = {
    HOME: machine.home,
    CLI_BASE_URL: `http://127.0.0.1:${server.addr.port}`,
    CLI_REFRESH_TOKEN: service.issue(),
    CLI_PROJECT_ID: "proj_1",
  };
  const cwd = machine.cwd;
  await putPrivate(join(cwd, ".cli", "config.json"), "this would be an error");
  await Deno.writeTextFile(join(cwd, "cli.toml"), "so would this");
  const minimal = ["--allow-net=127.0.0.1", "--allow-env=CLI_*"];
  for (const args of [minimal, [...minimal, "--allow-read"], CHILD]) {
    // Every permission request would end this program: nobody is there to answer.
    const [run] = await runPrograms(program(), 1, { args, env, cwd });
    match(run?.out ?? "", /^atk_test_number_\d\n$/);
    strictEqual(run?.code, 0);
  }
  strictEqual(rememberedFiles(machine).length, 1);
});
