import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { lockFolder, writeAddress } from "../../../../lib/service/store/lock.ts";
import { type Home, openHome } from "../../../support/home_fixture.ts";

/** Runs the command where a service holds a folder and answers `/health` so. */
async function statusWith(at: Home, more: string[], health: (request: Request) => Response) {
  const folder = join(at.home, "data");
  await Deno.mkdir(folder, { mode: 0o700 });
  const lock = await lockFolder(folder);
  await writeAddress(lock, { base_url: "http://127.0.0.1:4010", pid: 7, started_at: 0 });
  const intercept = (request: Request) =>
    Promise.resolve(request.url.endsWith("/health") ? health(request) : undefined);
  const ran = await at.run(["service", "status", "--data", folder, ...more], { intercept });
  await lock.release();
  await Deno.remove(folder, { recursive: true });
  return ran;
}

/** The answer of a service whose disk is full. */
function unavailable(): Response {
  const message = "The service cannot use its database: the disk is full";
  const error = { object: "error", type: "server_error", message, retryable: true };
  const state = { status: "unavailable", version: "0.1.0", reason: "the disk is full" };
  return Response.json({ ...error, ...state }, { status: 503 });
}

Deno.test("service status shows the known facts in an outage, and fails", async () => {
  await using at = await openHome();
  const { code, out, err } = await statusWith(at, [], unavailable);
  equal(code, 1);
  for (const line of [/^running +yes$/m, /^pid +7$/m, /^version +0\.1\.0$/m]) match(out, line);
  match(out, /^unavailable +the disk is full$/m);
  match(err, /^Cannot use the local service: the disk is full$/m);
  const json = await statusWith(at, ["--output", "json"], unavailable);
  equal(json.code, 1);
  const { running, version, unavailable: reason, catching_up } = json.json();
  deepEqual([running, version, reason, catching_up], [true, "0.1.0", "the disk is full", null]);
  // An outage is the answer: it is asked for once.
  equal(at.sent.length, 2);
});

Deno.test("service status shows no card for another server", async () => {
  await using at = await openHome();
  const { code, out, err } = await statusWith(at, [], () => new Response("no", { status: 502 }));
  deepEqual([code, out], [8, ""]);
  match(err, /it has status 502/);
  const moved = await statusWith(at, [], ({ redirect }) => {
    equal(redirect, "manual");
    return new Response(null, { status: 302, headers: { Location: "http://other.example/" } });
  });
  deepEqual([moved.code, moved.out], [8, ""]);
  match(moved.err, /it has status 302/);
});

Deno.test("a running service without its note is found by its lock", async () => {
  await using at = await openHome();
  const folder = join(at.home, "data");
  await Deno.mkdir(folder, { mode: 0o700 });
  const lock = await lockFolder(folder);
  await Deno.writeTextFile(join(folder, "admin.secret"), "");
  const run = (...words: string[]) => at.run(["service", ...words, "--data", folder]);
  const { code, out, err } = await run("status");
  equal(code, 0);
  match(out, /^running +yes$/m);
  match(err, /^Warning: The address of the service is unknown: service\.json is missing/m);
  const { running, base_url } = (await run("status", "--output", "json")).json();
  deepEqual([running, base_url], [true, null]);
  const token = await run("token");
  deepEqual([token.code, token.out], [8, ""]);
  match(token.err, /one is running with the data in .*, but its address is unknown/);
  const reset = await run("reset", "--yes");
  match(reset.err, /: the service is running \(another process\)$/m);
  await lock.release();
  equal((await run("status")).code, 8);
});
