import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import { saveProfile, setActive } from "../lib/auth/store.ts";
import { connect, resolveConnection, systemSurroundings } from "../lib/connect.ts";
import { AuthError, ConfigError, UsageError } from "../lib/errors.ts";
import { path } from "../lib/path.ts";
import { VERSION } from "../lib/version.ts";
import {
  CHILD,
  client,
  expired,
  onDisk,
  profileNamed,
  program,
  putPrivate,
  runPrograms,
  serve,
  testMachine,
  tokenSent,
  tokenService,
} from "./support/token_service.ts";

Deno.test("the address comes from the option, CLI_BASE_URL, the sign-in, the local service, in this order", async () => {
  await using machine = await testMachine();
  const value = async (baseUrl?: string) =>
    Object.values((await resolveConnection(machine, { baseUrl })).baseUrl).join(" ");
  strictEqual(await value(), "http://127.0.0.1:4010 default");
  await saveProfile(machine, profileNamed("default", { base_url: "https://own.test/" }));
  strictEqual(await value(), "https://own.test credential");
  machine.variables.CLI_BASE_URL = " https://variable.test/base/ ";
  strictEqual(await value(), "https://variable.test/base environment");
  strictEqual(await value("https://option.test"), "https://option.test option");
  await rejects(value("ftp://option.test"), UsageError);
  machine.variables.CLI_BASE_URL = "127.0.0.1:4010";
  await rejects(value(), { name: "UsageError", hint: /CLI_BASE_URL/ });
});

Deno.test("a connection shows its sources and the shadowed ones, and sends nothing", async () => {
  const service = tokenService();
  await using machine = await testMachine(service);
  await saveProfile(machine, profileNamed("work"));
  await setActive(machine, "work");
  const local = join(dirname(machine.cwd), ".cli", "config.json");
  await putPrivate(local, { project_id: "proj_local", profile: profileNamed("x") });
  machine.variables.CLI_PROJECT_ID = "proj_env";
  machine.variables.CLI_REFRESH_TOKEN = "rtk_from_environment";
  const { project, credential, client, baseUrl } = await resolveConnection(machine);
  deepStrictEqual(project, {
    kind: "environment",
    source: "CLI_PROJECT_ID",
    id: "proj_env",
    shadows: [{ kind: "local", source: local, id: "proj_local" }],
  });
  deepStrictEqual([credential?.kind, credential?.source], ["environment", "CLI_REFRESH_TOKEN"]);
  deepStrictEqual(credential?.shadows.map(({ kind, name, source }) => [kind, name, source]), [
    ["local", undefined, local],
    ["profile", "work", join(machine.home, ".cli", "config.json")],
  ]);
  deepStrictEqual([client.projectId, client.baseUrl], ["proj_env", baseUrl.value]);
  deepStrictEqual([service.forms.length, service.requests.length], [0, 0]);
});

Deno.test("a sign-in from another service is shown, and refused only when used", async () => {
  await using machine = await testMachine();
  await saveProfile(machine, profileNamed("default", { base_url: "https://own.test" }));
  machine.variables.CLI_BASE_URL = "https://other.test";
  const { credential, client } = await resolveConnection(machine);
  strictEqual(credential?.baseUrl, "https://own.test");
  await rejects(client.get(path`/v2/projects`), { message: /issued by https:\/\/own\.test$/ });
});

Deno.test("without a sign-in, the first request explains how to sign in", async () => {
  const service = tokenService();
  await using machine = await testMachine(service);
  await rejects(tokenSent(await client(machine)), {
    name: "AuthError",
    message: "Cannot send the request: nobody is signed in",
    hint: "Run: cli auth login, or in CI set CLI_REFRESH_TOKEN",
  });
  const homeless = { ...machine, home: undefined };
  await rejects(tokenSent(await client(machine, { surroundings: homeless })), {
    hint: /^Set CLI_REFRESH_TOKEN, or let this program read .* --allow-read/,
  });
  await saveProfile(machine, profileNamed("work"));
  await saveProfile(machine, profileNamed("home"));
  await rejects(tokenSent(await client(machine)), {
    message: 'Cannot choose a sign-in: the profile "default" is not among "work", "home"',
    hint: "Choose one with: cli auth use work",
  });
  strictEqual(service.requests.length, 0);
});

Deno.test("a request without our sign-in may carry another credential", async () => {
  const service = tokenService();
  await using machine = await testMachine(service);
  const sdk = (await client(machine)).with({ credential: "appl_public" });
  await rejects(tokenSent(sdk), { name: "ApiError" });
  strictEqual(service.requests[0]?.headers.get("Authorization"), "Bearer appl_public");
});

Deno.test("every request, the refresh included, names the client and its version", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const agents: (string | null)[] = [];
  const fetch = (request: Request) => {
    agents.push(request.headers.get("User-Agent"));
    return service.fetch(request);
  };
  await tokenSent(await client(machine, { surroundings: { ...machine, fetch } }));
  deepStrictEqual(agents, [`cli/${VERSION}`, `cli/${VERSION}`]);
});

Deno.test("CLI_DEBUG=http logs every try without a secret, and the caller's own listener receives it too", async () => {
  const [machine, , refresh_token] = await expired();
  await using _ = machine;
  machine.variables.CLI_DEBUG = "http";
  const log: string[] = [];
  const heard: string[] = [];
  const surroundings = { ...machine, log: (text: string) => void log.push(text) };
  const onExchange = ({ request }: { request: Request }) => void heard.push(request.url);
  const sent = await tokenSent(await client(machine, { surroundings, onExchange }));
  strictEqual(log.length, 2);
  match(log[0] ?? "", /POST http:\/\/127\.0\.0\.1:4010\/oauth2\/token/);
  match(log[1] ?? "", /GET http:\/\/127\.0\.0\.1:4010\/v2\/projects/);
  const next = String((await onDisk(machine)).refresh_token);
  for (const secret of [refresh_token, sent, next]) {
    for (const text of log) ok(!text.includes(secret), text);
  }
  strictEqual(heard.length, 2);
  deepStrictEqual(machine.warnings, []);
  machine.variables.CLI_DEBUG = "other";
  await tokenSent(await client(machine, { surroundings }));
  strictEqual(log.length, 2);
});

Deno.test("the real environment is read at the time of use", async () => {
  const around = systemSurroundings();
  const name = "CLI_TEST_OF_SURROUNDINGS";
  strictEqual(around.env(name), undefined);
  Deno.env.set(name, "1");
  strictEqual(around.env(name), "1");
  Deno.env.delete(name);
  strictEqual(around.cwd, Deno.cwd());
  ok(Math.abs(around.now() - Date.now()) < 5_000);
  const source = `
    import { systemSurroundings } from ${JSON.stringify(import.meta.resolve("../lib/connect.ts"))};
    const around = systemSurroundings();
    console.log(JSON.stringify([around.env("CLI_PROFILE"), around.env("PATH"), around.home]));`;
  const env = { CLI_PROFILE: "p", HOME: "/h", USERPROFILE: "/h" };
  const run = async (...args: string[]) => (await runPrograms(source, 1, { args, env }))[0]?.out;
  strictEqual(await run(), "[null,null,null]\n");
  strictEqual(await run("--allow-env=CLI_*"), '["p",null,null]\n');
  strictEqual(await run("--allow-env=CLI_*,HOME,USERPROFILE"), '["p",null,"/h"]\n');
});

Deno.test("an unreadable project differs from an unset one", async () => {
  const source = `
    import { connect } from ${JSON.stringify(import.meta.resolve("../lib/connect.ts"))};
    import { listOfferings } from ${
    JSON.stringify(import.meta.resolve("../lib/resources/offerings.ts"))
  };
    await listOfferings(await connect()).catch((error) => console.log(error.message, error.hint));`;
  const run = async (...args: string[]) =>
    (await runPrograms(source, 1, { args, env: {} }))[0]?.out ?? "";
  match(
    await run(),
    /none is set Pass projectId, .* read CLI_PROJECT_ID: --allow-env=CLI_\*/,
  );
  match(await run("--allow-env=CLI_*"), /none is set Pass --project-id/);
});

Deno.test("without a permission a file counts as missing, and a refresh names the missing permission", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  await using server = serve(service);
  const base_url = `http://127.0.0.1:${server.addr.port}`;
  const profile = profileNamed("default", { base_url, expires_at_ms: 0 });
  await saveProfile(machine, { ...profile, refresh_token: service.issue() });
  const [env, cwd] = [{ HOME: machine.home }, machine.cwd];
  const source = program(`addEventListener("unhandledrejection", (event) => {
    console.log(event.reason.hint);
  });`);
  const run = async (...args: string[]) =>
    (await runPrograms(source, 1, { args: [...CHILD.slice(0, 2), ...args], env, cwd }))[0];
  match((await run())?.out ?? "", /nobody is signed in/);
  const readOnly = await run("--allow-read");
  match(readOnly?.out ?? "", /Cannot write ".*": this program has no permission for it/);
  match(readOnly?.out ?? "", /--allow-read=\S+ and --allow-write=\S+\.cli$/m);
  const folder = join(machine.home, ".cli");
  const narrow = await run(`--allow-read=${folder}`, `--allow-write=${folder}`);
  match(narrow?.out ?? "", /^atk_test_number_\d\n$/);
  if (Deno.build.os === "windows") return;
  await Deno.chmod(join(folder, "config.json"), 0o644);
  match((await run("--allow-read"))?.out ?? "", /others can open it/);
});

Deno.test("a broken file stops only the commands that need it", async () => {
  const service = tokenService();
  await using machine = await testMachine(service);
  await putPrivate(join(machine.cwd, ".cli", "config.json"), "{");
  await Deno.writeTextFile(join(machine.cwd, "cli.toml"), "[");
  await rejects(connect({ surroundings: machine }), ConfigError);
  machine.variables.CLI_REFRESH_TOKEN = service.issue();
  await rejects(connect({ surroundings: machine }), ConfigError);
  const connected = await connect({ surroundings: machine, projectId: "proj_1" });
  strictEqual(connected.projectId, "proj_1");
  match(await tokenSent(connected), /^atk_/);
  delete machine.variables.CLI_REFRESH_TOKEN;
  await rejects(connect({ surroundings: machine, projectId: "p", profile: "x" }), AuthError);
});
