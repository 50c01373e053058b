/**
 * The service through a pooler that shares connections between transactions. Runs with
 * `TEST_ENGINE=postgres` where PgBouncer is installed, and is skipped by name otherwise.
 */

import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { findPooler, startPooler } from "../../../../scripts/postgres/pooler.ts";
import { openDatabase, type Store } from "../../../../lib/service/store/mod.ts";
import { readAddress } from "../../../../lib/service/store/postgres/address.ts";
import { connect } from "../../../../lib/service/store/postgres/connect.ts";
import { readOverview } from "../../../../lib/service/store/postgres/overview.ts";
import {
  createDatabase,
  directAddressOf,
  dropDatabase,
  ENGINE,
  onDatabase,
} from "../../../support/engine.ts";
import { answers, openReceiver } from "../../../support/receiver.ts";
import { startOn } from "../../../support/running_service.ts";
import { openTogether, until } from "../../../support/together.ts";
import { addOffering, addProject, offeringIds, PROJECT } from "../../../support/store_fixture.ts";

const pooler = ENGINE === "postgres" ? await findPooler() : undefined;

if (ENGINE === "postgres" && pooler === undefined) {
  console.log("SKIPPED: tests through a pooler: apt-get install -y pgbouncer");
}

/** Registers a test that gets a new database behind a pooler. */
function testPooled(
  name: string,
  test: (address: string, database: string) => Promise<void>,
  options: { size?: number; ignoresSettings?: boolean } = {},
): void {
  const fn = async () => {
    const database = await createDatabase();
    await using stack = new AsyncDisposableStack();
    stack.defer(() => dropDatabase(database));
    const settings = { size: 4, ignoresSettings: false, ...options };
    const running = await startPooler(pooler ?? "", directAddressOf("postgres"), settings);
    stack.defer(running.remove);
    await test(running.address(database), database);
  };
  Deno.test({ name, ignore: pooler === undefined, fn });
}

/** Opens a store, with what it says. */
async function open(file: string, said: string[] = []): Promise<Store & AsyncDisposable> {
  const store = await openDatabase({ file, clock: Date.now, say: (one) => said.push(String(one)) });
  return { ...store, [Symbol.asyncDispose]: store.close };
}

for (const ignoresSettings of [false, true]) {
  const does = ignoresSettings ? "ignores" : "refuses";
  testPooled(`a pooler that ${does} a connection's settings is found`, async (address) => {
    const said: string[] = [];
    {
      await using store = await open(address, said);
      await store.write(addProject);
      equal(said.length, 1);
      match(said[0] ?? "", /pooler=transaction/);
    }
    // Whoever names it is not told of it.
    await using store = await open(`${address}?pooler=transaction`, said);
    await store.write((tx) => addOffering(tx, "a"), PROJECT);
    deepEqual(await store.read(offeringIds), ["a"]);
    equal(said.length, 1);
  }, { ignoresSettings });
}

Deno.test(
  "a connection without a pooler is not taken for one with a pooler",
  { ignore: ENGINE !== "postgres" },
  async () => {
    const name = await createDatabase();
    try {
      const { address, pool, wire } = await connect(readAddress(directAddressOf(name)), 1);
      equal(address.pooler, undefined);
      wire.release(false);
      await pool.close();
    } finally {
      await dropDatabase(name);
    }
  },
);

testPooled("settings last for a transaction, and reach no other program", async (address) => {
  const { pool, wire } = await connect(readAddress(`${address}?pooler=transaction`), 1);
  const waits = async () => {
    const { rows } = await wire.send("select current_setting('lock_timeout') as wait");
    return rows[0]?.wait;
  };
  await wire.send("BEGIN");
  equal(await waits(), "10s");
  await wire.send("ROLLBACK");
  equal(await waits(), "0");
  wire.release(false);
  await pool.close();
}, { size: 1 });

testPooled("many statements with parameters share two connections", async (address) => {
  await using one = await open(address);
  await using other = await open(address);
  await one.write(addProject);
  const ids = Array.from({ length: 200 }, (_, i) => `o${i}`);
  await Promise.all(ids.flatMap((id, i) => {
    const store = i % 2 === 0 ? one : other;
    return [store.write((tx) => addOffering(tx, id), PROJECT), store.read(offeringIds)];
  }));
  deepEqual((await other.read(offeringIds)).toSorted(), ids.toSorted());
}, { size: 2 });

testPooled(
  "processes with and without a pooler see each other, and hear of events within a second",
  async (address, database) => {
    const file = `${address}?pooler=transaction`;
    await using all = await openTogether(2, { database: file }, database);
    await all.open({ database: directAddressOf(database), role: "worker" });
    const holders = all.services.map(({ store }) => store.others?.holder);
    const { processes } = await readOverview(address);
    deepEqual(processes.map(({ holder }) => holder).toSorted(), holders.toSorted());
    deepEqual(processes.map(({ role }) => role).toSorted(), ["all", "all", "worker"]);

    const sim = `/_sim/projects/${all.projectId}`;
    ok((await all.send(0, "POST", `${sim}/listeners/laptop`, {})).ok);
    const began = Date.now();
    const waiting = all.send(0, "GET", `${sim}/listeners/laptop/events?wait_ms=8000`);
    ok((await all.send(1, "POST", `${sim}/trigger`, { type: "TEST" })).ok);
    ok((await (await waiting).json()).items.length > 0);
    ok(Date.now() - began < 2000, `${Date.now() - began} ms`);

    const leads = () => Promise.all(all.services.map(({ store }) => store.others?.leads()));
    await until(async () => (await leads()).includes(true), "a leader");
    equal((await leads()).filter(Boolean).length, 1, "one leads, whatever is in between");
  },
);

/** How long processes may take to agree, in milliseconds: they would wait for 1,500 without answers. */
const AGREED_MS = 750;

testPooled(
  "processes with and without a pooler agree within a fraction of a second",
  async (address, database) => {
    const file = `${address}?pooler=transaction`;
    await using one = await open(file);
    await using other = await open(file);
    await using direct = await open(directAddressOf(database));
    const stores = [one, other, direct];
    await one.write(addProject);
    for (const asker of stores) {
      const waits: number[] = [];
      for (let round = 0; round < 3; round++) {
        const id = `o${stores.indexOf(asker)}${round}`;
        const seen: boolean[] = [];
        const hushes = stores.filter((store) => store !== asker).map((store) =>
          store.others?.hear(async (news) => {
            if (news !== "faults") return;
            const has = (await store.read(offeringIds)).includes(id);
            // Whoever agrees takes its time.
            await new Promise((resolve) => setTimeout(resolve, 30));
            if (has) seen.push(true);
          })
        );
        await asker.write((tx) => addOffering(tx, id), PROJECT);
        const began = performance.now();
        await asker.others?.agree("faults");
        waits.push(performance.now() - began);
        ok(seen.length >= 2, `${seen.length} of 2 had acted`);
        hushes.forEach((hush) => hush?.());
      }
      const [fastest = Infinity] = waits.toSorted((a, b) => a - b);
      ok(fastest < AGREED_MS, `${waits.map(Math.round).join(", ")} ms`);
    }
  },
);

testPooled(
  "a process that is killed frees its delivery and the lead within seconds",
  async (address, database) => {
    const file = `${address}?pooler=transaction`;
    const folder = await Deno.makeTempDir();
    const held = Promise.withResolvers<void>();
    using receiver = openReceiver(() => held.promise);
    const laxity = ["--webhook-targets", "loopback"];
    const killed = await startOn({ database: file, folder }, ...laxity);
    const post = async (path: string, credential: string, body: unknown) => {
      const answer = await fetch(killed.baseUrl + path, {
        method: "POST",
        headers: { Authorization: `Bearer ${credential}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      ok(answer.ok, text);
      return JSON.parse(text);
    };
    try {
      const { projectId, token, adminSecret } = killed;
      const webhook = { name: "Ours", url: receiver.url, event_types: ["renewal"] };
      const webhooks = `/v2/projects/${projectId}/integrations/webhooks`;
      const { id } = await post(webhooks, token, webhook);
      await post(`${webhooks}/${id}`, token, { event_types: null });
      await post(`/_sim/projects/${projectId}/trigger`, adminSecret, { type: "TEST" });
      await receiver.has(1);
      const leader = await leaderOf(database);
      await using all = await openTogether(1, {
        database: file,
        role: "worker",
        webhookTargets: "loopback",
        adminSecret,
      }, database);
      receiver.behave = answers(200);
      const own = all.services[0]?.store.others?.holder;
      notEqual(leader, own);
      await killed.kill();
      const began = Date.now();
      await until(async () => await leaderOf(database) === own, "another leader");
      ok(Date.now() - began < 8000, `the lead: ${Date.now() - began} ms`);
      await receiver.has(2);
      ok(Date.now() - began < 15_000, `the delivery: ${Date.now() - began} ms`);
      await all.services[0]?.deliverer.idle();
      deepEqual(receiver.arrived.map(({ event }) => event.id).length, 2);
      equal(new Set(receiver.arrived.map(({ event }) => event.id)).size, 1);
    } finally {
      held.resolve();
      await killed.kill().catch(() => {});
      await Deno.remove(folder, { recursive: true });
    }
  },
);

/** The process that does what needs doing once. */
async function leaderOf(database: string): Promise<unknown> {
  return await onDatabase(database, async (client) => {
    const { rows } = await client.query("select holder from leader");
    return rows[0]?.holder;
  });
}
