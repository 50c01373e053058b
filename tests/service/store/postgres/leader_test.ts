import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { openDatabase, type Store } from "../../../../lib/service/store/mod.ts";
import { readAddress } from "../../../../lib/service/store/postgres/address.ts";
import { openEar, type Wire } from "../../../../lib/service/store/postgres/driver.ts";
import { lockHolder, takeLead } from "../../../../lib/service/store/postgres/holders.ts";
import {
  createDatabase,
  directAddressOf,
  dropDatabase,
  onDatabase,
  ONLY_POSTGRES,
} from "../../../support/engine.ts";
import { openTogether, type Together, until } from "../../../support/together.ts";

/** Opens workers that count their writes in projects. */
async function openWorkers(all: Together, count: number): Promise<number[]> {
  const writes = new Array<number>(count).fill(0);
  for (let i = 0; i < count; i++) {
    const open = async (options: Parameters<typeof openDatabase>[0]): Promise<Store> => {
      const store = await openDatabase(options);
      return {
        ...store,
        write(work, projectId) {
          if (projectId !== undefined) writes[i] = (writes[i] ?? 0) + 1;
          return store.write(work, projectId);
        },
      };
    };
    await all.open({ role: "worker", open });
  }
  return writes;
}

/** Lets a month pass in the database, as if nobody had been there. */
async function passMonth({ database }: Together): Promise<void> {
  await onDatabase(
    database,
    (client) => client.query("update projects set clock_offset = clock_offset + 2700000000"),
  );
}

/** The sequence of renewals so far. */
async function renewals({ database }: Together): Promise<number> {
  return await onDatabase(database, async (client) => {
    const { rows } = await client.query("select count(*) as n from events where type = 'RENEWAL'");
    return Number(rows[0]?.n);
  });
}

/** The name of the process that leads, or did last. */
async function leader({ database }: Together): Promise<string | undefined> {
  return await onDatabase(database, async (client) => {
    const { rows } = await client.query("select holder from leader");
    ok(rows.length <= 1, "one leads at most");
    return rows[0] && String(rows[0].holder);
  });
}

/** Makes a process look dead until it notices. */
async function cutOff({ database }: Together, holder: string): Promise<void> {
  await onDatabase(database, async (client) => {
    await client.query("delete from holders where holder = $1", [holder]);
    await client.query(
      "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' " +
        "and classid = 7262052 and cast(objid as bigint) = $1",
      [Number.parseInt(holder, 16)],
    );
  });
}

Deno.test(
  "of two workers one lets time pass, and another takes over when it dies",
  ONLY_POSTGRES,
  async () => {
    await using all = await openTogether(1, { role: "api" });
    const product = await monthlyProduct(all);
    const bought = await all.send(0, "POST", `/_sim/projects/${all.projectId}/purchases`, {
      customer_id: "ada",
      product_id: product,
    });
    equal(bought.status, 201, await bought.text());
    const writes = await openWorkers(all, 2);
    await until(async () => await leader(all) !== undefined, "a leader");
    const led = await leader(all);
    await passMonth(all);
    await until(async () => await renewals(all) === 1, "a renewal");
    equal(writes.filter((count) => count > 0).length, 1, writes.join());

    // The leader ends as if it were killed: its connection is gone.
    const first = writes.findIndex((count) => count > 0);
    writes.fill(0);
    await all.services[1 + first]?.close();
    await passMonth(all);
    const began = Date.now();
    await until(async () => await renewals(all) === 2, "a renewal by the other one");
    ok(Date.now() - began < 5000, "within seconds");
    deepEqual(writes.map((count) => count > 0), first === 0 ? [false, true] : [true, false]);

    const second = await leader(all);
    ok(second !== undefined);
    notEqual(second, led);
    await cutOff(all, second);
    await passMonth(all);
    await until(async () => await renewals(all) === 3, "a renewal after a lost connection");
    all.services.splice(1 + first, 1);
  },
);

/** A product that renews each month. */
async function monthlyProduct(all: Together): Promise<string> {
  const listed = await all.send(0, "GET", `/v2/projects/${all.projectId}/products?limit=100`);
  const { items } = await listed.json();
  const found = items.find((
    { subscription }: { subscription?: { duration?: string; trial_duration?: string | null } },
  ) => subscription?.duration === "P1M" && !subscription.trial_duration);
  ok(found, JSON.stringify(items).slice(0, 300));
  return found.id;
}

Deno.test(
  "a leader that says nothing for long loses its place, although its connection lasts",
  ONLY_POSTGRES,
  async () => {
    await using stack = new AsyncDisposableStack();
    const name = await createDatabase();
    stack.defer(() => dropDatabase(name));
    const wires: Wire[] = [];
    for (const holder of ["0000000a", "0000000b"]) {
      const ear = await openEar(readAddress(directAddressOf(name)));
      stack.defer(() => ear.release(true));
      await lockHolder(ear, holder);
      wires.push(ear);
    }
    const [first, second] = wires;
    ok(first && second);
    const pass = (ms: number) => first.send(`update leader set seen_at = seen_at - ${ms}`);
    equal(await takeLead(first, "0000000a"), true);
    equal(await takeLead(second, "0000000b"), false);
    await pass(3000);
    equal(await takeLead(first, "0000000a"), true, "it says that it leads");
    await pass(6000);
    equal(await takeLead(second, "0000000b"), false);
    await pass(3000);
    equal(await takeLead(second, "0000000b"), true);
    equal(await takeLead(first, "0000000a"), false, "it is back, and another one leads");
  },
);

Deno.test("the server soon takes a host for gone that says nothing", ONLY_POSTGRES, async () => {
  const name = await createDatabase();
  try {
    const ear = await openEar(readAddress(directAddressOf(name)));
    const { rows } = await ear.send(
      "select name, setting from pg_settings where name like 'tcp%' or name like 'idle_in%' order by 1",
    );
    ear.release(true);
    deepEqual(rows.map(({ name, setting }) => `${name} ${setting}`), [
      "idle_in_transaction_session_timeout 15000",
      "tcp_keepalives_count 3",
      "tcp_keepalives_idle 5",
      "tcp_keepalives_interval 2",
      "tcp_user_timeout 11000",
    ]);
  } finally {
    await dropDatabase(name);
  }
});
