import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { recognizeService } from "../../../lib/auth/discovery.ts";
import { requestToken } from "../../../lib/auth/token.ts";
import { systemSurroundings } from "../../../lib/connect.ts";
import type { Service } from "../../../lib/service/mod.ts";
import { outageIn, StoreError, type StoreFailure } from "../../../lib/service/store/mod.ts";
import { toStoreError } from "../../../lib/service/store/sqlite/errors.ts";
import { openForTests, openService } from "../../support/engine.ts";
import { inFolder } from "../../support/store_fixture.ts";

const BASE = "http://127.0.0.1:4010";

/** Each outage: SQLite's result code and message, and our words. */
const OUTAGES: [code: number, message: string, failure: StoreFailure, cause: string][] = [
  [5, "database is locked", "busy", "another program is writing to the database"],
  [7, "out of memory", "no_memory", "there is not enough memory"],
  [1032, "attempt to write a readonly database", "read_only", "the database is read-only"],
  [778, "disk I/O error", "io", "the disk reports an input/output error"],
  [11, "database disk image is malformed", "corrupt", "the database file is damaged"],
  [13, "database or disk is full", "full", "the disk is full"],
  [14, "unable to open database file: /x", "cannot_open", "the database cannot be opened"],
  [26, "file is not a database", "corrupt", "the database file is damaged"],
];

/** An error as the driver throws it. */
function driverError(message: string, errcode?: number): Error {
  const code = "ERR_SQLITE_ERROR";
  return Object.assign(new Error(message), { code, ...errcode !== undefined && { errcode } });
}

Deno.test("a start that fails for want of the database says nothing about requests", async () => {
  const said: unknown[] = [];
  let failures = 1;
  const start = () =>
    openService({
      database: ":memory:",
      report: (message) => said.push(message),
      open: async (options) => {
        const store = await openForTests(options);
        const write: typeof store.write = async (work, project) => {
          if (failures-- > 0) {
            throw new StoreError("Cannot use the database", { failure: "unreachable" });
          }
          return await store.write(work, project);
        };
        return { ...store, write };
      },
    });
  await rejects(start(), { name: "StoreError" });
  deepEqual(said, []);
  // Once it answers, there is something to say.
  const service = await start();
  failures = 1;
  await rejects(service.store.write(async () => {}));
  deepEqual(said, [
    "Cannot write the database: the database server cannot be reached. Requests get 503 until it " +
    "works again",
  ]);
  await service.close();
});

Deno.test("each failure of the disk has a name, with a result code and without one", () => {
  for (const [code, message, failure, cause] of OUTAGES) {
    for (const error of [driverError("whatever", code), driverError(message)]) {
      deepEqual(outageIn(toStoreError(error)), { failure, cause }, message);
    }
  }
  const others = [driverError("no such table: t", 1), driverError("CHECK failed", 275)];
  for (const error of others) equal(outageIn(toStoreError(error)), undefined);
  // An error that is not the driver's stays unchanged, with any message.
  const foreign = new Error("database or disk is full");
  equal(toStoreError(foreign), foreign);
});

/** A service with a database that fails on demand. */
interface Failing {
  /** The service. */
  service: Service;
  /** Its reports to the operator. */
  said: unknown[];
  /** The error of every read or write from now on, or undefined. */
  fail(access: "read" | "write" | "all", error: unknown): void;
  /** Advances time by so many milliseconds. */
  wait(ms: number): void;
}

async function openFailing(): Promise<Failing> {
  const said: unknown[] = [];
  let now = 1_700_000_000_000;
  let failing: { access: string; error: unknown } | undefined;
  const check = (access: string) => {
    if (failing && ["all", access].includes(failing.access)) throw failing.error;
  };
  const service = await openService({
    buyers: false,
    clock: () => now,
    adminSecret: "adm_test",
    report: (message) => said.push(message),
    async open(options) {
      const store = await openForTests(options);
      return {
        ...store,
        read: async (work) => (check("read"), await store.read(work)),
        write: async (work) => (check("write"), await store.write(work)),
        probe: async (access) => (check(access), await store.probe(access)),
      };
    },
  });
  return {
    service,
    said,
    fail: (access, error) => failing = error === undefined ? undefined : { access, error },
    wait: (ms) => void (now += ms),
  };
}

/** One request to each part of the service that needs the database. */
async function requests({ service }: Failing): Promise<[string, () => Request][]> {
  const { access_token, refresh_token = "" } = await service.oauth.issueToken();
  const project = `${BASE}/v2/projects/${service.projectId}`;
  const json = { "Content-Type": "application/json" };
  const bearer = { Authorization: `Bearer ${access_token}` };
  const admin = { Authorization: "Bearer adm_test" };
  const post = (url: string, headers: Record<string, string>, body: unknown) => () =>
    new Request(url, {
      method: "POST",
      headers: { ...headers, ...json },
      body: JSON.stringify(body),
    });
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    client_id: "svc-cli",
    refresh_token,
  });
  return [
    ["/v2", post(`${project}/entitlements`, bearer, { lookup_key: "pro", display_name: "Pro" })],
    ["/v1", () => new Request(`${BASE}/v1/subscribers/ada/offerings`, { headers: bearer })],
    ["/_sim", post(`${BASE}/_sim/tokens`, admin, {})],
    [
      "/_sim project",
      () => new Request(`${BASE}/_sim/projects/${service.projectId}/clock`, { headers: admin }),
    ],
    ["/oauth2/token", () => new Request(`${BASE}/oauth2/token`, { method: "POST", body: form })],
  ];
}

Deno.test("a full disk is answered with 507 everywhere, any other outage with 503", async () => {
  const failing = await openFailing();
  const all = await requests(failing);
  for (const [code, message, failure, cause] of OUTAGES) {
    failing.fail("all", toStoreError(driverError(message, code)));
    for (const [name, request] of all) {
      const answer = await failing.service.fetch(request());
      const label = `${name}: ${failure}`;
      const text = await answer.text();
      equal(answer.status, failure === "full" ? 507 : 503, `${label}: ${text}`);
      ok(Number(answer.headers.get("Retry-After")) >= 1, label);
      const body: Record<string, unknown> = JSON.parse(text);
      equal(body.message, `The service cannot use its database: ${cause}`, label);
      if (name === "/v1") continue;
      equal(body.retryable, true, label);
      ok(Number(body.backoff_ms) >= 1000, label);
    }
  }
  failing.fail("all", undefined);
  await failing.service.close();
});

Deno.test("health shows why the database cannot be read or written, and recovers", async () => {
  const failing = await openFailing();
  const health = async (ms = 1000) => {
    failing.wait(ms);
    const answer = await failing.service.fetch(new Request(`${BASE}/health`));
    const { status, reason } = await answer.json();
    return [answer.status, status, reason];
  };
  deepEqual(await health(), [200, "ok", undefined]);
  for (const access of ["read", "write"] as const) {
    failing.fail(access, toStoreError(driverError("disk I/O error", 10)));
    const reason = "the disk reports an input/output error";
    deepEqual(await health(), [503, "unavailable", reason], access);
    failing.fail(access, undefined);
    deepEqual(await health(), [503, "unavailable", reason], `${access}: not over yet`);
    deepEqual(await health(5000), [200, "ok", undefined], access);
    failing.fail(access, new StoreError("Cannot use the database", { failure: "unreachable" }));
    const away = "the database server cannot be reached";
    deepEqual(await health(), [503, "unavailable", away], access);
    failing.fail(access, undefined);
    deepEqual(await health(), [200, "ok", undefined], `${access}: over at once`);
  }
  await failing.service.close();
});

Deno.test("a browser gets a page in an outage and after a fault, not JSON", async () => {
  const failing = await openFailing();
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "svc-cli",
    redirect_uri: "http://127.0.0.1:53682/callback",
    scope: "*:*:read",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  });
  const pages = [
    () => new Request(`${BASE}/oauth2/authorize?${query}`),
    () =>
      new Request(`${BASE}/oauth2/authorize`, {
        method: "POST",
        headers: { Origin: BASE },
        body: new URLSearchParams({ form: "f", decision: "allow" }),
      }),
  ];
  const failures: [error: unknown, status: number, reason: string][] = [
    [toStoreError(driverError("database or disk is full", 13)), 507, "the disk is full"],
    [
      toStoreError(driverError("attempt to write a readonly database", 1032)),
      503,
      "the database is read-only",
    ],
    [new StoreError("Cannot do this", { failure: "misuse" }), 500, "The service failed"],
  ];
  for (const [error, status, reason] of failures) {
    failing.fail("all", error);
    for (const request of pages) {
      const answer = await failing.service.fetch(request());
      const text = await answer.text();
      deepEqual([answer.status, answer.headers.get("Content-Type")], [
        status,
        "text/html; charset=utf-8",
      ], text);
      ok(text.includes(reason), text);
      ok(text.includes("You cannot sign in at the moment"), text);
      equal(answer.headers.has("Retry-After"), status !== 500);
    }
  }
  ok(failing.said.includes(failures[2]?.[0]));
  failing.fail("all", undefined);
  await failing.service.close();
});

Deno.test("an outage is reported once without a stack, and so is its end", async () => {
  const failing = await openFailing();
  const all = await requests(failing);
  failing.fail("write", toStoreError(driverError("database or disk is full", 13)));
  for (let i = 0; i < 3; i++) {
    for (const [, request] of all) await (await failing.service.fetch(request())).body?.cancel();
    await failing.service.catchUp().catch(() => {});
  }
  deepEqual(failing.said, [
    "Cannot write the database: the disk is full. Requests get 507 until it works again",
  ]);
  failing.fail("all", undefined);
  failing.wait(5000);
  await (await failing.service.fetch(new Request(`${BASE}/health`))).body?.cancel();
  equal(failing.said.length, 2);
  equal(failing.said[1], "The database can be used again");
  await failing.service.close();
});

Deno.test("a disk that fails now and then is one outage, until it has worked for a while", async () => {
  const failing = await openFailing();
  const full = toStoreError(driverError("database or disk is full", 13));
  const faulty = toStoreError(driverError("disk I/O error", 10));
  for (let i = 0; i < 5; i++) {
    failing.fail("write", i % 2 === 0 ? full : faulty);
    await failing.service.store.write(() => Promise.resolve()).catch(() => {});
    failing.fail("all", undefined);
    failing.wait(2000);
    await failing.service.store.write(() => Promise.resolve());
  }
  deepEqual(failing.said.map((text) => /: (.*?)\./.exec(String(text))?.[1]), [
    "the disk is full",
    "the disk reports an input/output error",
  ]);
  failing.wait(3000);
  await failing.service.store.write(() => Promise.resolve());
  equal(failing.said.at(-1), "The database can be used again");
  failing.fail("write", full);
  await failing.service.store.write(() => Promise.resolve()).catch(() => {});
  equal(failing.said.length, 4, "the next one is said again");
  failing.fail("all", undefined);
  await failing.service.close();
});

Deno.test("the client shows the cause of an outage, at the token endpoint and at sign-in", async () => {
  const failing = await openFailing();
  const { refresh_token = "" } = await failing.service.oauth.issueToken();
  failing.fail("all", toStoreError(driverError("database or disk is full", 13)));
  const around = {
    ...systemSurroundings(),
    fetch: (request: Request) => failing.service.fetch(request),
  };
  const endpoint = { baseUrl: BASE, around };
  const form = { grant_type: "refresh_token", client_id: "svc-cli", refresh_token };
  for (const asked of [() => requestToken(endpoint, form), () => recognizeService(endpoint)]) {
    await rejects(asked, /The service cannot use its database: the disk is full/);
  }
  failing.fail("all", undefined);
  await failing.service.close();
});

Deno.test("an internal error is still answered with 500, and reported", async () => {
  const failing = await openFailing();
  const all = await requests(failing);
  const fault = new StoreError("Cannot do this", { failure: "misuse" });
  failing.fail("all", fault);
  for (const [name, request] of all) {
    const answer = await failing.service.fetch(request());
    equal(answer.status, 500, name);
    await answer.body?.cancel();
  }
  ok(failing.said.includes(fault));
  failing.fail("all", undefined);
  await failing.service.close();
});

Deno.test("a write that the disk refuses is answered with 503, and health shows it", {
  ignore: Deno.build.os === "windows",
}, () =>
  inFolder(async (folder) => {
    const service = import.meta.resolve("../../support/engine.ts");
    const program = `
      const { openService } = await import(${JSON.stringify(service)});
      const [database] = Deno.args;
      const service = await openService({ database, empty: true, report: console.log });
      const ask = (path, init) => service.fetch(new Request("${BASE}" + path, init));
      const { access_token } = await service.oauth.issueToken();
      const headers = { Authorization: "Bearer " + access_token, "Content-Type": "application/json" };
      const body = JSON.stringify({ name: "n".repeat(100) });
      console.log((await ask("/health")).status);
      for (let i = 0; i < 2000; i++) {
        const answer = await ask("/v2/projects", { method: "POST", headers, body });
        const { message } = await answer.json();
        if (answer.status < 300) continue;
        console.log(answer.status, message);
        const health = await ask("/health");
        console.log(health.status, (await health.json()).reason);
        console.log((await ask("/v2/projects", { headers })).status);
        break;
      }
      Deno.exit();`;
    // No file may become larger than 1.5 MB. Without the trap that would end the process.
    const script = `trap '' XFSZ; ulimit -f 3000; exec "$0" eval --no-check "$1" "$2"`;
    const { stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", script, Deno.execPath(), program, join(folder, "data.db")],
    }).output();
    const lines = new TextDecoder().decode(stdout).trimEnd().split("\n");
    const reason = "the disk reports an input/output error";
    deepEqual(lines, [
      "200",
      `Cannot write the database: ${reason}. Requests get 503 until it works again`,
      `503 The service cannot use its database: ${reason}`,
      `503 ${reason}`,
      "200",
    ], new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
  }));
