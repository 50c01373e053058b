import { equal, match, ok } from "node:assert/strict";
import { openFolder, START } from "../../support/scenarios.ts";

/** A handler that keeps who has access, and answers questions about it. */
function openHandler(answer: (type: string) => number = () => 200) {
  const access = new Map<string, boolean>();
  const got: string[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      if (request.method === "GET") {
        const user = decodeURIComponent(pathname.split("/").at(-1) ?? "");
        return Response.json({ user, pro: access.get(user) ?? false });
      }
      const { event } = await request.json();
      got.push(event.type);
      const status = answer(event.type);
      if (status === 200) access.set(event.app_user_id, event.type !== "EXPIRATION");
      return new Response(null, { status });
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  return { url, got, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** An address at which nothing listens. */
function closedAddress(): string {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${listener.addr.port}/hook`;
  listener.close();
  return url;
}

const STORY = `${START}steps:
  - purchase: { customer: ada, product: pro.monthly }
    as: s
    expect:
      handler: { get: "\${HOST}/users/ada", json: { pro: true } }
  - expire: s
    expect:
      handler: { get: "\${HOST}/users/\${s.customer_id}", json: { pro: false }, within_s: 2 }
`;

Deno.test("events go to the webhook, and the handler's answers are checked", async () => {
  await using handler = openHandler();
  await using folder = await openFolder((request) => fetch(request));
  const file = await folder.write("a.yaml", STORY);
  const words = ["scenario", "run", file, "--webhook", `${handler.url}/hook`];
  const { code, out } = await folder.run(...words, "--var", `HOST=${handler.url}`);
  equal(code, 0, out);
  equal(handler.got.join(), "INITIAL_PURCHASE,EXPIRATION");
});

Deno.test("a handler that answers first and works later is given time", async () => {
  const states = new Map<string, boolean>();
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const user = request.url.split("/").at(-1) ?? "";
      if (request.method === "GET") return Response.json({ pro: states.get(user) ?? false });
      const { event: { app_user_id, type } } = await request.json();
      setTimeout(() => states.set(app_user_id, type !== "EXPIRATION"), 60);
      return new Response(null, { status: 200 });
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  await using folder = await openFolder((request) => fetch(request));
  const file = await folder.write("a.yaml", STORY);
  const scenario = ["scenario", "run", file, "--webhook", `${url}/hook`, "--var", `HOST=${url}`];
  const ran = await folder.run(...scenario);
  equal(ran.code, 0, ran.out);
});

Deno.test("a handler gets the headers of a request as they are written", async () => {
  const versions: (string | null)[] = [];
  await using folder = await openFolder((request) => {
    versions.push(request.headers.get("Api-Version"));
    return Promise.resolve(Response.json({}));
  });
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - purchase: { customer: ada, product: pro.monthly }
    expect:
      handler: { get: "http://localhost:3000/", headers: { Api-Version: 1.10 } }
`,
  );
  equal((await folder.run("scenario", "run", file)).code, 0);
  equal(versions.join(), "1.10");
});

Deno.test("an answer of more than 1 MiB is refused before all of it is read", async () => {
  let sent = 0;
  let cancelled = false;
  await using folder = await openFolder(() => {
    const body = new ReadableStream({
      pull(controller) {
        // Two bytes in UTF-8, and one character.
        controller.enqueue(new TextEncoder().encode("é".repeat(50_000)));
        sent += 100_000;
      },
      cancel: () => void (cancelled = true),
    });
    return Promise.resolve(new Response(body));
  });
  const file = await folder.write(
    "a.yaml",
    `${START}steps:
  - purchase: { customer: ada, product: pro.monthly }
    expect:
      handler: { get: "http://localhost:3000/", json: { pro: true }, within_s: 0 }
`,
  );
  const { code, out } = await folder.run("scenario", "run", file);
  equal(code, 1, out);
  match(out, /its answer exceeds 1 MiB/);
  ok(cancelled && sent < 2_000_000, `${sent} bytes were read`);
});

Deno.test("a handler with another state fails, with its answer and the last event", async () => {
  await using handler = openHandler();
  await using folder = await openFolder((request) => fetch(request));
  const file = await folder.write(
    "a.yaml",
    STORY.replace("pro: false", "pro: true").replace("s: 2", "s: 0"),
  );
  const words = ["scenario", "run", file, "--webhook", `${handler.url}/hook`];
  const { code, out } = await folder.run(...words, "--var", `HOST=${handler.url}`);
  equal(code, 1);
  match(out, /The handler's answer differs in pro\n +- true\n +\+ false\n/);
  match(out, /The last event: EXPIRATION for ada/);
});

Deno.test("a webhook that does not take an event fails the step", async () => {
  await using handler = openHandler((type) => type === "INITIAL_PURCHASE" ? 200 : 500);
  await using folder = await openFolder((request) => fetch(request));
  const text = STORY.replace(/ {4}expect:\n.*\n/g, "");
  const file = await folder.write("a.yaml", text);
  const { code, out } = await folder.run("scenario", "run", file, "--webhook", handler.url);
  equal(code, 1);
  match(out, /step 2 \(expire s\): The webhook did not take EXPIRATION: it answered 500/);
});

Deno.test("a handler that is down is named once, before the first step of any file", async () => {
  const url = closedAddress();
  await using folder = await openFolder((request) => fetch(request));
  const files: string[] = [];
  for (const name of ["a", "b", "c"]) files.push(await folder.write(`${name}.yaml`, STORY));
  for (const [count, parallel] of [[1, "1"], [3, "1"], [3, "2"]] as const) {
    const words = ["--webhook", url, "--var", `HOST=${url}`, "--parallel", parallel];
    const { code, out, err } = await folder.run(
      "scenario",
      "run",
      ...files.slice(-count),
      ...words,
    );
    equal(code, 8, out);
    equal(out, "");
    equal(
      err,
      `Cannot run ${count} ${
        count === 1 ? "scenario" : "scenarios"
      }: nothing listens at "${url}"\n` +
        "Start the webhook handler first, or correct the address.\n",
    );
  }
});

Deno.test("a handler that is down is named for each file that has its address", async () => {
  const url = closedAddress();
  await using folder = await openFolder((request) => fetch(request));
  const text = STORY.replace("start:", `start:\n  webhook: { url: "${url}" }`);
  const file = await folder.write("a.yaml", text);
  const { code, out, err } = await folder.run("scenario", "run", file, "--var", `HOST=${url}`);
  equal(code, 8, out);
  ok(out.includes(`:1:1: start: Cannot begin: nothing listens at "${url}"\n`), out);
  match(err, /^Cannot run 1 of 1 scenario: nothing listens at /);
});

Deno.test("a scenario that fails is told before a handler that is down", async () => {
  const url = closedAddress();
  await using folder = await openFolder((request) => fetch(request));
  const text = STORY.replace(/ {4}expect:\n.*\n/g, "");
  const down = await folder.write(
    "a.yaml",
    text.replace("start:", `start:\n  webhook: { url: "${url}" }`),
  );
  const other = await folder.write(
    "b.yaml",
    text.replace(/as: s\n/, "$&    expect: { refused: true }\n"),
  );
  const { code, err } = await folder.run("scenario", "run", down, other);
  equal(code, 1, err);
  match(err, /^Cannot pass 2 of 2 scenarios: 2 expectations did not hold\n/);
});

Deno.test("other machines are reached only with --allow-host", async () => {
  let asked = 0;
  await using folder = await openFolder(() => {
    asked++;
    return Promise.resolve(Response.json({ pro: true }));
  });
  const text = STORY.replace(/ {2}- expire[\s\S]*/, "");
  const file = await folder.write("a.yaml", text);
  const host = ["--var", "HOST=https://example.com"];
  const refused = await folder.run("scenario", "run", file, ...host);
  equal(refused.code, 1);
  match(
    refused.out,
    /https:\/\/example\.com\/users\/ada is not on this machine; pass --allow-host/,
  );
  equal(asked, 0);
  // Waiting changes nothing, and nobody was asked who could have answered.
  match(refused.out, /step 1 .*: The handler was not asked: https/);
  equal(/did not answer|The handler had 5 s/.test(refused.out), false);
  equal((await folder.run("scenario", "run", file, ...host, "--allow-host")).code, 0);
  equal(asked, 1);
  const flag = await folder.run("scenario", "run", file, "--webhook", "https://example.com/");
  equal(flag.code, 2);
  match(flag.err, /example\.com is not this machine/);
  const own = await folder.write(
    "own.yaml",
    text.replace("  at:", "  webhook: { url: https://example.com/ }\n  at:"),
  );
  const inFile = await folder.run("scenario", "run", own, ...host);
  equal(inFile.code, 2);
  match(inFile.out, /the webhook "https:\/\/example\.com\/" is not on this machine/);
});
