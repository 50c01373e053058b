import { deepEqual, equal, match, ok } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { openService, type Service } from "../lib/service/mod.ts";
import { serve } from "../lib/service/serve.ts";
import { verifyWebhook } from "../lib/webhook.ts";
import { BASE_URL, type Desk, type DeskOptions, openDesk } from "./harness.ts";
import { TLS } from "./internet.ts";
import { simulate } from "./simulation.ts";

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
    [[], /--forward-to is missing/],
  ];
  for (const [words, message] of wrong) {
    const { code, err } = await desk.run("events", "listen", ...words);
    equal(code, 2, err);
    match(err, message);
  }
});

Deno.test("Ctrl-C ends events listen at once, and well", async () => {
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
      fileURLToPath(new URL("../cli.ts", import.meta.url)),
      ...["events", "listen", "--forward-to", TARGET],
    ],
    env: {
      CLI_BASE_URL: server.baseUrl,
      CLI_PROJECT_ID: server.projectId ?? "",
      CLI_SERVICE_ADMIN_SECRET: server.adminSecret,
    },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  match(new TextDecoder().decode(value), /^{"object":"listener","name":"default",/);
  child.kill("SIGINT");
  equal((await child.status).code, 0);
  await reader.cancel();
  equal(await new Response(child.stderr).text(), "");
  await server.stop();
});
