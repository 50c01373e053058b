import { deepEqual, equal, match, ok } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { at, linesOf } from "../support/cli_fixture.ts";
import { openDesk } from "../support/harness.ts";
import { CLI_FLAGS } from "../support/cli_flags.ts";

const PROGRAM = fileURLToPath(new URL("../../cli.ts", import.meta.url));

/** The permissions of the task `cli` that these tests need. */
const GRANTS = [
  "--allow-net=127.0.0.1",
  "--allow-env=CLI_*,HOME,USERPROFILE,NO_COLOR,COLUMNS,TERM,CI",
  "--ignore-env",
  "--allow-read",
  "--allow-write",
];

/** The result of a process. */
interface Ended {
  /** Its exit code. */
  code: number;
  /** Standard output. */
  out: string;
  /** Standard error. */
  err: string;
}

/** A folder for one test, with the environment of its processes. */
interface Place extends AsyncDisposable {
  /** The folder, which is also the home folder. */
  readonly folder: string;
  /** The environment. */
  readonly env: Record<string, string>;
  /** Starts a command line. */
  spawn(...words: string[]): Deno.ChildProcess;
  /** Runs a command line to its end. */
  run(...words: string[]): Promise<Ended>;
}

/** Makes a folder and an environment that has nothing of this machine. */
async function openPlace(): Promise<Place> {
  const folder = await Deno.makeTempDir();
  const env: Record<string, string> = { HOME: folder, USERPROFILE: folder };
  for (const name of ["DENO_DIR", "PATH", "SYSTEMROOT"]) {
    const value = Deno.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  // Without DENO_DIR the cache lies in the real home folder.
  env["DENO_DIR"] ??= await cacheFolder();
  const spawn = (...words: string[]) =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", ...CLI_FLAGS, ...GRANTS, PROGRAM, ...words],
      cwd: folder,
      clearEnv: true,
      env,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  return {
    folder,
    env,
    spawn,
    run: async (...words) => await ended(spawn(...words)),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Deno's cache folder. */
async function cacheFolder(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

/** A test that sends signals or starts a shell, which Windows has not. */
function testOnUnix(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, fn, ignore: Deno.build.os === "windows" });
}

/** Waits for the end of a process. */
async function ended(child: Deno.ChildProcess): Promise<Ended> {
  const [{ code }, out, err] = await Promise.all([
    child.status,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, out, err };
}

/** A service in a process of its own. */
interface Running {
  /** Its first output. */
  readonly facts: Record<string, unknown>;
  /** Sends signals in order, and returns the further output and the exit code. */
  stop(...signals: Deno.Signal[]): Promise<Ended>;
}

/** Starts a service and waits for its first line. */
async function startService(place: Place, ...words: string[]): Promise<Running> {
  const child = place.spawn("service", "start", "--port", "0", "--output", "json", ...words);
  const err = new Response(child.stderr).text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the service did not start: ${await err}`);
    text += value;
  }
  const [line = "", rest = ""] = text.split("\n");
  return {
    facts: JSON.parse(line),
    async stop(...signals) {
      for (const signal of signals) child.kill(signal);
      let out = rest;
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        out += part.value;
      }
      const { code } = await child.status;
      return { code, out, err: await err };
    },
  };
}

testOnUnix("a service of one's own starts, serves, is found, and stops cleanly", async () => {
  await using place = await openPlace();
  const { facts, stop } = await startService(place);
  const base_url = String(facts["base_url"]);
  match(base_url, /^http:\/\/127\.0\.0\.1:\d+$/);
  match(String(facts["project_id"]), /^proj/);

  const status = await place.run("service", "status", "--output", "json");
  equal(status.code, 0, status.err);
  deepEqual([at(JSON.parse(status.out), "running"), at(JSON.parse(status.out), "base_url")], [
    true,
    base_url,
  ]);

  const token = await place.run("service", "token");
  equal(token.code, 0, token.err);
  match(token.out, /^\S+\n$/);
  Object.assign(place.env, {
    CLI_BASE_URL: base_url,
    CLI_PROJECT_ID: facts["project_id"],
    CLI_REFRESH_TOKEN: token.out.trim(),
  });
  const list = await place.run("offerings", "list");
  deepEqual([list.code, list.err], [0, ""]);
  match(list.out, /^\* +default +Standard prices/m);

  const second = await place.run("service", "start", "--port", "0");
  equal(second.code, 1);
  match(second.err, /^Cannot .*\n/);
  ok(second.err.includes(base_url), second.err);
  const reset = await place.run("service", "reset", "-y");
  ok(reset.code !== 0 && (await place.run("offerings", "list")).code === 0, reset.err);

  deepEqual(await stop("SIGINT"), { code: 0, out: "", err: "" });
  const other = await place.run("service", "status", "--data", "my data");
  match(other.err, /\nStart it with: cli service start --port \d+ --data 'my data'\n$/);
  const gone = await place.run("service", "status");
  equal(gone.code, 8);
  match(
    gone.err,
    /no service is running with the data in .*\nStart it with: cli service start --port \d+\n$/,
  );
  const dead = await place.run("offerings", "list");
  equal(dead.code, 8);
  match(
    dead.err,
    /: the connection was refused\nStart .*: cli service start --port \d+, and with the same --data/,
  );

  // The lock is free, and the written data is there.
  const again = await startService(place);
  equal(again.facts["project_id"], facts["project_id"]);
  equal((await again.stop("SIGTERM")).code, 0);
  equal((await place.run("service", "reset")).code, 3);
  equal((await place.run("service", "reset", "-y")).code, 0);
});

testOnUnix("a port that is taken is named, with what to do", async () => {
  await using place = await openPlace();
  const { facts, stop } = await startService(place, "--data", ":memory:");
  ok(typeof facts["admin_secret"] === "string");
  const { port } = new URL(String(facts["base_url"]));
  const { code, out, err } = await place.run("service", "start", "--port", port);
  deepEqual([code, out], [1, ""]);
  match(err, new RegExp(`^Cannot .*${port}.*\\n.*--port`));
  equal((await stop("SIGTERM")).code, 0);
});

testOnUnix("a reader that leaves early is no error", async () => {
  await using served = await serveDesk();
  await using place = await openPlace();
  Object.assign(place.env, served.env);
  const program = [Deno.execPath(), "run", ...CLI_FLAGS, ...GRANTS, PROGRAM];
  const command = program.map((word) => `'${word}'`).join(" ");
  for (
    const [words, reader] of [["offerings list", "head -1"], [
      "products list --output json",
      "true",
    ]]
  ) {
    const script = `{ ${command} ${words}; echo "left $?" >&2; } | ${reader}`;
    const child = new Deno.Command("sh", {
      args: ["-c", script],
      cwd: place.folder,
      clearEnv: true,
      env: place.env,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const { out, err } = await ended(child);
    equal(err, "left 0\n", words);
    ok(reader === "true" ? out === "" : /^CURRENT .*\n$/.test(out), out);
  }
});

Deno.test({
  name: "a full disk is not a fault of the program",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using place = await openPlace();
    const program = [Deno.execPath(), "run", ...CLI_FLAGS, ...GRANTS, PROGRAM];
    const command = program.map((word) => `'${word}'`).join(" ");
    const { folder: cwd, env } = place;
    for (const [to, said] of [[">", /^Cannot write to standard output: .*\n$/], ["2>", /^$/]]) {
      const args = ["-c", `${command} ${to === ">" ? "version" : "offerings view"} ${to}/dev/full`];
      const options = { args, cwd, clearEnv: true, env } as const;
      const child = new Deno.Command("sh", {
        ...options,
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const { code, err } = await ended(child);
      equal(code, to === ">" ? 1 : 2);
      match(err, new RegExp(said ?? ""));
    }
  },
});

testOnUnix("one Ctrl-C that comes as two signals stops the service cleanly", async () => {
  // A terminal sends it to the program and to its parent, which passes it on.
  await using place = await openPlace();
  const { stop } = await startService(place, "--data", "data");
  deepEqual(await stop("SIGINT", "SIGTERM", "SIGINT"), { code: 0, out: "", err: "" });
  const left = Array.from(Deno.readDirSync(`${place.folder}/data`), ({ name }) => name);
  deepEqual(left.sort(), ["admin.secret", "service.db", "service.lock"]);
});

testOnUnix("an interrupt ends a wait at once, with exit code 130", async () => {
  await using place = await openPlace();
  let asked = Promise.withResolvers<void>();
  await using served = await serveDesk((request) => {
    if (!new URL(request.url).pathname.startsWith("/v2/")) return undefined;
    asked.resolve();
    return new Response("{}", { status: 429, headers: { "Retry-After": "60" } });
  });
  Object.assign(place.env, served.env);
  for (const words of [["offerings", "list"], ["offerings", "list", "--output", "json"]]) {
    asked = Promise.withResolvers();
    const child = place.spawn(...words);
    const ending = ended(child);
    await asked.promise;
    child.kill("SIGINT");
    const { code, out, err } = await ending;
    deepEqual([code, out], [130, ""]);
    // The wait itself may have been announced before.
    const last = err.trimEnd().split("\n").at(-1) ?? "";
    if (words.length === 2) equal(last, "Stopped");
    else equal(at(JSON.parse(last), "error", "type"), "cancelled");
  }
});

testOnUnix("a signal ends a command that waits for a pipe or a server, at once", async () => {
  await using place = await openPlace();
  let asked = Promise.withResolvers<void>();
  await using served = await serveDesk((request) => {
    if (!new URL(request.url).pathname.endsWith("/apps")) return undefined;
    asked.resolve();
    // An answer that never ends.
    return new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
  });
  Object.assign(place.env, served.env);
  const pipe = `${place.folder}/pipe`;
  await new Deno.Command("sh", { args: ["-c", `mkfifo '${pipe}'`] }).output();
  const offering = ["offerings", "create", "--file", pipe];
  for (const [words, isSent] of [[["apps", "list"], true], [offering, false]] as const) {
    for (const [signal, exit] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
      asked = Promise.withResolvers();
      const child = place.spawn(...words);
      const ending = ended(child);
      // Nothing shows that a program waits for a pipe, so it gets some time to come to that.
      if (isSent) await asked.promise;
      else await new Promise((resolve) => setTimeout(resolve, 1500));
      child.kill(signal);
      const sent = performance.now();
      const { code, out, err } = await ending;
      deepEqual([code, out], [exit, ""], `${words.join(" ")}: ${err}`);
      equal(err.trimEnd().split("\n").at(-1), "Stopped");
      ok(performance.now() - sent < 2000, `${words.join(" ")} goes on after ${signal}`);
    }
  }
});

Deno.test("help needs no permission, and nothing prompts for one", async () => {
  await using place = await openPlace();
  const bare = async (...words: string[]) => {
    const child = new Deno.Command(Deno.execPath(), {
      // Without --no-prompt, so that a prompt would show if there were one.
      args: ["run", "--quiet", PROGRAM, ...words],
      cwd: place.folder,
      clearEnv: true,
      env: { ...place.env, CLI_PROJECT_ID: "p", CLI_REFRESH_TOKEN: "rtk_1" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    return await ended(child);
  };
  const help = await bare("offerings", "--help");
  deepEqual([help.code, help.err], [0, ""]);
  const list = await bare("projects", "list");
  ok(list.code !== 0);
  equal(list.out, "");
  ok(!/prompt|Allow\?|\[y\/n/i.test(list.err), list.err);
  ok(linesOf(list.err).length <= 3, list.err);
});

Deno.test("output that is not a terminal has no colours and is not cut", async () => {
  await using served = await serveDesk();
  await using place = await openPlace();
  Object.assign(place.env, served.env, { COLUMNS: "20", TERM: "xterm-256color" });
  for (const words of [["products", "list"], ["offerings", "view", "default"], ["nonsense"]]) {
    const { out, err } = await place.run(...words);
    ok(!`${out}${err}`.includes("\u001b"), words.join(" "));
    ok(!out.includes("…"), words.join(" "));
  }
});

Deno.test("a chart in a pipe is as wide as COLUMNS", async () => {
  await using served = await serveDesk();
  await using place = await openPlace();
  for (const [columns, expected] of [["50", 50], ["wide", 80]] as const) {
    Object.assign(place.env, served.env, { COLUMNS: columns });
    const { out } = await place.run("charts", "get", "mrr", "--plot");
    const axis = linesOf(out).find((line) => line.includes("┼"));
    equal(axis?.length, expected);
  }
});

/** A desk's service on a port, and the environment that reaches it. */
async function serveDesk(
  first: (request: Request) => Response | undefined = () => undefined,
): Promise<AsyncDisposable & { env: Record<string, string> }> {
  const desk = await openDesk();
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  const server = Deno.serve(options, (request) => first(request) ?? desk.service.fetch(request));
  return {
    env: { ...desk.env, CLI_BASE_URL: `http://127.0.0.1:${server.addr.port}` },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await desk[Symbol.asyncDispose]();
    },
  };
}

testOnUnix("service start says so when webhooks may go to this machine", async () => {
  await using place = await openPlace();
  const data = ["--data", ":memory:"];
  const usual = await startService(place, ...data);
  equal(usual.facts["webhook_targets"], "public");
  await usual.stop("SIGINT");
  const lax = await startService(place, ...data, "--webhook-targets", "loopback");
  equal(lax.facts["webhook_targets"], "loopback");
  await lax.stop("SIGINT");
  const words = ["service", "start", "--port", "0", ...data, "--webhook-schedule", "dev"];
  const child = place.spawn(...words, "--webhook-targets", "private");
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!said.includes("--output json")) said += (await errors.read()).value;
  match(
    said,
    /^Warning: Webhooks may go to this machine and private networks, even without HTTPS/m,
  );
  child.kill("SIGINT");
  while (!(await errors.read()).done);
  await child.stdout.cancel();
  equal((await child.status).code, 0);
});
