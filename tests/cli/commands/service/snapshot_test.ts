import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { openService } from "../../../support/engine.ts";
import { keepSecret } from "../../../../lib/service/http/admin_secret.ts";
import { connect } from "../../../../lib/service/store/sqlite/connection.ts";
import { BASE_URL, openDesk } from "../../../support/harness.ts";
import { type RunningService, startWith } from "../../../support/running_service.ts";
import { openHome } from "../../../support/home_fixture.ts";
import { inFolder } from "../../../support/store_fixture.ts";

/** Makes a data folder with the demonstration project. */
async function makeData(data: string): Promise<void> {
  await Deno.mkdir(data, { recursive: true });
  await keepSecret(data);
  await (await openService({ database: join(data, "service.db") })).close();
}

/** Every row of every table of a database. */
function rowsOf(file: string): string {
  const connection = connect(file, { readOnly: true });
  const tables = connection.rows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  const rows = tables.map(({ name }) => [
    name,
    connection.rows(`SELECT * FROM "${name}"`).map((row) => JSON.stringify(row)).sort(),
  ]);
  connection.close();
  return JSON.stringify(rows);
}

Deno.test("service snapshot saves, lists, restores and deletes", () =>
  inFolder(async (folder) => {
    await using desk = await openDesk();
    const data = join(folder, "my data");
    await makeData(data);
    const run = (...words: string[]) => desk.run("service", "snapshot", ...words, "--data", data);
    const before = rowsOf(join(data, "service.db"));
    const saved = await run("save", "before");
    equal(saved.code, 0, saved.err);
    match(saved.out, /^sha256 +[0-9a-f]{64}$/m);
    match(saved.out, /^project_time +2\d{3}-/m);
    ok(saved.err.includes(`cli service snapshot restore before --data '${data}'`), saved.err);
    const list = await run("list");
    match(
      list.out,
      /^NAME +BYTES +MADE_AT +PROJECT_TIME +SCHEMA +VERSION +STATE\nbefore .* sound\n$/,
    );
    const shape = await run("list", "--output", "csv", "--fields", "name,sound,problem");
    equal(shape.out, "name,sound,problem\nbefore,true,\n");
    const lines = await run("list", "--output", "ndjson");
    equal(JSON.parse(lines.out).name, "before");
    const again = await run("save", "before");
    deepEqual([again.code, again.err.includes("Replace the snapshot before of 2")], [3, true]);
    const connection = connect(join(data, "service.db"));
    connection.run("UPDATE customers SET last_seen_country = 'XX'");
    connection.close();
    ok(rowsOf(join(data, "service.db")) !== before);
    const asked = await run("restore", "before");
    equal(asked.code, 3);
    match(asked.err, /Delete all data in .* and put the snapshot before of 2/);
    const done = await run("restore", "before", "--yes");
    equal(done.code, 0, done.err);
    equal(rowsOf(join(data, "service.db")), before);
    const kept = await desk.run("service", "reset", "--data", data, "-y");
    match(kept.err, /Snapshots stay: 1\. See: cli service snapshot list --data /);
    equal((await run("restore", "before")).code, 0, "there is nothing to ask about");
    equal(rowsOf(join(data, "service.db")), before);
    equal((await run("delete", "before")).code, 3);
    const deleted = await run("delete", "before", "-y", "--output", "json");
    deepEqual(deleted.json(), { deleted: true, name: "before", data });
    deepEqual((await run("list", "--output", "json")).json(), { items: [] });
    match(
      (await run("restore", "before", "-y")).err,
      /: there is no such snapshot\n.*snapshot list --data /,
    );
    match(
      (await run("restore", "../before", "-y")).err,
      /^Cannot use "\.\.\/before" as the name of a/,
    );
    equal((await run("save", "-x")).code, 2);
  }));

Deno.test("services on copies share nothing, and never change what they are copies of", () =>
  inFolder(async (home) => {
    await using desk = await openDesk();
    const data = join(home, ".cli", "service");
    const origin = await startWith(home);
    await addCustomer(origin, "before");
    const before = await customersOf(origin);
    const saved = await desk.run("service", "snapshot", "save", "one", "--data", data);
    equal(saved.code, 0, saved.err);
    const file = join(data, "snapshots", "one.snapshot");
    const backup = join(home, "one.backup");
    equal((await desk.run("service", "backup", backup, "--data", data)).code, 0);
    await addCustomer(origin, "after");
    const bytes = await Deno.readFile(file);
    const starts = await Promise.allSettled([
      startWith(home, "--from", "one"),
      startWith(home, "--from", file),
      startWith(home, "--from", backup, "--data", join(home, "kept")),
    ]);
    const copies = starts.flatMap((start) => start.status === "fulfilled" ? [start.value] : []);
    try {
      equal(copies.length, 3);
      equal(new Set(copies.map((copy) => copy.data)).size, 3);
      for (const copy of copies) deepEqual(await customersOf(copy), before);
      const [one, other] = copies;
      ok(one && other);
      await addCustomer(one, "one");
      deepEqual(await customersOf(one), [...before, "one"]);
      deepEqual(await customersOf(other), before);
      deepEqual(await customersOf(origin), [...before, "after"]);
      if (Deno.build.os !== "windows") {
        equal(((await Deno.stat(one.data ?? "")).mode ?? 0) & 0o77, 0);
      }
    } finally {
      await Promise.all(copies.map((copy) => copy.stop()));
      await origin.stop();
    }
    deepEqual(await Deno.readFile(file), bytes);
    const left = await Promise.all(
      copies.map(({ data = "" }) => Deno.stat(data).then(() => 1, () => 0)),
    );
    deepEqual(left, [0, 0, 1], "only the folder that was named stays");
  }));

Deno.test("an export is equal byte by byte after a snapshot is restored", () =>
  inFolder(async (home) => {
    await using desk = await openDesk();
    const data = join(home, ".cli", "service");
    await makeData(data);
    const snapshot = async (...words: string[]) => {
      const { code, err } = await desk.run("service", "snapshot", ...words, "--data", data);
      equal(code, 0, err);
    };
    let before = "";
    {
      await using origin = await openHere(data);
      before = await exportOf(origin);
      ok(
        before.length > 20_000 && before.includes('"object":"subscription"'),
        before.slice(0, 500),
      );
      await snapshot("save", "one");
      await addCustomer(origin, "after");
      ok(await exportOf(origin) !== before);
    }
    await snapshot("restore", "one", "-y");
    {
      await using restored = await openHere(data);
      equal(await exportOf(restored), before);
    }
    const copy = await startWith(home, "--from", "one");
    try {
      equal(withoutHost(await exportOf(copy)), withoutHost(before));
    } finally {
      await copy.stop();
    }
  }));

Deno.test("service start --from refuses what it cannot copy, and leaves nothing", () =>
  inFolder(async (folder) => {
    await using desk = await openDesk();
    const data = join(folder, "data");
    await makeData(data);
    const before = rowsOf(join(data, "service.db"));
    const backup = join(folder, "one.backup");
    equal((await desk.run("service", "backup", backup, "--data", data)).code, 0);
    const start = async (...words: string[]) => {
      const { code, err } = await desk.run("service", "start", "--port", "0", "--from", ...words);
      return [code, err.split("\n")[0]];
    };
    deepEqual(await start(backup, "--data", data), [
      1,
      `Cannot start a copy in ${JSON.stringify(data)}: it already holds data`,
    ]);
    equal(rowsOf(join(data, "service.db")), before);
    deepEqual(await start(backup, "--empty"), [
      2,
      "Cannot start the service: --from and --empty exclude each other",
    ]);
    equal((await start(backup, "--data", ":memory:"))[0], 2);
    const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const copy = join(folder, "copy");
    const words = ["--from", backup, "--data", copy, "--port", String(taken.addr.port)];
    match((await desk.run("service", "start", ...words)).err, /: the port is in use\n/);
    equal(await Deno.stat(copy).catch(() => "none"), "none");
    taken.close();
    await Deno.truncate(backup, 5000);
    const fresh = join(folder, "fresh");
    match(String((await start(backup, "--data", fresh))[1]), /: it is not a backup .* truncated$/);
    equal(await Deno.stat(fresh).catch(() => "none"), "none");
  }));

/** A service, in this process or in another one. */
type Asked = Pick<RunningService, "baseUrl" | "projectId" | "token"> & {
  /** Sends a request. Default: the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
};

/** Opens the service of a data folder in this process. */
async function openHere(data: string): Promise<Asked & AsyncDisposable> {
  const service = await openService({ database: join(data, "service.db") });
  const { access_token: token } = await service.oauth.issueToken();
  return {
    baseUrl: BASE_URL,
    projectId: service.projectId ?? "",
    token,
    fetch: (request) => service.fetch(request),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** The ids of a service's customers. */
async function customersOf(service: Asked): Promise<string[]> {
  const { items } = await (await ask(service)).json();
  return items.map(({ id }: { id: string }) => id);
}

/** Adds a customer. */
async function addCustomer(service: Asked, id: string): Promise<void> {
  equal((await ask(service, { method: "POST", body: JSON.stringify({ id }) })).status, 201);
}

/** Sends a request about customers to a service. */
function ask(service: Asked, init?: RequestInit): Promise<Response> {
  return askFor(service, "customers?limit=100", init);
}

/** Sends a request about the project to a service. */
function askFor(
  { baseUrl, projectId, token, fetch = globalThis.fetch }: Asked,
  path: string,
  init?: RequestInit,
): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const address = `${baseUrl}/v2/projects/${projectId}/${path}`;
  return fetch(new Request(address, { ...init, headers }));
}

/** What a service answers about its catalogue, its customers and what they bought, as it is sent. */
async function exportOf(service: Asked): Promise<string> {
  const about = ["subscriptions", "purchases", "active_entitlements", "aliases", "attributes"];
  const customers = (await customersOf(service)).flatMap((id) =>
    ["", ...about.map((one) => `/${one}`)].map((one) => `customers/${encodeURIComponent(id)}${one}`)
  );
  const lists = ["apps", "products", "entitlements", "offerings", "customers?limit=100"];
  let text = "";
  for (const path of [...lists, ...customers]) {
    const answer = await askFor(service, path);
    equal(answer.status, 200, path);
    text += `${path}\n${await answer.text()}\n`;
  }
  return text;
}

/** An export without the port of the service. */
function withoutHost(text: string): string {
  return text.replace(/127\.0\.0\.1:\d+/g, "host");
}

Deno.test("a snapshot that --from does not find may be in another data folder, and the hint says how to name it", async () => {
  await using at = await openHome();
  const { code, err } = await at.run(`service start --from before --data ${at.cwd}/new`);
  equal(code, 1);
  match(
    err,
    /"before" in .*service: there is no such snapshot\nSee its snapshots with: .*list\. For one of another data folder, pass the file: --from DIR\/snapshots\/before\.snapshot\n$/,
  );
});
