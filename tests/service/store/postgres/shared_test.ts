/**
 * What only a database on a server can show: several processes on it, and its own end. Runs with
 * `TEST_ENGINE=postgres`, and is skipped by name otherwise.
 */

import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import {
  acrossProjects,
  inProject,
  isUnfit,
  nextSeq,
  openDatabase,
  type Store,
} from "../../../../lib/service/store/mod.ts";
import { readAddress } from "../../../../lib/service/store/postgres/address.ts";
import { createPool } from "../../../../lib/service/store/postgres/driver.ts";
import { isLost, toStoreError } from "../../../../lib/service/store/postgres/errors.ts";
import { openPostgres } from "../../../../lib/service/store/postgres/open.ts";
import {
  addressOf,
  createDatabase,
  createEmptyDatabase,
  directAddressOf,
  dropDatabase,
  onDatabase,
  ONLY_POSTGRES,
  openService,
  POOLED,
} from "../../../support/engine.ts";
import { addOffering, addProject, offeringIds, PROJECT } from "../../../support/store_fixture.ts";

/** Runs a test with several processes' stores on one database. */
async function together(
  count: number,
  test: (stores: Store[], name: string) => Promise<void>,
): Promise<void> {
  const name = await createDatabase();
  const stores: Store[] = [];
  try {
    for (let i = 0; i < count; i++) {
      stores.push(await openDatabase({ file: addressOf(name), clock: Date.now }));
    }
    await test(stores, name);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await dropDatabase(name);
  }
}

Deno.test(
  "writes of several processes in one project are serial, and its seq has no gaps",
  ONLY_POSTGRES,
  async () => {
    await together(4, async (stores) => {
      await stores[0]?.write(addProject);
      const seen: number[] = [];
      let writing = true;
      // A walk that goes on after the last seq it saw misses nothing only if seq commits in order.
      const walk = (async () => {
        while (writing || seen.length < 100) {
          const rows = await stores[3]?.read((tx) =>
            acrossProjects(tx).selectFrom("offerings").select("seq").where(
              "seq",
              ">",
              seen.at(-1) ?? 0,
            )
              .orderBy("seq").execute()
          );
          seen.push(...rows?.map(({ seq }) => seq) ?? []);
        }
      })();
      await Promise.all(Array.from({ length: 100 }, (_, i) => {
        const store = stores[i % 3];
        // Half of them name their project beforehand, and share commits.
        return store?.write((tx) => addOffering(tx, `o${i}`), i % 2 === 0 ? PROJECT : undefined);
      }));
      writing = false;
      await walk;
      deepEqual(seen, Array.from({ length: 100 }, (_, i) => i + 1));
    });
  },
);

Deno.test("of writes that share a commit, only the failing ones fail", ONLY_POSTGRES, async () => {
  await together(1, async ([store]) => {
    ok(store);
    await store.write(addProject);
    const results = await Promise.allSettled(
      ["a", "b", "a", "c", "b"].map((id) => store.write((tx) => addOffering(tx, id), PROJECT)),
    );
    deepEqual(results.map(({ status }) => status === "fulfilled"), [
      true,
      true,
      false,
      true,
      false,
    ]);
    deepEqual(await store.read(offeringIds), ["a", "b", "c"]);
    // What failed took no number.
    equal(await store.write((tx) => nextSeq(inProject(tx, PROJECT)), PROJECT), 4);
  });
});

Deno.test(
  "writes that lock two projects in opposite orders both succeed",
  ONLY_POSTGRES,
  async () => {
    await together(2, async (stores) => {
      await stores[0]?.write(addProject);
      await stores[0]?.write((tx) =>
        acrossProjects(tx).insertInto("projects").values({
          id: "proj00000002",
          seq: 2,
          name: "Other",
          icon_url: null,
          icon_url_large: null,
          created_at: 1,
          current_offering_id: null,
          clock_frozen_at: null,
        }).execute()
      );
      const both = [PROJECT, "proj00000002"];
      await Promise.all(stores.flatMap((store, i) =>
        Array.from({ length: 10 }, () => {
          const [first = "", second = ""] = i === 0 ? both : both.toReversed();
          return store.write(async (tx) => {
            await nextSeq(inProject(tx, first));
            await nextSeq(inProject(tx, second));
          }, first);
        })
      ));
      const rows = await stores[0]?.read((tx) =>
        acrossProjects(tx).selectFrom("projects").select("last_seq").execute()
      );
      deepEqual(rows?.map(({ last_seq }) => last_seq), [20, 20]);
    });
  },
);

Deno.test(
  "connections that the server ends fail what is under way, and others follow by themselves",
  ONLY_POSTGRES,
  async () => {
    await together(1, async ([store], name) => {
      ok(store);
      await store.write(addProject);
      let acknowledged = 0;
      const failures = new Set<unknown>();
      for (let round = 0; round < 5; round++) {
        const writes = Promise.allSettled(
          Array.from(
            { length: 20 },
            (_, i) => store.write((tx) => addOffering(tx, `o${round}-${i}`), PROJECT),
          ),
        );
        await onDatabase(name, (client) =>
          client.query(
            "select pg_terminate_backend(pid) from pg_stat_activity " +
              "where datname = current_database() and pid <> pg_backend_pid()",
          ));
        for (const result of await writes) {
          if (result.status === "fulfilled") acknowledged++;
          else failures.add(result.reason.failure);
        }
        // The next one gets a new connection.
        await store.write((tx) => addOffering(tx, `after${round}`), PROJECT);
        acknowledged++;
      }
      ok([...failures].every((failure) => failure === "unreachable"), [...failures].join());
      const found = await store.read(offeringIds);
      ok(found.length >= acknowledged, `${found.length} of ${acknowledged} are there`);
    });
  },
);

/** Asks again until the answer is as wanted, for some seconds. */
async function until(ask: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 5000; !await ask();) {
    if (Date.now() > end) throw new Error(`it took too long: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

Deno.test(
  "a process that lost its connection to the others makes one again, and leaves none behind",
  // Through a pooler there is no such connection.
  { ignore: ONLY_POSTGRES.ignore || POOLED },
  async () => {
    await together(1, async ([store], name) => {
      const lock = `7262052, ${Number.parseInt(store?.others?.holder ?? "", 16) | 0}`;
      await onDatabase(name, async (client) => {
        const count = async (from: string) =>
          Number((await client.query(`select cast(count(*) as int) as n from ${from}`)).rows[0]?.n);
        const held = () =>
          count(
            "pg_locks where classid = 7262052 and granted and database = " +
              "(select oid from pg_database where datname = current_database())",
          );
        const service = "pg_stat_activity where application_name like 'service%' " +
          "and datname = current_database()";
        const tries = `${service} and query like 'select pg_advisory_lock%'`;
        const lose = () => client.query(`select pg_terminate_backend(pid) from ${service}`);
        // The server may notice late that the old connection is gone: it still has its lock.
        const old = await client.query(`select pg_try_advisory_lock_shared(${lock}) as has`);
        equal(old.rows[0]?.has, true);
        await lose();
        await until(async () => await held() === 2, "a lock beside the old one");
        await client.query(`select pg_advisory_unlock_shared(${lock})`);
        await lose();
        await client.query(`select pg_advisory_lock(${lock})`);
        for (let round = 0; round < 3; round++) {
          const waiting = `${tries} and wait_event_type = 'Lock'`;
          await until(
            async () => await count(waiting) === 1 && await count(tries) === 1,
            "a try that waits, and no connection of one that failed",
          );
          await client.query(`select pg_cancel_backend(pid) from ${waiting}`);
        }
        await client.query(`select pg_advisory_unlock(${lock})`);
        await until(async () => await held() === 1, "the lock after failed tries");
      });
    });
  },
);

Deno.test(
  "a connection without an answer is closed, and another one is opened",
  ONLY_POSTGRES,
  async () => {
    const name = await createDatabase();
    const pool = createPool(readAddress(directAddressOf(name)), 1, 200);
    try {
      const silent = await pool.take();
      const sent = ["select pg_sleep(3)", "select 1 as one"].map((sql) => silent.send(sql));
      for (const result of await Promise.allSettled(sent)) {
        equal(result.status === "rejected" && isLost(toStoreError(result.reason)), true);
      }
      silent.release(true);
      const next = await pool.take();
      deepEqual((await next.send("select 1 as one")).rows, [{ one: 1 }]);
      next.release(false);
      const patient = await pool.take("patient");
      deepEqual((await patient.send("select 1 as one from pg_sleep(1)")).rows, [{ one: 1 }]);
      patient.release(false);
    } finally {
      await pool.close();
      await dropDatabase(name);
    }
  },
);

Deno.test("an event and a revoked token reach the other processes", ONLY_POSTGRES, async () => {
  const name = await createDatabase();
  const options = { database: addressOf(name), buyers: false, adminSecret: "adm_x" };
  try {
    await using one = await openService(options);
    await using other = await openService(options);
    equal(one.projectId, other.projectId);
    const send = (service: typeof one, path: string, token: string, init: RequestInit = {}) =>
      service.fetch(
        new Request(`http://127.0.0.1:4010${path}`, {
          ...init,
          headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        }),
      );
    const { access_token, refresh_token } = await one.oauth.issueToken({ rotates: true });
    equal((await send(other, "/v2/projects", access_token)).status, 200);
    const revoke = new URLSearchParams({ token: refresh_token, client_id: "svc-cli" });
    const revoked = await one.fetch(
      new Request("http://127.0.0.1:4010/oauth2/revoke", { method: "POST", body: revoke }),
    );
    equal(revoked.status, 200);
    equal((await send(other, "/v2/projects", access_token)).status, 401);

    const sim = `/_sim/projects/${one.projectId}`;
    const opened = await send(one, `${sim}/listeners/laptop`, "adm_x", {
      method: "POST",
      body: "{}",
    });
    ok(opened.ok, await opened.text());
    const waiting = send(other, `${sim}/listeners/laptop/events?wait_ms=8000`, "adm_x");
    const test = await send(one, `${sim}/trigger`, "adm_x", {
      method: "POST",
      body: JSON.stringify({ type: "TEST" }),
    });
    ok(test.ok, await test.text());
    const { items } = await (await waiting).json();
    ok(items.length > 0, "the event reached the other process");
  } finally {
    await dropDatabase(name);
  }
});

Deno.test(
  "two processes that start on an empty database make one schema and one project",
  ONLY_POSTGRES,
  async () => {
    const name = await createEmptyDatabase();
    try {
      const services = await Promise.all(
        [1, 2].map(() => openService({ database: addressOf(name), buyers: false })),
      );
      equal(services[0]?.projectId, services[1]?.projectId);
      for (const service of services) await service.close();
      await onDatabase(
        name,
        (client) => client.query("update schema_migrations set number = 99 where number = 1"),
      );
      await rejects(
        async () => await openPostgres({ file: addressOf(name) }),
        /its schema version is 99, and this program supports up to/,
      );
    } finally {
      await dropDatabase(name);
    }
  },
);

Deno.test(
  "a text that the server cannot hold is refused, and nothing else fails with it",
  ONLY_POSTGRES,
  async () => {
    await together(1, async ([store]) => {
      ok(store);
      await store.write(addProject);
      // No two characters alike: what can be compressed takes less room in an index.
      const long = Array.from({ length: 1500 }, (_, i) => String.fromCodePoint(0x4e00 + i * 13));
      const results = await Promise.allSettled(
        ["a\0b", "plain", long.join("")].map((key) =>
          store.write((tx) => addOffering(tx, `id${key.length}`, key), PROJECT)
        ),
      );
      deepEqual(results.map((one) => one.status === "rejected" && isUnfit(one.reason)), [
        true,
        false,
        true,
      ]);
      deepEqual(await store.read(offeringIds), ["id5"]);
    });
  },
);
