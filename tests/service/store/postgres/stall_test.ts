/**
 * A server that says nothing: the connections to it go through a relay that stops. Runs with
 * `TEST_ENGINE=postgres`, and is skipped by name otherwise.
 */

import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { openDatabase } from "../../../../lib/service/store/mod.ts";
import { readAddress } from "../../../../lib/service/store/postgres/address.ts";
import { createPool, openEar } from "../../../../lib/service/store/postgres/driver.ts";
import { isLost, toStoreError } from "../../../../lib/service/store/postgres/errors.ts";
import {
  createDatabase,
  directAddressOf,
  dropDatabase,
  ONLY_POSTGRES,
  openService,
} from "../../../support/engine.ts";
import { openRelay, type Relay } from "../../../support/relay.ts";
import { until } from "../../../support/together.ts";

/** A server that is silent for two seconds is asked, and has one second to answer. */
const LIMIT_MS = 5000;

/** Runs a test with the address of a new database behind a relay. */
async function behindRelay(
  test: (address: string, relay: Relay) => Promise<void>,
): Promise<void> {
  const name = await createDatabase();
  const url = new URL(directAddressOf(name));
  using relay = openRelay({ hostname: url.hostname, port: Number(url.port) });
  url.host = `127.0.0.1:${relay.port}`;
  url.searchParams.set("connect_timeout", "1");
  try {
    await test(url.href, relay);
  } finally {
    await dropDatabase(name);
  }
}

/** Runs something. Returns its result with the time that it took, in milliseconds. */
async function timed<T>(run: () => Promise<T>): Promise<[T, number]> {
  const begun = performance.now();
  return [await run(), performance.now() - begun];
}

Deno.test(
  "requests get 503 when the server says nothing, and it is used again by itself",
  ONLY_POSTGRES,
  async () => {
    await behindRelay(async (database, relay) => {
      const said: string[] = [];
      const report = (text: unknown) => void said.push(String(text));
      const options = { database, buyers: false, report };
      await using service = await openService(options);
      const { access_token } = await service.oauth.issueToken({ rotates: false });
      const send = async (method: string, path: string, body?: unknown) => {
        const headers = {
          Authorization: `Bearer ${access_token}`,
          "Content-Type": "application/json",
        };
        const init = { method, headers, ...body !== undefined && { body: JSON.stringify(body) } };
        const answer = await service.fetch(new Request(`http://127.0.0.1:4010${path}`, init));
        return { status: answer.status, body: await answer.json() };
      };
      const offerings = `/v2/projects/${service.projectId}/offerings`;
      const add = (key: string) =>
        send("POST", offerings, { lookup_key: key, display_name: "An offering" });
      equal((await add("before")).status, 201);

      relay.pause();
      // More writes than one transaction takes: those behind it must not wait for their own limits.
      const sent = [
        ...Array.from({ length: 100 }, (_, i) => () => add(`during_${i}`)),
        () => send("GET", offerings),
        () => send("GET", "/health/ready"),
        () => send("GET", "/health"),
      ];
      const answers = await Promise.all(sent.map((one) => timed(one)));
      for (const [{ status, body }, ms] of answers) {
        equal(status, 503, JSON.stringify(body));
        ok(ms < LIMIT_MS, `an answer after ${ms} ms`);
      }
      equal(answers.filter(([{ body }]) => body.backoff_ms > 0).length >= 101, true);
      const [{ status }, ms] = await timed(() => add("later"));
      equal(status, 503);
      ok(ms < LIMIT_MS, `a later answer after ${ms} ms`);

      relay.resume();
      await until(async () => (await send("GET", "/health/ready")).status === 200, "the server");
      equal((await add("after")).status, 201);
      const { body } = await send("GET", `${offerings}?limit=1000`);
      const keys = body.items.map((one: { lookup_key: string }) => one.lookup_key);
      ok(keys.includes("before") && keys.includes("after"), keys.join());
      // No work of the service's own reports its failure as an internal error.
      match(
        said.join("\n"),
        /^(Cannot (read|write) the database: .+\n)+The database can be used again$/,
      );
    });
  },
);

Deno.test(
  "a start says how long the server said nothing",
  ONLY_POSTGRES,
  async () => {
    await behindRelay(async (address, relay) => {
      relay.pause();
      await rejects(
        openDatabase({ file: address }),
        /: the database server cannot be reached \(no answer within 1 s\)$/,
      );
    });
  },
);

Deno.test(
  "a slow statement goes on while the server answers, and an unused connection is kept",
  ONLY_POSTGRES,
  async () => {
    await behindRelay(async (address) => {
      const pool = createPool(readAddress(address), 2);
      try {
        const [slow, unused] = [await pool.take(), await pool.take()];
        unused.release(false);
        const sleep = "select 1 as one from pg_sleep(6)";
        deepEqual((await slow.send(sleep)).rows, [{ one: 1 }]);
        slow.release(false);
        deepEqual(pool.size(), { open: 2, idle: 2, waiting: 0 });
      } finally {
        await pool.close();
      }
    });
  },
);

Deno.test(
  "a silent server closes the connection that hears, patient ones and unused ones",
  ONLY_POSTGRES,
  async () => {
    await behindRelay(async (address, relay) => {
      const pool = createPool(readAddress(address), 2);
      const ear = await openEar(readAddress(address));
      const lost = new Promise<void>((resolve) => ear.onLost(resolve));
      try {
        const [patient, unused] = [await pool.take("patient"), await pool.take()];
        unused.release(false);
        relay.pause();
        const sent = [patient, ear].map((wire) => wire.send("select 1"));
        const [results, ms] = await timed(() => Promise.allSettled(sent));
        ok(ms < LIMIT_MS, `an error after ${ms} ms`);
        for (const result of results) {
          ok(result.status === "rejected" && isLost(toStoreError(result.reason)));
          equal(result.reason.message, "no answer within 2 s");
        }
        await lost;
        patient.release(true);
        await until(() => pool.size().open === 0, "no connection");
      } finally {
        relay.resume();
        await pool.close();
      }
    });
  },
);
