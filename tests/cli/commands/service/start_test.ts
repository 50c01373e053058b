import { match, ok, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { openHome, type Ran } from "../../../support/home_fixture.ts";
import { CLI_FLAGS } from "../../../support/cli_flags.ts";

/** Starts a service in memory, which is expected not to start. */
async function start(words: string, env: Record<string, string> = {}): Promise<Ran> {
  await using at = await openHome();
  Object.assign(at.env, env);
  return await at.run(`service start --data :memory: --port 0 ${words}`);
}

Deno.test("off loopback the service refuses to start without a sign-in, and says what to run", async () => {
  for (const host of ["0.0.0.0", "::", "192.0.2.1"]) {
    const { code, err } = await start(`--host ${host}`);
    strictEqual(code, 1);
    ok(err.includes(`Cannot listen on ${host}: other machines can reach the service there`), err);
    match(err, /Add --sign-in password, or --sign-in oidc=ISSUER .*docs\/operating\.md/);
  }
  const { err } = await start("--trust-proxy 127.0.0.1");
  match(err, /Cannot start the service behind a proxy: other machines can reach/);
});

Deno.test("off loopback the service refuses to start without TLS or a proxy", async () => {
  const { code, err } = await start("--host 0.0.0.0 --sign-in password");
  strictEqual(code, 1);
  match(err, /without TLS, others on the network can read passwords and tokens/);
  match(err, /Add --tls-cert FILE and --tls-key FILE, or .* --trust-proxy ADDRESS/);
});

Deno.test("flags of signing in that do not fit are refused before anything starts", async () => {
  const wrong: [string, number, RegExp][] = [
    ["--sign-in magic", 2, /--sign-in takes password or oidc=ISSUER/],
    ["--sign-in oidc", 2, /--sign-in takes password or oidc=ISSUER/],
    ["--sign-in oidc=https://a.example", 2, /CLI_SERVICE_OIDC_CLIENT_ID is not set/],
    ["--sign-in password --sign-in-allow @a.example", 2, /without --sign-in oidc=ISSUER/],
    ["--tls-cert a.pem", 2, /Cannot use --tls-cert without --tls-key/],
    ["--tls-key a.pem", 2, /Cannot use --tls-key without --tls-cert/],
    ["--tls-key no.pem --tls-cert no.pem", 1, /Cannot use "no\.pem" for TLS: /],
    ["--public-url subs.example.com", 2, /Cannot use the public address "subs\.example\.com"/],
    ["--public-url https://a.example/x", 2, /it must be a scheme and a host/],
    ["--public-url ftp://a.example", 2, /it must be a scheme and a host/],
    ["--sign-in password --trust-proxy proxy.example", 2, /neither an IP address nor a network/],
    ["--sign-in password --trust-proxy 0.0.0.0/0", 2, /clients are in this network, too/],
    ["--name a/b", 2, /Cannot name the service "a\/b"/],
    ["--allow-origin a.example", 2, /Cannot allow the origin "a\.example"/],
  ];
  for (const [words, expected, reason] of wrong) {
    const { code, err, out } = await start(words);
    strictEqual(code, expected, `${words}: ${err}`);
    match(err, reason);
    strictEqual(out, "");
  }
  const env = { CLI_SERVICE_OIDC_CLIENT_ID: "service" };
  const { code, err } = await start("--sign-in oidc=http://a.example", env);
  strictEqual(code, 2);
  match(
    err,
    /Cannot use the sign-in provider "http:\/\/a\.example": an issuer is an https address/,
  );
});

/** Starts a service in a process of its own, reads what it prints, and stops it. */
async function announcement(...words: string[]): Promise<{ out: string; err: string }> {
  const script = fileURLToPath(import.meta.resolve("../../../../cli.ts"));
  const allowed = ["--allow-net=127.0.0.1", "--allow-env", "--allow-read", "--allow-write"];
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", ...CLI_FLAGS, ...allowed, script],
      ...["service", "start", "--data", ":memory:", "--port", "0", ...words],
    ],
    env: { CLI_SERVICE_OIDC_CLIENT_ID: "service" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const out = new Response(child.stdout).text();
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let err = "";
  for (
    let done = false;
    !done && !err.includes("--output json") && !err.includes('"message":"People');
  ) {
    const read = await errors.read();
    done = read.done;
    err += read.value ?? "";
  }
  child.kill("SIGTERM");
  for (let rest = await errors.read(); !rest.done; rest = await errors.read()) err += rest.value;
  await child.status;
  return { out: await out, err };
}

Deno.test("a start says how people sign in, and the address that browsers use", async () => {
  const url = ["--public-url", "https://subs.example.com"];
  const closed = await announcement("--sign-in", "password", ...url);
  match(closed.out, /^Browsers reach it at https:\/\/subs\.example\.com$/m);
  // It may be anybody's: the data may be a copy, or have begun without a demonstration.
  match(closed.out, /^Its first project is proj\w+$/m);
  match(closed.err, /People sign in with a password\. .*: cli service account reset EMAIL\n/);
  ok(!closed.err.includes("as the owner"));
  const provider = await announcement("--sign-in", "oidc=https://login.example.com");
  match(provider.err, /People sign in at the OpenID Connect provider\.\n/);
});

Deno.test("with --log json standard error has JSON lines only, from the first to the stop", async () => {
  const words = ["--log", "json", "--sign-in", "password", "--webhook-targets", "loopback"];
  const { out, err } = await announcement(...words);
  match(out, /^The service runs at /);
  const lines = err.trimEnd().split("\n").map((line) => JSON.parse(line));
  for (const { time, level, message } of lines) {
    match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    match(level, /^(info|warning)$/);
    ok(message);
  }
  const messages = lines.map(({ level, message }) => `${level}: ${message}`);
  ok(messages[0]?.startsWith("warning: Webhooks may go to this machine"), err);
  ok(messages.includes("info: The service has stopped"), err);

  const failed = await start("--log json --host 0.0.0.0");
  strictEqual(failed.code, 1);
  const { level, message, hint } = JSON.parse(failed.err);
  strictEqual(level, "error");
  match(message, /^Cannot listen on 0\.0\.0\.0: other machines/);
  match(hint, /^Add --sign-in password/);
});
