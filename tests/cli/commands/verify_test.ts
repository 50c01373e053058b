import { equal, match } from "node:assert/strict";
import { createHandler, SECRET } from "../../support/handlers.ts";
import { openFolder, START } from "../../support/scenarios.ts";

/** A story that delivers nothing unless a webhook is given. */
const STORY = `${START}steps:
  - purchase: { customer: ada, product: pro.monthly }
`;

Deno.test("verify prints whole commands, quoted for a shell and without the secret", async () => {
  await using folder = await openFolder(createHandler("fails on an unknown type"));
  const hook = "http://localhost:3000/hook?a=1&b='2'";
  const state = "http://localhost:3000/users/{customer}";
  const { code, err } = await folder.run(
    ...["verify", hook, "--state", state, "--path", ".pro", "--secret", SECRET, "--allow-host"],
    ...["--faults", "1", "--save", `${folder.path}/v 1.yaml`],
  );
  equal(code, 1);
  const url = `'http://localhost:3000/hook?a=1&b='\\''2'\\'''`;
  const [line] = (await Deno.readTextFile(`${folder.path}/v 1.yaml`)).split("\n");
  const asked = `--state '${state}' --path .pro --seed 1 --runs 200 --allow-host`;
  equal(line, `# Found with: cli verify ${url} ${asked}`);
  const again = `cli scenario run '${folder.path}/v 1.yaml' --webhook ${url} --allow-host`;
  equal(err.includes(`Run it again: ${again}\n`), true, err);
  equal(err.includes("whsec_"), false);
});

Deno.test("the secret's variable is named when it is wrong, and read only for deliveries", async () => {
  await using folder = await openFolder((request) => fetch(request));
  folder.env.CLI_WEBHOOK_SECRET = "secret";
  const file = await folder.write("a.yaml", STORY);
  equal((await folder.run("scenario", "run", file)).code, 0);
  const url = "http://127.0.0.1:9/";
  const inFile = STORY.replace("steps:", `  webhook: { url: "${url}" }\nsteps:`);
  const own = await folder.write("b.yaml", inFile);
  const state = ["--state", `${url}{customer}`];
  for (const words of [["scenario", "run", file, "--webhook", url], ["scenario", "run", own]]) {
    const { code, err } = await folder.run(...words);
    equal(code, 2);
    match(err, /Cannot use the value of CLI_WEBHOOK_SECRET: it is not whsec_/);
  }
  match((await folder.run("verify", url, ...state)).err, /the value of CLI_WEBHOOK_SECRET: /);
  const flag = await folder.run("scenario", "run", file, "--secret", "x");
  match(flag.err, /Cannot use the value of --secret: it is not whsec_/);
});

/** An address where nothing listens. */
function deadAddress(): string {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return `http://127.0.0.1:${port}`;
}

Deno.test("a handler or a state that nothing serves is named with its address, and is no fault", async () => {
  await using folder = await openFolder((request) => fetch(request));
  const dead = deadAddress();
  const words = ["--secret", SECRET, "--save", `${folder.path}/v.yaml`];
  const hook = await folder.run(
    "verify",
    `${dead}/hook`,
    "--state",
    `${dead}/{customer}`,
    ...words,
  );
  equal(hook.code, 8, hook.err + hook.out);
  const refused = `cannot reach ${dead}: the connection was refused`;
  equal(hook.err.split("\n")[0], `Cannot verify the handler: ${refused}`);
  const handler = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(),
  );
  const live = `http://127.0.0.1:${handler.addr.port}/`;
  const state = await folder.run("verify", live, "--state", `${dead}/{customer}`, ...words);
  equal(state.code, 8);
  equal(state.err.split("\n")[0], `Cannot read the state of a customer: ${refused}`);
  await handler.shutdown();
  equal(await Deno.stat(`${folder.path}/v.yaml`).catch(() => "none"), "none");
});

Deno.test("a handler that ends during the search keeps its fault, and the end is shown", async () => {
  let count = 0;
  await using folder = await openFolder(() => {
    count++;
    if (count < 3) return Promise.resolve(new Response());
    if (count === 3) return Promise.resolve(new Response("", { status: 500 }));
    return Promise.reject(new TypeError("client error (Connect): Connection refused"));
  });
  const hook = "http://127.0.0.1:3999/";
  const { code, err } = await folder.run(
    ...["verify", hook, "--state", `${hook}{customer}`, "--secret", SECRET],
    ...["--save", `${folder.path}/v.yaml`],
  );
  equal(code, 1);
  match(
    err,
    /The search stopped early, .* Cannot verify the handler: cannot reach http:\/\/127\.0\.0\.1:3999/,
  );
  match(err, /Cannot pass: the handler has a fault/);
});

Deno.test("Ctrl-C keeps the faults that were found, and nothing is smaller afterwards", async () => {
  const interrupt = new AbortController();
  let count = 0;
  await using folder = await openFolder(() => {
    if (++count === 6) interrupt.abort("SIGINT");
    return Promise.resolve(new Response("", { status: count < 3 ? 200 : 500 }));
  }, interrupt.signal);
  const hook = "http://127.0.0.1:3999/";
  const { code, err } = await folder.run(
    ...["verify", hook, "--state", `${hook}{customer}`, "--secret", SECRET],
    ...["--save", `${folder.path}/v.yaml`],
  );
  equal(code, 1);
  match(err, /The search stopped early, so a fault may need less than is shown\.\n/);
  match(err, /Cannot pass: the handler has a fault/);
  match(await Deno.readTextFile(`${folder.path}/v.yaml`), /^# Found with: cli verify /);
  equal(count < 40, true, `${count} requests`);
});
