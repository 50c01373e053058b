import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import type { Later } from "../../lib/service/time/clock.ts";
import { readSecret } from "../../lib/service/http/admin_secret.ts";
import { announceCatchUp, type ServeOptions } from "../../lib/service/serve.ts";
import { openLasting, SHARED_SECRET } from "../support/lasting.ts";
import { CHEAP } from "../support/password_fixture.ts";
import { startServer } from "../support/server.ts";
import { inFolder } from "../support/store_fixture.ts";
import { withIntervals } from "../support/stubbed_timers.ts";

/** The status of an answer of the simulator to a secret. */
async function statusFor(baseUrl: string, secret: string): Promise<number> {
  const headers = { Authorization: `Bearer ${secret}` };
  const response = await fetch(`${baseUrl}/_sim/openapi.json`, { headers });
  await response.body?.cancel();
  return response.status;
}

Deno.test("the secret in the data folder opens the simulator, after each start", () =>
  inFolder(async (folder) => {
    const secrets = new Set<string>();
    for (let start = 0; start < 2; start++) {
      await using server = await startServer({ folder, report: () => {} });
      const secret = await readSecret(folder);
      equal(secret, server.adminSecret);
      equal(await statusFor(server.baseUrl, secret), 200);
      secrets.add(secret);
    }
    equal(secrets.size, 1);
  }));

Deno.test("a database on a server takes the place of the folder, and has its own secret", async () => {
  await using lasting = await openLasting({ empty: true });
  const folder = join(lasting.folder, "unused");
  const server = { database: lasting.database, adminSecret: SHARED_SECRET };
  const { adminSecret, stop } = await startServer({ folder, server, signIn: CHEAP });
  await stop();
  equal(adminSecret, SHARED_SECRET);
  const { length } = await lasting.query("select id from accounts");
  equal(length, 1);
  await rejects(Deno.stat(folder), Deno.errors.NotFound);
});

Deno.test("pages of the origins that were named at the start may use the addresses for apps", async () => {
  const allowed = "https://app.example.com";
  await using server = await startServer({ allowOrigins: [allowed] });
  const ask = async (Origin: string) => {
    const address = `${server.baseUrl}/v1/subscribers/ada`;
    const response = await fetch(address, { headers: { Origin } });
    await response.body?.cancel();
    return [response.status, response.headers.get("Access-Control-Allow-Origin")];
  };
  deepEqual(await ask(allowed), [401, allowed]);
  deepEqual(await ask("https://other.example.com"), [403, null]);
});

Deno.test("a start that catches up for a second says so once, and one that waits says nothing", () =>
  withIntervals(async (intervals) => {
    const said: unknown[] = [];
    const done = Promise.withResolvers<void>();
    const no = [() => Promise.resolve(false), () => Promise.reject(new TypeError("no database"))];
    const isCatchingUp = () => no.shift()?.() ?? Promise.resolve(true);
    announceCatchUp({ catchUp: () => done.promise, isCatchingUp }, (one) => said.push(one));
    const [look] = intervals;
    equal(look?.ms, 1000);
    while (no.length > 0) await look?.run();
    deepEqual([said, look?.isOver], [[], false]);
    await look?.run();
    equal(look?.isOver, true);
    deepEqual(said, [
      "Catching up with steps due since the last run. Until that is done, requests to those " +
      "projects return 503. See: cli service status",
    ]);
  }));

Deno.test("nothing is said once a start has caught up, or cannot", async () => {
  const failure = new TypeError("no database");
  for (const catchUp of [() => Promise.resolve(), () => Promise.reject(failure)]) {
    await withIntervals(async (intervals) => {
      const said: unknown[] = [];
      const isCatchingUp = () => Promise.resolve(true);
      announceCatchUp({ catchUp, isCatchingUp }, (one) => said.push(one));
      await new Promise((resolve) => setTimeout(resolve));
      equal(intervals[0]?.isOver, true);
      await catchUp().then(() => deepEqual(said, []), (error) => deepEqual(said, [error]));
    });
  }
});

Deno.test("a start that cannot listen makes nothing in a new data folder", () =>
  inFolder(async (place) => {
    const folder = join(place, "new");
    const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = taken.addr;
    const { AddrInUse, NotFound } = Deno.errors;
    const noFiles = { certFile: "none.pem", keyFile: "none.pem" };
    const plain: Partial<ServeOptions> = {
      ...{ signIn: { kind: "password" }, proxies: ["10.0.0.1"] },
      publicUrl: "http://subs.example.com",
    };
    const noProxy: Partial<ServeOptions> = { signIn: { kind: "password" }, proxies: ["x"] };
    const unusable: [Partial<ServeOptions>, RegExp, cause?: typeof AddrInUse][] = [
      [{ port }, /^ConfigError: Cannot listen on 127\.0\.0\.1:\d+: the port is in use$/, AddrInUse],
      [{ tls: noFiles }, /^ConfigError: Cannot use "none\.pem" for TLS: .*No such file/, NotFound],
      [{ names: ["a/b"] }, /^UsageError: Cannot name the service "a\/b": /],
      [plain, /^UsageError: Cannot use the public address "http:.*it must be https$/],
      [noProxy, /^UsageError: Cannot trust the proxy/],
    ];
    for (const [options, reason, cause] of unusable) {
      await rejects(startServer({ folder, ...options }), (error) => {
        match(String(error), reason);
        ok(error instanceof Error);
        ok(cause ? error.cause instanceof cause : error.cause === undefined, String(reason));
        return true;
      });
      await rejects(Deno.stat(folder), NotFound, String(reason));
    }
    taken.close();
  }));

Deno.test("a second start on a folder and its port names the service that has both", () =>
  inFolder(async (folder) => {
    const first = await startServer({ folder, report: () => {} });
    const port = Number(new URL(first.baseUrl).port);
    await rejects(startServer({ folder, port }), (error) => {
      match(String(error), /: process \d+ at http:\/\/127\.0\.0\.1:\d+ is using it$/);
      return true;
    });
    await first.stop();
  }));

Deno.test("a start that fails later gives its port back", () =>
  inFolder(async (folder) => {
    const first = await startServer({ folder, report: () => {} });
    const probe = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = probe.addr;
    probe.close();
    await rejects(startServer({ folder, port }), /is using it$/);
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    await first.stop();
  }));

Deno.test("half a second after the start the code for all requests is loaded, unless it stopped", async () => {
  const planned: { ms: number; run: () => unknown; off: boolean }[] = [];
  const later: Later = (ms, run) => {
    const plan = { ms, run, off: false };
    planned.push(plan);
    return () => void (plan.off = true);
  };
  const errors: unknown[] = [];
  const server = await startServer({ later, report: (error) => errors.push(error) });
  const [plan] = planned;
  ok(plan);
  deepEqual([planned.length, plan.ms, plan.off], [1, 500, false]);
  const loading = plan.run();
  ok(loading instanceof Promise, "the work ends when everything is loaded");
  await loading;
  deepEqual(errors, []);
  await server.stop();
  equal(plan.off, true);
});

Deno.test("a service that was given no time to drain accepts no request after a stop begins", async () => {
  const server = await startServer();
  const stopped = server.stop();
  await rejects(fetch(`${server.baseUrl}/health`), TypeError);
  await stopped;
});
