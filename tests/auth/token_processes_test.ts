import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { saveProfile } from "../../lib/auth/store.ts";
import {
  CHILD,
  client,
  expired,
  onDisk,
  profileNamed,
  program,
  runPrograms,
  serve,
  testMachine,
  tokenSent,
  tokenService,
} from "../support/token_service.ts";

/** The number of processes that start at once. */
const COUNT = Number(Deno.env.get("AUTH_PROCESSES") ?? 6);

Deno.test(`${COUNT} processes with one expired token all succeed with one rotation`, async () => {
  const [machine, service, refresh_token] = await expired();
  await using _ = machine;
  await using server = serve(service);
  const CLI_BASE_URL = `http://127.0.0.1:${server.addr.port}`;
  const changes = { refresh_token, expires_at_ms: 0, base_url: CLI_BASE_URL };
  await saveProfile(machine, profileNamed("default", changes));
  const env = { HOME: machine.home, CLI_BASE_URL };
  const runs = await runPrograms(program(), COUNT, { args: CHILD, env, cwd: machine.cwd });
  const token = `${(await onDisk(machine)).access_token}\n`;
  deepStrictEqual(runs, runs.map(() => ({ code: 0, out: token })));
  deepStrictEqual([service.forms.length, service.pairs], [1, 1]);
});

Deno.test(`${COUNT} processes with one CLI_REFRESH_TOKEN all succeed with one exchange, and so does a later one`, async () => {
  const service = tokenService();
  await using machine = await testMachine(service);
  await using server = serve(service);
  const env = {
    HOME: machine.home,
    CLI_BASE_URL: `http://127.0.0.1:${server.addr.port}`,
    CLI_REFRESH_TOKEN: service.issue(),
  };
  const runs = await runPrograms(program(), COUNT, { args: CHILD, env, cwd: machine.cwd });
  deepStrictEqual(runs, runs.map(() => ({ code: 0, out: "atk_test_number_2\n" })));
  deepStrictEqual([service.forms.length, service.pairs], [1, 1]);
  service.now += 7_200_000;
  const later = `const real = Date.now; Date.now = () => real() + 7_200_000;`;
  const [run] = await runPrograms(program(later), 1, { args: CHILD, env, cwd: machine.cwd });
  deepStrictEqual(run, { code: 0, out: "atk_test_number_4\n" });
});

Deno.test("after a kill between receiving and storing, the next run works within the grace or names the command to run", async () => {
  const [machine, service, refresh_token] = await expired();
  await using _ = machine;
  await using server = serve(service);
  const base_url = `http://127.0.0.1:${server.addr.port}`;
  const changes = { refresh_token, expires_at_ms: 0, base_url };
  await saveProfile(machine, profileNamed("default", changes));
  const dying = program(`
    const send = globalThis.fetch;
    globalThis.fetch = async (...request) => {
      const response = await send(...request);
      await response.clone().text();
      Deno.kill(Deno.pid, "SIGKILL");
      return response;
    };`);
  const options = {
    args: [...CHILD, "--allow-run"],
    env: { HOME: machine.home },
    cwd: machine.cwd,
  };
  const [killed] = await runPrograms(dying, 1, options);
  ok(killed && killed.code !== 0 && killed.out === "");
  strictEqual((await onDisk(machine)).refresh_token, refresh_token);
  service.now += 40_000;
  await rejects(tokenSent(await client(machine)), {
    name: "AuthError",
    message: 'Cannot refresh the sign-in of profile "default": The token was replaced',
    hint: "Sign in again with: cli auth login",
  });
  service.now -= 20_000;
  const [next] = await runPrograms(program(), 1, options);
  deepStrictEqual(next, { code: 0, out: `${(await onDisk(machine)).access_token}\n` });
  strictEqual(service.pairs, 1);
});

Deno.test("a token request does not follow redirects", async () => {
  const [machine, service, refresh_token] = await expired();
  await using _ = machine;
  await using server = serve(service);
  const base_url = `http://127.0.0.1:${server.addr.port}`;
  const headers = { Location: `${base_url}/elsewhere` };
  service.instead = () => new Response(null, { status: 307, headers });
  await saveProfile(
    machine,
    profileNamed("default", { refresh_token, expires_at_ms: 0, base_url }),
  );
  const surroundings = { ...machine, fetch: undefined };
  await rejects(tokenSent(await client(machine, { surroundings })), { message: /status 307$/ });
  strictEqual(service.requests.length, 0);
});

Deno.test("a full disk is noticed before the token is exchanged", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const [machine, service, refresh_token] = await expired();
  await using _ = machine;
  await using server = serve(service);
  const base_url = `http://127.0.0.1:${server.addr.port}`;
  await saveProfile(
    machine,
    profileNamed("default", { refresh_token, expires_at_ms: 0, base_url }),
  );
  const before = await onDisk(machine);
  const env = { HOME: machine.home };
  const options = { args: CHILD, env, cwd: machine.cwd, shell: "trap '' XFSZ; ulimit -f 0" };
  const [run] = await runPrograms(program(), 1, options);
  match(run?.out ?? "", /ConfigError: Cannot lock ".*config\.json\.lock": File too large/);
  strictEqual(service.forms.length, 0);
  deepStrictEqual(await onDisk(machine), before);
  deepStrictEqual(
    [...Deno.readDirSync(join(machine.home, ".cli"))].map(({ name }) => name).sort(),
    [
      "config.json",
      "config.json.lock",
    ],
  );
});
