import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from "node:assert/strict";
import { createClient } from "../../../lib/client.ts";
import type { Service } from "../../../lib/service/mod.ts";
import { listListeners } from "../../../lib/simulator/listeners.ts";
import { openService } from "../../support/engine.ts";
import { BASE_URL, openDesk } from "../../support/harness.ts";
import { TLS } from "../../support/internet.ts";
import { openLasting } from "../../support/lasting.ts";
import {
  buyAt,
  isListening,
  listenAll,
  makeEvents,
  openListening,
  startListening,
  TARGET,
} from "../../support/listening.ts";
import { simulate } from "../../support/simulation.ts";

/** How often the connection is cut. */
const CUTS = Deno.env.has("LONG_TESTS") ? 200 : 80;

Deno.test(`events listen keeps all events in order when the connection is cut ${CUTS} times`, async () => {
  let asked = 0;
  let cuts = 0;
  const { desk, arrived, bodies } = await openListening(
    // Every fifth delivery fails, one way or another.
    (count) => count % 5 === 0 ? [0, 500, 301, 429][count / 5 % 4] ?? 0 : 200,
    async (request, pass) => {
      if (!isListening(request) || cuts >= CUTS || ++asked % 3 === 0) return await pass(request);
      // Half of what is cut has taken effect.
      if (cuts++ % 2 === 0) await pass(request);
      throw new TypeError("error reading a body from connection");
    },
  );
  await using _ = desk;
  await listenAll(desk);
  const made = await makeEvents(desk, CUTS * 0.75);
  const { code, out } = await listenAll(desk);
  equal(code, 0);
  equal(cuts, CUTS);
  deepEqual(arrived, made);
  const rows = await simulate(desk).rows("events");
  deepEqual(bodies, rows.map(({ payload }) => payload));
  const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line));
  equal(lines[0].waiting, made.length);
  ok(lines.some(({ object }) => object === "connection_lost"));
  deepEqual(lines.filter(({ status }) => status === 200).map((line) => line.event_id), made);
});

Deno.test("events listen does not announce that it waits for events", async () => {
  const { desk } = await openListening(() => 200, async (request, pass) => {
    // Longer than the delay before a wait is announced.
    if (/\/listeners\/\w+\/events\?/.test(request.url)) {
      await new Promise((resolve) => setTimeout(resolve, 1200));
    }
    return await pass(request);
  });
  await using _ = desk;
  const { code, err } = await listenAll(desk);
  equal(code, 0);
  doesNotMatch(err, /Waiting for/);
});

Deno.test("events listen continues at its position, separately for each name", async () => {
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

Deno.test("events listen shows its signing secret once, and cli events listeners again", async () => {
  const { desk } = await openListening(() => 200);
  await using _ = desk;
  const firstLine = async () => JSON.parse((await listenAll(desk)).out.split("\n")[0] ?? "");
  const { signing_secret, ...first } = await firstLine();
  match(signing_secret, /^whsec_/);
  deepEqual(first, { object: "listener", name: "default", is_new: true, waiting: 0 });
  deepEqual(await firstLine(), { ...first, is_new: false });
  await makeEvents(desk, 1);
  const listed = await desk.run("events", "listeners", "list");
  match(listed.out, /^NAME +WAITING +CREATED\ndefault +2 +20/);
  const shown = await desk.run("events", "listeners", "secret", "default", "--output", "json");
  deepEqual(shown.json(), { object: "listener_secret", name: "default", signing_secret });
  const rotate = ["events", "listeners", "rotate-secret", "default"];
  equal((await desk.run(...rotate)).code, 3);
  const rotated = await desk.run(...rotate, "-y", "--output", "json");
  notEqual(Object(rotated.json()).signing_secret, signing_secret);
  // The next run signs with it: the target verifies.
  equal((await listenAll(desk)).code, 0);
  const unknown = await desk.run("events", "listeners", "secret", "nobody");
  equal(unknown.code, 5);
  match(
    unknown.err,
    /There is no listener "nobody" in this project\nSee the list: cli events listeners list/,
  );
});

Deno.test("events listen ends when another program uses its name", async () => {
  const { desk, arrived } = await openListening(() => 200);
  await using _ = desk;
  await listenAll(desk);
  const older = desk.run("events", "listen", "--forward-to", TARGET);
  await simulate(desk).purchase({ customer_id: "ada", product_id: "notes.pro.lifetime" });
  // The older one has begun when it has forwarded something.
  while (arrived.length < 1) await new Promise(setImmediate);
  const newer = desk.run("events", "listen", "--forward-to", TARGET, "--count", "1");
  const { code, out, err } = await older;
  equal(code, 7, err);
  equal(
    err,
    'Cannot listen as "default" any more: another program now uses this name and receives the ' +
      "unacknowledged events; use a different name for each\n",
  );
  equal(out.split("\n").filter((line) => line.includes("forwarded_event")).length, 1);
  await simulate(desk).purchase({ customer_id: "bob", product_id: "notes.pro.lifetime" });
  equal((await newer).code, 0);
});

Deno.test("events listen ends when its listener is deleted, and its hint lists listeners", async () => {
  const { desk, arrived } = await openListening(() => 200);
  await using _ = desk;
  await listenAll(desk);
  const listening = desk.run("events", "listen", "--forward-to", TARGET);
  await simulate(desk).purchase({ customer_id: "ada", product_id: "notes.pro.lifetime" });
  while (arrived.length < 1) await new Promise(setImmediate);
  equal((await desk.run("events", "listeners", "delete", "default")).code, 3);
  equal((await desk.run("events", "listeners", "delete", "default", "-y")).code, 0);
  const { code, err } = await listening;
  equal(code, 5, err);
  match(
    err,
    /no listener "default" .*\nSee the list: cli events listeners list --project-id /,
  );
  const words = ["events", "listen", "--forward-to", TARGET, "--project-id", "nope"];
  const nowhere = await desk.run(...words);
  equal(nowhere.code, 5, nowhere.err);
  match(nowhere.err, /\nSee the list: cli projects list\n$/);
});

Deno.test("events listen keeps refused events, and reports it", async () => {
  const { desk, arrived } = await openListening((count) => count < 5 ? 500 : 200);
  await using _ = desk;
  await listenAll(desk);
  const made = await makeEvents(desk, 1);
  const refused = await listenAll(desk, "--attempts", "4");
  equal(refused.code, 1);
  match(refused.err, /^Cannot forward INITIAL_PURCHASE \S+: it answers 500\n/);
  await listenAll(desk);
  deepEqual(arrived, made);
});

Deno.test("events listen waits as long as the receiver asks, and longer after each failure", async () => {
  const waits: number[] = [];
  const pause = (ms: number) => Promise.resolve(void waits.push(ms));
  const { desk, arrived } = await openListening(
    (count) => {
      if (count === 2) return new Response("", { status: 503, headers: { "Retry-After": "40" } });
      return count < 4 ? 500 : 200;
    },
    undefined,
    { pause },
  );
  await using _ = desk;
  await listenAll(desk);
  const made = await makeEvents(desk, 0);
  equal((await listenAll(desk)).code, 0);
  deepEqual(arrived, made);
  const [first = 0, asked, third = 0] = waits;
  deepEqual([waits.length, asked], [3, 40_000]);
  ok(first >= 150 && first <= 200, `${first} ms`);
  ok(third >= 600 && third <= 800, `${third} ms`);
});

Deno.test("events listen waits for events, and survives a restart of the service", async () => {
  await using lasting = await openLasting();
  const options = { database: lasting.database, adminSecret: "adm_x", buyers: false };
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
});

Deno.test("events listen shows a line per event on a terminal, and the missed events", async () => {
  const now = Date.UTC(2026, 0, 31, 12, 30, 15);
  await using desk = await openDesk({
    columns: 80,
    clock: () => now,
    intercept: (request, pass) =>
      request.url === TARGET ? Promise.resolve(new Response()) : pass(request),
  });
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  match((await listenAll(desk)).err, /\nThe signing secret is whsec_\S+\n/);
  await makeEvents(desk, 0);
  const { code, out, err } = await listenAll(desk);
  equal(code, 0);
  match(out, /^12:30:15Z {2}INITIAL_PURCHASE {17}ada {19}200 {6}0 ms\n$/);
  match(err, /^Forwarding events to http:\S+ as "default"; stop with Ctrl-C\n/);
  match(
    err,
    /\nSee the signing secret: cli events listeners secret default\nMissed since the last/,
  );
  match(err, /\nForwarded 1 event\n$/);
});

Deno.test("events listen accepts a self-signed certificate with --insecure", async () => {
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

Deno.test("events listen refuses an invalid address, name or type with a remedy", async () => {
  await using desk = await openDesk();
  const wrong: [string[], RegExp][] = [
    [["--forward-to", "localhost:3000"], /--forward-to: it is not an http/],
    [["--forward-to", "ftp://u:hush@localhost"], /"ftp:\/\/…@localhost" .* not an http/],
    [
      ["--forward-to", "http://u:hush@localhost"],
      /"http:\/\/…@localhost" .* a user name or a pass/,
    ],
    [["--forward-to", TARGET, "--name", "a b"], /--name: it must be 1 to 64/],
    [
      ["--forward-to", TARGET, "--events", "renewal,nope"],
      /no type NOPE; the types are INITIAL_PURCHASE, RENEWAL,/,
    ],
    [["--forward-to", TARGET, "--count", "0"], /--count: it must be 1 or more/],
    [["--exec", " "], /"" for --exec: it is empty/],
    [[], /neither --forward-to nor --exec is given/],
  ];
  for (const [words, message] of wrong) {
    const { code, err } = await desk.run("events", "listen", ...words);
    equal(code, 2, err);
    match(err, message);
    ok(!err.includes("hush"), err);
  }
});

Deno.test("events listen stops when the reader of its output ends, and keeps the rest", async () => {
  const { server, child, lines } = await startListening("--exec", "exit 0");
  await lines.next();
  await lines.return(undefined);
  await buyAt(server, "ada", "bob", "cyd");
  equal((await child.status).code, 0);
  equal(await new Response(child.stderr).text(), "");
  const { adminSecret: credential, baseUrl, projectId = "" } = server;
  const client = createClient({ baseUrl, credential });
  const { items } = await listListeners({ client, project: projectId });
  // One was in hand when the line about it found no reader.
  equal(items[0]?.waiting, 2);
  await server.stop();
});

Deno.test("events listen does not retry a refused event after the reader has ended", async () => {
  const { server, child, lines } = await startListening("--exec", "exit 1");
  await lines.next();
  await lines.return(undefined);
  await buyAt(server, "ada");
  equal((await child.status).code, 0);
  equal(await new Response(child.stderr).text(), "");
  await server.stop();
});

Deno.test("events listen fits the terminal, and names the events that a filter leaves out", async () => {
  for (const columns of [40, 60, 80]) {
    await using desk = await openDesk({
      columns,
      clock: () => 0,
      intercept: (request, pass) =>
        request.url === TARGET ? Promise.resolve(new Response()) : pass(request),
    });
    desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
    await listenAll(desk);
    const type = "price_increase_consent_required";
    const customer = "$RCAnonymousID:5d2f7c1e9ab04c3f8e6d1b2a3c4d5e6f";
    await desk.run("events", "trigger", "initial_purchase", "--customer", customer);
    equal((await desk.run("events", "trigger", type)).code, 0);
    const { out, err } = await listenAll(desk, "--events", `${type},initial_purchase`);
    const lines = out.trimEnd().split("\n");
    ok(lines.length >= 2 && lines.every((line) => line.length <= columns), out);
    ok(lines.every((line) => line.endsWith(" ms")), out);
    equal(out.includes(type.toUpperCase()), columns === 80, out);
    match(err, /\nEvents of other types count as acknowledged for the name "default"\n/);
  }
});

Deno.test("Ctrl-C ends events listen at once, with success", async () => {
  const { server, child, lines } = await startListening("--forward-to", TARGET);
  match((await lines.next()).value ?? "", /^{"object":"listener","name":"default",/);
  child.kill("SIGINT");
  equal((await child.status).code, 0);
  await lines.return(undefined);
  equal(await new Response(child.stderr).text(), "");
  await server.stop();
});
