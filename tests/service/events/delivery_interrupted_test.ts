import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkWait, MINUTE, openPostOffice } from "../../support/delivery_fixture.ts";
import { answers, hangUp, openReceiver } from "../../support/receiver.ts";
import { childLines, inFolder } from "../../support/store_fixture.ts";

const INTERRUPTED = "The service stopped during this attempt; the receiver may have received it";

/** Starts a process that delivers the queue of a database. */
function startDelivering(database: string): Deno.ChildProcess {
  const script = fileURLToPath(import.meta.resolve("../../../scripts/bench/delivery_child.ts"));
  const allowed = ["--allow-net=127.0.0.1", "--allow-env", "--allow-read", "--allow-write"];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--no-prompt", ...allowed, script, database],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

Deno.test("an attempt interrupted by kill -9 is shown, and does not count", async () => {
  await inFolder(async (folder) => {
    const database = join(folder, "data.db");
    using receiver = openReceiver(async (_, conn) => await hangUp(conn));
    const first = await openPostOffice({ database });
    const webhook = await first.subscribe(receiver);
    await first.buy();
    await receiver.has(1);
    // A service that stops normally reports its own attempt as interrupted.
    await first[Symbol.asyncDispose]();
    for (let kills = 1; kills <= 3; kills++) {
      const child = startDelivering(database);
      await receiver.has(1 + kills);
      child.kill("SIGKILL");
      for await (const _ of childLines(child));
      await child.status;
    }
    // More often than the schedule's limit of attempts.
    for (let stops = 1; stops <= 4; stops++) {
      const office = await openPostOffice({ database });
      await receiver.has(4 + stops);
      await office[Symbol.asyncDispose]();
    }
    receiver.behave = answers(500);
    await using office = await openPostOffice({ database });
    await office.idle();
    const [failed] = await office.deliveries(webhook);
    deepEqual([failed?.state, failed?.attempts], ["pending", 9]);
    const wait = (failed?.next_attempt_at ?? 0) - office.time.clock();
    ok(wait >= 5 * MINUTE && wait <= 5.5 * MINUTE, `the first wait of the schedule, not ${wait}`);
    receiver.behave = answers(200);
    office.time.pass(6 * MINUTE);
    await office.idle();
    const [delivery] = await office.deliveries(webhook);
    deepEqual([delivery?.state, delivery?.attempts], ["delivered", 10]);
    const attempts = await office.attempts(delivery);
    deepEqual(attempts.map(({ number }) => number), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    deepEqual(attempts.map(({ error }) => error), [
      ...new Array(8).fill(INTERRUPTED),
      "The receiver answered 500",
      null,
    ]);
    ok(attempts.every(({ started_at }) => started_at > 0));
    equal(receiver.arrived.length, 10);
    equal(new Set(receiver.arrived.map(({ body }) => body)).size, 1);
  });
});

for (const how of ["is told to answer those who wait", "closes"]) {
  Deno.test(`a ping that is open when the service ${how} gets an answer`, async () => {
    using receiver = openReceiver(async (_, conn) => await hangUp(conn));
    await using office = await openPostOffice();
    const webhook = await office.subscribe(receiver);
    const pinged = office.sim.send("POST", `/webhooks/${webhook.id}/ping`);
    await receiver.has(1);
    if (how === "closes") await office.desk.service.close();
    else office.desk.service.stopWaiting();
    const response = await pinged;
    equal(response.status, 201);
    const { state, attempts, last_error } = await response.json();
    deepEqual({ state, attempts, last_error }, {
      state: "pending",
      attempts: 1,
      last_error: INTERRUPTED,
    });
  });
}

Deno.test("waiting deliveries are retried sooner after a start with a faster schedule", async () => {
  await inFolder(async (folder) => {
    const database = join(folder, "data.db");
    using receiver = openReceiver(answers(500));
    using patient = openReceiver(answers(503, { "Retry-After": "600" }));
    const first = await openPostOffice({ database });
    const failing = await first.subscribe(receiver);
    const asking = await first.subscribe(patient);
    await first.buy();
    await first.idle();
    const since = first.time.clock();
    const before = await first.deliveries(failing);
    await first[Symbol.asyncDispose]();
    // The same schedule changes nothing.
    const same = await openPostOffice({ database });
    deepEqual(await same.deliveries(failing), before);
    await same[Symbol.asyncDispose]();
    await using office = await openPostOffice({ database, webhookSchedule: "dev" });
    const [delivery] = await office.deliveries(failing);
    const wait = (delivery?.next_attempt_at ?? 0) - since;
    ok(wait >= 200 && wait <= 220, `${wait} ms`);
    equal((await office.attempts(delivery))[0]?.next_attempt_at, delivery?.next_attempt_at);
    checkWait((await office.deliveries(asking))[0], since, 10 * MINUTE);
    receiver.behave = answers(200);
    office.time.pass(220);
    await office.idle();
    equal((await office.deliveries(failing))[0]?.state, "delivered");
    equal(patient.arrived.length, 1);
  });
});

Deno.test("a ping interrupted by kill -9 is sent once more, and then ends", async () => {
  await inFolder(async (folder) => {
    const database = join(folder, "data.db");
    const answer = Promise.withResolvers<void>();
    using receiver = openReceiver(async (arrived, conn) => {
      await answer.promise;
      await answers(200)(arrived, conn);
    });
    await using first = await openPostOffice({ database });
    const webhook = await first.subscribe(receiver);
    const pinged = first.sim.post(`/webhooks/${webhook.id}/ping`);
    await receiver.has(1);
    // The disk now is the same as after a kill now.
    const left = join(folder, "left.db");
    for (const part of ["", "-wal"]) await Deno.copyFile(database + part, left + part);
    receiver.behave = answers(500);
    await using office = await openPostOffice({ database: left });
    await office.idle();
    const [delivery] = await office.deliveries(webhook);
    deepEqual([delivery?.state, delivery?.attempts], ["dead", 2]);
    const attempts = await office.attempts(delivery);
    deepEqual(attempts.map(({ error }) => error), [INTERRUPTED, "The receiver answered 500"]);
    answer.resolve();
    await pinged;
  });
});
