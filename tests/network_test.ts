import { deepEqual, equal, match, ok } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { CLI_FLAGS } from "./support/cli_flags.ts";

const MOD = new URL("../mod.ts", import.meta.url);
const CONFIG = new URL("../deno.json", import.meta.url);
const CONTEXT = new URL("../lib/cli/context.ts", import.meta.url);
const TLS = new URL("./tls/", import.meta.url);

/** The result of a child process. */
interface Child {
  /** Whether it ended well. */
  success: boolean;
  /** Standard output and standard error. */
  text: string;
}

/** Runs a program with the given flags, in an empty folder. */
async function runProgram(
  code: string,
  flags: string[] = [],
  env: Record<string, string> = {},
): Promise<Child> {
  const folder = await Deno.makeTempDir();
  try {
    const program = `${folder}/program.ts`;
    await Deno.writeTextFile(program, code);
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", ...flags, program],
      cwd: folder,
      env: { NO_COLOR: "1", HTTP_PROXY: "", HTTPS_PROXY: "", ALL_PROXY: "", NO_PROXY: "", ...env },
    }).output();
    const decoder = new TextDecoder();
    return { success, text: decoder.decode(stdout) + decoder.decode(stderr) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A program that reads the projects of a service, and prints the result or the error. */
function readProjects(baseUrl: string): string {
  return `
    import { createClient, listProjects } from ${JSON.stringify(MOD.href)};
    const client = createClient({ baseUrl: "${baseUrl}", credential: "atk_secret", retries: 0 });
    await listProjects(client).then(
      ({ items }) => console.log("items", items.length),
      (error) => console.log(error.name, error.message, error.hint),
    );
  `;
}

const EMPTY_LIST = { object: "list", items: [], next_page: null, url: "/v2/projects" };

Deno.test("importing the library requests no permission, reads nothing and starts nothing", async () => {
  const { success, text } = await runProgram(
    `
    const before = Object.keys(globalThis).length;
    const library = await import(${JSON.stringify(MOD.href)});
    const { permissions } = Deno;
    for (const name of ["read", "write", "net", "env", "run", "sys"] as const) {
      if (permissions.querySync({ name }).state !== "denied") console.log("may", name);
    }
    console.log(typeof library.createClient, typeof library.connect);
    console.log(Object.keys(globalThis).length - before, "new globals");
  `,
    ["--deny-read", "--deny-write", "--deny-net", "--deny-env", "--deny-run", "--deny-sys"],
  );
  equal(text, "function function\n0 new globals\n");
  ok(success);
});

/** Checks the types of the library in a folder without our settings. It takes long: by night. */
const CHECK = Deno.env.has("LONG_TESTS") ? "--check=all" : "--no-check";

Deno.test("the library can be imported by HTTP into an empty folder, and by night all its types check there", async () => {
  const asked: string[] = [];
  await using server = serve(async (request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    const file = new URL(`..${pathname}`, import.meta.url);
    const text = await Deno.readTextFile(file).catch(() => undefined);
    const headers = { "Content-Type": "application/typescript" };
    return new Response(text ?? "", { status: text === undefined ? 404 : 200, headers });
  });
  const { success, text } = await runProgram(
    `
    import { createClient, type Offering, path } from "${server.baseUrl}/mod.ts";
    const names: (keyof Offering)[] = ["lookup_key"];
    console.log(createClient({ baseUrl: "http://a.example" }).baseUrl, path\`/a/\${"b c"}\`, names);
  `,
    // Without our settings, and the modules of the server among them.
    [CHECK, "--reload", `--allow-import=${new URL(server.baseUrl).host}`],
  );
  equal(text, 'http://a.example /a/b%20c [ "lookup_key" ]\n');
  ok(success);
  ok(asked.includes("/mod.ts") && asked.every((path) => /^\/(mod|lib\/.+)\.ts$/.test(path)));
  ok(!asked.some((path) => /^\/lib\/(cli|service)\//.test(path)), asked.join());
});

Deno.test("a request uses the environment's proxy unless its host is exempt", async () => {
  const seen: string[] = [];
  await using proxy = serve((request) => {
    seen.push(`${request.method} ${request.url} ${request.headers.get("Authorization")}`);
    return Response.json(EMPTY_LIST);
  });
  const address = "http://127.0.0.1:4999";
  const flags = ["--allow-net=127.0.0.1:4999"];
  const through = await runProgram(readProjects(address), flags, { HTTP_PROXY: proxy.baseUrl });
  equal(through.text, "items 0\n");
  equal(seen.join(), `GET ${address}/v2/projects Bearer atk_secret`);
  const env = { HTTP_PROXY: "http://127.0.0.1:4998" };
  const dead = await runProgram(readProjects(address), flags, env);
  match(
    dead.text,
    /^NetworkError Cannot reach http:\/\/127\.0\.0\.1:4999: the connection was refused/,
  );
  const exempt = { HTTP_PROXY: "http://127.0.0.1:4998", NO_PROXY: "127.0.0.1" };
  const port = new URL(proxy.baseUrl).host;
  const direct = await runProgram(readProjects(proxy.baseUrl), [`--allow-net=${port}`], exempt);
  equal(direct.text, "items 0\n");
});

Deno.test("the command line bypasses proxies for this machine", async () => {
  await using server = serve(() => Response.json(EMPTY_LIST));
  const permissions = "--allow-net=127.0.0.1 --allow-env --allow-read";
  const task = await Deno.readTextFile(new URL("../deno.json", import.meta.url));
  const listed = async (env: Record<string, string>) => {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", ...CLI_FLAGS, ...permissions.split(" ")],
        fileURLToPath(new URL("../cli.ts", import.meta.url)),
        ...["events", "listeners", "list", "--output", "json"],
      ],
      env: {
        CLI_BASE_URL: server.baseUrl,
        CLI_PROJECT_ID: "proj1",
        CLI_SERVICE_ADMIN_SECRET: "adm_x",
        ...env,
      },
    }).output();
    ok(success, new TextDecoder().decode(stderr));
    deepEqual(JSON.parse(new TextDecoder().decode(stdout)), EMPTY_LIST);
  };
  for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]) {
    await listed({ NO_PROXY: "a.example", [name]: "http://127.0.0.1:4998" });
    match(task, new RegExp(`--allow-env=\\S*\\b${name}\\b`), "the task may read it");
  }
});

Deno.test("the exceptions from proxies that are set stay, in either spelling", async () => {
  const exceptions = async (env: Record<string, string>) => {
    const program = `
      import { systemWorld } from ${JSON.stringify(CONTEXT.href)};
      await systemWorld(new AbortController().signal);
      console.log(Deno.env.get("NO_PROXY"));`;
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--quiet", "--config", fileURLToPath(CONFIG), program],
      env: { ...env, HTTP_PROXY: "http://127.0.0.1:4998" },
    }).output();
    return new TextDecoder().decode(stdout).trim();
  };
  const own = "localhost,127.0.0.1,::1";
  equal(await exceptions({ NO_PROXY: "a.example" }), `a.example,${own}`);
  equal(await exceptions({ NO_PROXY: "", no_proxy: "b.example" }), `b.example,${own}`);
  equal(await exceptions({ NO_PROXY: "" }), own);
});

Deno.test("DENO_CERT adds a private CA, and the error without it names the variable", async () => {
  const [cert, key] = await Promise.all(
    ["server.pem", "server.key"].map((name) => Deno.readTextFile(new URL(name, TLS))),
  );
  await using server = serve(() => Response.json(EMPTY_LIST), { cert, key });
  const flags = [`--allow-net=${new URL(server.baseUrl).host}`];
  const untrusted = await runProgram(readProjects(server.baseUrl), flags);
  match(untrusted.text, /^NetworkError Cannot reach https:\/\/127\.0\.0\.1:\d+: invalid peer cert/);
  match(untrusted.text, /DENO_CERT.*DENO_TLS_CA_STORE=system/);
  const trusted = await runProgram(readProjects(server.baseUrl), flags, {
    DENO_CERT: fileURLToPath(new URL("ca.pem", TLS)),
  });
  equal(trusted.text, "items 0\n");
  const wrong = await runProgram(readProjects(server.baseUrl.replace("https", "http")), flags);
  match(wrong.text, /^NetworkError Cannot reach http:/);
});

Deno.test("a script without network permission is told the missing flag", async () => {
  const { text } = await runProgram(readProjects("http://127.0.0.1:4999"));
  match(text, /^NetworkError Cannot reach http:\/\/127\.0\.0\.1:4999: Requires net access/);
  match(text, /Run the program with: --allow-net=127\.0\.0\.1:4999\n$/);
});

Deno.test("a script ends as soon as its last request is answered", async () => {
  await using server = serve(() => Response.json(EMPTY_LIST));
  const flags = [`--allow-net=${new URL(server.baseUrl).host}`];
  const started = performance.now();
  equal((await runProgram(readProjects(server.baseUrl), flags)).text, "items 0\n");
  ok(performance.now() - started < 20_000, "the time limit of the request kept it alive");
});

/** A server on a free port of this machine. */
function serve(
  handle: (request: Request) => Response | Promise<Response>,
  tls?: { cert: string | undefined; key: string | undefined },
): AsyncDisposable & { baseUrl: string } {
  const { cert = "", key = "" } = tls ?? {};
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {}, ...tls && { cert, key } };
  const server = Deno.serve(options, handle);
  return {
    baseUrl: `${tls ? "https" : "http"}://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
