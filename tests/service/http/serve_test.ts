import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import type { Later } from "../../../lib/service/time/clock.ts";
import type { ServeOptions } from "../../../lib/service/serve.ts";
import { startServer } from "../../support/server.ts";
import { inFolder } from "../../support/store_fixture.ts";

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
