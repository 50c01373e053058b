import { deepEqual, equal, match, ok } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { openService, type Service } from "../lib/service/mod.ts";
import { serve } from "../lib/service/serve.ts";
import { verifyWebhook } from "../lib/webhook.ts";
import { BASE_URL, type Desk, type DeskOptions, openDesk } from "./harness.ts";
import { TLS } from "./internet.ts";
import { simulate } from "./simulation.ts";
import { childLines } from "./store_fixture.ts";

const TARGET = "http://127.0.0.1:3999/hooks";

/** Whether a request is one of a listener to the service. */
function isListening({ url }: Request): boolean {
  return /\/listeners\/\w+\/(events|ack)(\?|$)/.test(url);
}

/** A desk whose command line may listen, and what has arrived at the target, verified. */
async function openListening(
  answer: (count: number) => number,
  intercept: DeskOptions["intercept"] = (request, pass) => pass(request),
): Promise<{ desk: Desk; arrived: string[]; bodies: string[] }> {
  const arrived: string[] = [];
  const bodies: string[] = [];
  let secret = "";
  let tries = 0;
  const desk = await openDesk({
    async intercept(request, pass) {
      if (request.url !== TARGET) {
        const response = await intercept(request, pass);
        if (/\/listeners\/\w+$/.test(request.url)) {
          secret = (await response.clone().json()).signing_secret;
        }
        return response;
      }
      const body = await request.clone().text();
      const { id } = await verifyWebhook(request, secret);
      const status = answer(++tries);
      if (status === 0) throw new TypeError("connection reset");
      if (status === 200) {
        arrived.push(id);
        bodies.push(body);
      }
      return new Response("thanks", { status });
    },
  });
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  return { desk, arrived, bodies };
}

/** Listens until nothing is left. */
function listenAll(desk: Desk, ...more: string[]) {
  return desk.run("events", "listen", "--forward-to", TARGET, "--until-idle", ...more);
}

/** Lets somebody subscribe, and others buy something once. Returns the ids of all events. */
async function makeEvents(desk: Desk, others: number): Promise<string[]> {
  const sim = simulate(desk);
  await sim.subscribe({ product_id: "notes.pro.monthly" });
  for (let i = 0; i < others; i++) {
    await sim.purchase({ customer_id: `buyer${i}`, product_id: "notes.pro.lifetime" });
  }
  return (await sim.rows("events")).map((event) => event.id);
}

Deno.test("events listen loses and reorders nothing when the connection is cut 200 times", async () => {
  let asked = 0;
  let cuts = 0;
  const { desk, arrived, bodies } = await openListening(
    // Every fifth delivery fails, one way or another.
    (count) => count % 5 === 0 ? [0, 500, 301, 429][count / 5 % 4] ?? 0 : 200,
    async (request, pass) => {
      if (!isListening(request) || cuts >= 200 || ++asked % 3 === 0) return await pass(request);
      // Half of what is cut has taken effect.
      if (cuts++ % 2 === 0) await pass(request);
      throw new TypeError("error reading a body from connection");
    },
  );
  await using _ = desk;
  await listenAll(desk);
  const made = await makeEvents(desk, 150);
  const { code, out } = await listenAll(desk);
  equal(code, 0);
  equal(cuts, 200);
  deepEqual(arrived, made);
  const rows = await simulate(desk).rows("events");
  deepEqual(bodies, rows.map(({ payload }) => payload));
  const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line));
  equal(lines[0].waiting, made.length);
  ok(lines.some(({ object }) => object === "connection_lost"));
  deepEqual(lines.filter(({ status }) => status === 200).map((line) => line.event_id), made);
});

Deno.test("events listen goes on where it was, each name on its own", async () => {
  const { desk, arrived } = await openListening(() => 200);
  await using _ = desk;
  await listenAll(desk);
  await listenAll(desk, "--name", "other");
  const made = await makeEvents(desk, 4);
  equal((await listenAll(desk, "--count", "2")).code, 0);
  deepEqual(arrived, made.slice(0, 2));
  await listenAll(desk);
  deepEqual(arrived, made);
  await listenAll(desk, "--name", "other", "--events", "initial_purchase");
  deepEqual(arrived.length, made.length + 1);
});

Deno.test("events listen keeps what is refused, and says so", async () => {
  const { desk, arrived } = await openListening((count) => count < 5 ? 500 : 200);
  await using _ = desk;
  await listenAll(desk);
  const made = await makeEvents(desk, 1);
  const refused = await listenAll(desk, "--attempts", "4");
  equal(refused.code, 8);
  match(refused.err, /^Cannot forward INITIAL_PURCHASE \S+: it answers 500\n/);
  await listenAll(desk);
  deepEqual(arrived, made);
});

Deno.test("events listen waits for what happens, and outlives a restart of the service", async () => {
  const folder = await Deno.makeTempDir();
  const options = { database: join(folder, "data.db"), adminSecret: "adm_x", buyers: false };
  let service: Service | undefined = await openService(options);
  const { projectId = "" } = service;
  const arrived: string[] = [];
  const restarted = Promise.withResolvers<void>();
  const desk = await openDesk({
    async intercept(request) {
      if (request.url === TARGET) {
        arrived.push((await request.json()).event.type);
        if (arrived.length === 1) {
          await service?.close();
          service = undefined;
        }
        return new Response("thanks");
      }
      if (service) return await service.fetch(request);
      service = await openService(options);
      restarted.resolve();
      throw new TypeError("connection refused");
    },
  });
  Object.assign(desk.env, { CLI_PROJECT_ID: projectId, CLI_SERVICE_ADMIN_SECRET: "adm_x" });
  const buy = async (customer_id: string) => {
    const headers = { Authorization: "Bearer adm_x", "Content-Type": "application/json" };
    const body = JSON.stringify({ customer_id, product_id: "notes.pro.lifetime" });
    const address = `${BASE_URL}/_sim/projects/${projectId}/purchases`;
    await service?.fetch(new Request(address, { method: "POST", headers, body }));
  };
  await listenAll(desk);
  const listening = desk.run("events", "listen", "--forward-to", TARGET, "--count", "2");
  await buy("ada");
  await restarted.promise;
  await buy("bob");
  const { code, out } = await listening;
  equal(code, 0, out);
  deepEqual(arrived, ["NON_RENEWING_PURCHASE", "NON_RENEWING_PURCHASE"]);
  ok(out.includes('"connection_lost"') && out.includes('"connection_found"'));
  await desk[Symbol.asyncDispose]();
  await service?.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("events listen shows a line for each event on a terminal, and what was missed", async () => {
  const now = Date.UTC(2026, 0, 31, 12, 30, 15);
  await using desk = await openDesk({
    columns: 80,
    clock: () => now,
    intercept: (request, pass) =>
      request.url === TARGET ? Promise.resolve(new Response()) : pass(request),
  });
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  await listenAll(desk);
  await makeEvents(desk, 0);
  const { code, out, err } = await listenAll(desk);
  equal(code, 0);
  match(out, /^12:30:15 {2}INITIAL_PURCHASE {14}ada {19}200 {6}0 ms\n$/);
  match(err, /^Forwarding events to http:\S+ as "default"; end it with Ctrl-C\n/);
  match(err, /\nThey are signed with whsec_\S+\nMissed since the last run: 1 event\n/);
  match(err, /\nForwarded 1 event\n$/);
});

Deno.test("events listen takes a certificate that signed itself when told to", async () => {
  const { desk } = await openListening(() => 200);
  await using _ = desk;
  let arrived = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, ...TLS, onListen() {} }, () => {
    arrived++;
    return new Response("thanks");
  });
  const target = `https://127.0.0.1:${server.addr.port}/`;
  await listenAll(desk);
  await makeEvents(desk, 0);
  const words = ["events", "listen", "--forward-to", target, "--until-idle", "--attempts", "1"];
  const { code, out } = await desk.run(...words, "--insecure");
  equal(code, 0, out);
  equal(arrived, 1);
  await server.shutdown();
});

Deno.test("events listen refuses what is no address, name or type, and says what would do", async () => {
  await using desk = await openDesk();
  const wrong: [string[], RegExp][] = [
    [["--forward-to", "localhost:3000"], /--forward-to: it is not an http/],
    [["--forward-to", TARGET, "--name", "a b"], /--name: it is not 1 to 64/],
    [["--forward-to", TARGET, "--events", "renewal,nope"], /no type NOPE, see cli events types/],
    [["--forward-to", TARGET, "--count", "0"], /--count: it is not 1 or more/],
    [["--exec", " "], /an empty text for --exec/],
    [[], /neither --forward-to nor --exec is given/],
  ];
  for (const [words, message] of wrong) {
    const { code, err } = await desk.run("events", "listen", ...words);
    equal(code, 2, err);
    match(err, message);
  }
});

/** Runs `events listen --exec` until nothing is left, in a folder of its own. */
async function withCommand(
  work: (folder: string, desk: Desk, arrived: string[]) => Promise<void>,
  answer: (count: number) => number = () => 200,
): Promise<void> {
  const { desk, arrived } = await openListening(answer);
  await using _ = desk;
  const folder = await Deno.makeTempDir();
  try {
    await desk.run("events", "listen", "--exec", "true", "--until-idle");
    await work(folder, desk, arrived);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("events listen --exec hands each event's bytes to the command, in order and signed", () =>
  withCommand(async (folder, desk) => {
    const made = await makeEvents(desk, 3);
    const names = ["X_WEBHOOK_SIGNATURE", "WEBHOOK_ID", "WEBHOOK_TIMESTAMP", "WEBHOOK_SIGNATURE"];
    const script = `cat > '${folder}'/$EVENT_ID.body; echo "$EVENT_TYPE $EVENT_CUSTOMER_ID"; ` +
      `for name in ${names.join(" ")}; do eval "echo \\"\\$$name\\""; done ` +
      `> '${folder}'/$EVENT_ID.head; echo $EVENT_ID >> '${folder}'/order; echo told >&2`;
    const words = ["events", "listen", "--exec", script, "--until-idle"];
    const { code, out, err } = await desk.run(...words);
    equal(code, 0, err);
    const read = (name: string) => Deno.readTextFile(join(folder, name));
    deepEqual((await read("order")).trimEnd().split("\n"), made);
    const listener = await simulate(desk).send("POST", "/listeners/default", {});
    const secret = (await listener.json()).signing_secret;
    const rows = await simulate(desk).rows("events");
    for (const { id, payload } of rows) {
      const body = await read(`${id}.body`);
      equal(body, payload);
      const head = (await read(`${id}.head`)).split("\n");
      const headers = names.map((name, i): [string, string] => [
        name.toLowerCase().replaceAll("_", "-"),
        head[i] ?? "",
      ]);
      const request = new Request(TARGET, { method: "POST", headers, body });
      equal((await verifyWebhook(request, secret)).id, id);
    }
    // Standard output is ours alone, whatever the command writes.
    const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line)).slice(1);
    deepEqual(lines.map(({ object, event_id, exit_code }) => [object, event_id, exit_code]), [
      ...made.map((id) => ["executed_event", id, 0]),
    ]);
    deepEqual(err.split("\n").slice(0, 2), ["INITIAL_PURCHASE ada", "told"]);
  }));

Deno.test("events listen --exec acknowledges an event only when the command exits with 0", () =>
  withCommand(async (folder, desk) => {
    const [first = "", second = ""] = await makeEvents(desk, 1);
    const script = `echo $EVENT_ID >> '${folder}'/runs; test $(wc -l < '${folder}'/runs) -ge 3`;
    const { code, out } = await desk.run("events", "listen", "--exec", script, "--until-idle");
    equal(code, 0);
    const runs = (await Deno.readTextFile(join(folder, "runs"))).trimEnd().split("\n");
    deepEqual(runs, [first, first, first, second]);
    const lines = out.trimEnd().split("\n").slice(1).map((line) => JSON.parse(line));
    deepEqual(lines.map(({ attempt, error }) => [attempt, error]), [
      ...[[1, "it exits with 1"], [2, "it exits with 1"], [3, null], [1, null]],
    ]);
    const product_id = "notes.pro.lifetime";
    await simulate(desk).purchase({ customer_id: "late", product_id });
    const failing = ["events", "listen", "--exec", "kill -9 $$", "--attempts", "2"];
    const refused = await desk.run(...failing);
    equal(refused.code, 1);
    match(
      refused.err,
      /^Cannot run the command of --exec for NON_RENEWING_PURCHASE \S+: SIGKILL ends it/,
    );
    // It was not acknowledged.
    const again = await desk.run("events", "listen", "--exec", "exit 0", "--until-idle");
    equal(again.out.trimEnd().split("\n").length, 2);
  }));

Deno.test("events listen forwards first, then runs the command, and neither twice", () =>
  withCommand(
    async (folder, desk, arrived) => {
      const made = await makeEvents(desk, 1);
      const script = `echo $EVENT_ID >> '${folder}'/runs; test $(wc -l < '${folder}'/runs) -ge 2`;
      const { code } = await listenAll(desk, "--exec", script);
      equal(code, 0);
      deepEqual(arrived, made);
      const runs = (await Deno.readTextFile(join(folder, "runs"))).trimEnd().split("\n");
      deepEqual(runs, [made[0], made[0], made[1]]);
    },
    (count) => count === 1 ? 500 : 200,
  ));

Deno.test("events listen --exec copes with a command that reads nothing or leaves one behind", () =>
  withCommand(async (folder, desk) => {
    const made = await makeEvents(desk, 0);
    const script = `exec <&-; (sleep 20; echo late) & echo $! > '${folder}'/pid`;
    const started = performance.now();
    const { code } = await desk.run("events", "listen", "--exec", script, "--until-idle");
    equal(code, 0);
    equal(made.length, 1);
    ok(performance.now() - started < 15_000);
    const pid = await Deno.readTextFile(join(folder, "pid"));
    await new Deno.Command("sh", { args: ["-c", `kill ${pid}`] }).output();
  }));

/** Starts `cli events listen` as a process, against a service of its own. */
async function startListening(...words: string[]) {
  const server = await serve({
    folder: undefined,
    port: 0,
    host: "127.0.0.1",
    empty: false,
    rateLimits: "local",
    report: () => {},
  });
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ..."run --quiet --no-prompt --allow-net=127.0.0.1 --allow-env --allow-read".split(" "),
      "--allow-run=sh,cmd",
      fileURLToPath(new URL("../cli.ts", import.meta.url)),
      ...["events", "listen", ...words],
    ],
    env: {
      CLI_BASE_URL: server.baseUrl,
      CLI_PROJECT_ID: server.projectId ?? "",
      CLI_SERVICE_ADMIN_SECRET: server.adminSecret,
    },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return { server, child, lines: childLines(child) };
}

Deno.test("Ctrl-C ends events listen at once, and well", async () => {
  const { server, child, lines } = await startListening("--forward-to", TARGET);
  match((await lines.next()).value ?? "", /^{"object":"listener","name":"default",/);
  child.kill("SIGINT");
  equal((await child.status).code, 0);
  await lines.return(undefined);
  equal(await new Response(child.stderr).text(), "");
  await server.stop();
});

Deno.test("Ctrl-C ends the command of --exec and what it has started, too", async () => {
  const script = "sleep 600 & echo $!; wait";
  const { server, child, lines } = await startListening("--exec", script);
  await lines.next();
  const address = `${server.baseUrl}/_sim/projects/${server.projectId}/purchases`;
  const headers = {
    "Authorization": `Bearer ${server.adminSecret}`,
    "Content-Type": "application/json",
  };
  const body = JSON.stringify({ customer_id: "ada", product_id: "notes.pro.lifetime" });
  const bought = await fetch(address, { method: "POST", headers, body });
  equal(bought.ok, true, await bought.text());
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  const { value: pid = "" } = await errors.read();
  match(pid, /^\d+\n$/);
  child.kill("SIGINT");
  equal((await child.status).code, 0);
  await Promise.all([errors.cancel(), lines.return(undefined)]);
  const alive = await new Deno.Command("sh", {
    // One that has ended, but whom nobody has asked how, is a zombie.
    args: [
      "-c",
      `kill -0 ${pid.trim()} 2>/dev/null && ! grep -q 'State:.Z' /proc/${pid.trim()}/status`,
    ],
  }).output();
  ok(!alive.success);
  await server.stop();
});
