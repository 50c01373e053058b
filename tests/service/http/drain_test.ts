import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { openService } from "../../support/engine.ts";
import { startServer } from "../../support/server.ts";
import { childLines } from "../../support/store_fixture.ts";
import { CLI_FLAGS } from "../../support/cli_flags.ts";

/** The status that an address answers with. */
async function statusAt(address: string): Promise<number> {
  const response = await fetch(address);
  await response.body?.cancel();
  return response.status;
}

/** Sends a GET on an open connection, and returns the whole response. */
async function getOn(conn: Deno.Conn, path: string): Promise<string> {
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
  await conn.write(new TextEncoder().encode(request));
  const buffer = new Uint8Array(4096);
  let text = "";
  while (!/\r\n\r\n\{.*\}/.test(text)) {
    const count = await conn.read(buffer);
    if (count === null) break;
    text += new TextDecoder().decode(buffer.subarray(0, count));
  }
  return text;
}

Deno.test("a retired service is not ready, and does all else", async () => {
  const service = await openService({ database: ":memory:" });
  try {
    const ask = async (path: string, token = "") => {
      const headers = { Authorization: `Bearer ${token}` };
      return await service.fetch(new Request(`http://127.0.0.1:4010${path}`, { headers }));
    };
    service.retire();
    const unready = await ask("/health/ready");
    deepEqual([unready.status, (await unready.json()).reason], [503, "stopping"]);
    equal((await ask("/health")).status, 200);
    const { access_token } = await service.oauth.issueToken({});
    equal((await ask("/v2/projects", access_token)).status, 200);
  } finally {
    await service.close();
  }
});

Deno.test("a stop answers for the time to drain, and ends each connection after its response", async () => {
  await using server = await startServer({ drainS: 1 });
  const port = Number(new URL(server.baseUrl).port);
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  const before = await getOn(conn, "/health/ready");
  match(before, /^HTTP\/1\.1 200 /);
  ok(!/^connection: close/im.test(before), before);
  const began = performance.now();
  const stopped = server.stop();
  // The connection is open since before the stop: its next request is answered, and is the last one.
  const unready = await getOn(conn, "/health/ready");
  match(unready, /^HTTP\/1\.1 503 /);
  match(unready, /^connection: close\r$/im);
  equal(await conn.read(new Uint8Array(1)), null);
  conn.close();
  // A new connection is answered, too.
  equal(await statusAt(`${server.baseUrl}/health`), 200);
  await stopped;
  ok(performance.now() - began >= 1000);
  await rejects(fetch(`${server.baseUrl}/health`), TypeError);
});

Deno.test("SIGTERM lets cli service start drain for the seconds of --drain", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const script = fileURLToPath(import.meta.resolve("../../../cli.ts"));
  const allowed = ["--allow-net=127.0.0.1", "--allow-env", "--allow-read", "--allow-write"];
  const words = ["--data", ":memory:", "--port", "0", "--drain", "1", "--output", "json"];
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", ...CLI_FLAGS, ...allowed, script],
      ...["service", "start", ...words],
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const err = new Response(child.stderr).text();
  const lines = childLines(child);
  const { base_url } = JSON.parse((await lines.next()).value ?? "");
  equal(await statusAt(`${base_url}/health/ready`), 200);
  const began = performance.now();
  child.kill("SIGTERM");
  while (await statusAt(`${base_url}/health/ready`) === 200) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  equal(await statusAt(`${base_url}/health/live`), 200);
  for await (const _ of lines);
  const { code } = await child.status;
  ok(performance.now() - began >= 1000);
  equal(code, 0);
  match(await err, /^Stopping: requests are answered for 1 more second$/m);
});
