/**
 * Deliveries of two projects with the same ids: each query of theirs sees one project alone. The second
 * one comes before the first in every index, or after it.
 */

import { deepEqual, ok } from "node:assert/strict";
import { sql } from "kysely";
import { SCHEDULES } from "../../../lib/service/events/schedule.ts";
import { claim, nextReadyAt, readyLanes } from "../../../lib/service/events/claims.ts";
import { createPruner } from "../../../lib/service/events/prune.ts";
import type { Outcome } from "../../../lib/service/events/ended.ts";
import { recordEnded } from "../../../lib/service/events/results.ts";
import { shortenWaits } from "../../../lib/service/events/shorten_waits.ts";
import {
  acrossProjects,
  inProject,
  type Store,
  writeRows,
} from "../../../lib/service/store/mod.ts";
import { openPostOffice, type PostOffice } from "../../support/delivery_fixture.ts";
import { answers, openReceiver } from "../../support/receiver.ts";
import { copyProject, MARK, moveBehind, rowsOfProject, TWINS } from "../../support/twin_project.ts";

const DAY = 24 * 3_600_000;

/** Two projects: ada has two deliveries and bob has one, and none has come through. */
interface Pair {
  /** The service. */
  office: PostOffice;
  /** Its database. */
  store: Store;
  /** The first project. */
  own: string;
  /** The second one. */
  twin: string;
  /** The integration of both. */
  integration_id: string;
  /** The deliveries of both: ada's first, ada's second, and bob's. */
  ids: { first: string; second: string; other: string };
  /** The place of ada's two in the order of both projects. */
  seqs: { first: number; second: number };
  /** The time at which the first project's are ready. */
  ready: number;
  /** Changes columns of deliveries of a project. */
  set(project: string, id: string, values: Record<string, string | number | null>): Promise<void>;
}

/** Runs a test with each of both twins. */
async function withPairs(test: (pair: Pair) => Promise<void>): Promise<void> {
  for (const twin of Object.values(TWINS)) {
    using receiver = openReceiver(answers(500));
    await using office = await openPostOffice();
    const { id: integration_id } = await office.subscribe(receiver);
    for (const customer of ["ada", "ada", "bob"]) {
      await office.buy(customer, { price: 1 });
      await office.idle();
    }
    const { service: { store }, projectId: own } = office.desk;
    const now = office.time.clock();
    await copyProject(store, own, { id: twin, now });
    if (twin === TWINS.before) await moveBehind(store, own);
    const rows = await store.read((tx) =>
      inProject(tx, own).selectFrom("deliveries").selectAll().orderBy("seq").execute()
    );
    const [first, second, other] = rows;
    ok(first?.ready_at && second?.ready_at === null && other?.ready_at);
    await test({
      office,
      store,
      own,
      twin,
      integration_id,
      ids: { first: first.id, second: second.id, other: other.id },
      seqs: { first: first.seq, second: second.seq },
      ready: Math.max(first.ready_at, other.ready_at),
      set: (project, id, values) =>
        store.write(async (tx) => {
          await inProject(tx, project).updateTable("deliveries").set(values).where("id", "=", id)
            .execute();
        }),
    });
  }
}

Deno.test("only the project with ready deliveries has a lane, and only its time counts", () =>
  withPairs(async ({ store, own, integration_id, ready }) => {
    const lanes = () => store.read((tx) => readyLanes(tx, ready));
    deepEqual(await lanes(), [{ project_id: own, integration_id }]);
    await store.write(async (tx) => {
      await inProject(tx, own).updateTable("webhook_integrations").set({ disabled_at: 1 })
        .execute();
    });
    deepEqual(await lanes(), []);
    const next = await store.read((tx) => nextReadyAt(tx, 1));
    ok((next ?? 0) > ready + 1000 * DAY, "the other project's deliveries never become ready");
  }));

Deno.test("a claim takes the deliveries, the receiver and the events of one project", () =>
  withPairs(async ({ store, own, twin, integration_id, ids, ready, set }) => {
    for (const project of [own, twin]) {
      await set(project, ids.first, { ready_at: ready });
      await set(project, ids.other, { ready_at: 0 });
    }
    const before = await rowsOfProject(store, twin);
    const claims = await store.write((tx) =>
      claim(tx, { project_id: own, integration_id }, {
        now: ready,
        until: ready + 1,
        most: 9,
        holder: undefined,
      })
    );
    deepEqual(
      claims.map(({ delivery, payload, webhook }) => [
        delivery.id,
        delivery.project_id,
        webhook.project_id,
        payload.includes(MARK),
      ]),
      [[ids.first, own, own, false], [ids.other, own, own, false]],
    );
    deepEqual(await rowsOfProject(store, twin), before);
  }));

Deno.test("a result ends the delivery of one project, and makes its next one ready", () =>
  withPairs(async ({ store, own, twin, integration_id, ids, ready, set }) => {
    const lane = { project_id: own, integration_id };
    const claims = await store.write((tx) =>
      claim(tx, lane, { now: ready, until: ready + 1, most: 9, holder: undefined })
    );
    for (const { delivery, lease } of claims) await set(twin, delivery.id, { lease });
    await store.write(async (tx) => {
      await inProject(tx, twin).updateTable("webhook_integrations").set({ disabled_at: 1 })
        .execute();
    });
    const before = await rowsOfProject(store, twin);
    const waits = {
      state: "pending",
      ready_at: ready + 9,
      counts: false,
      disables: false,
    } as const;
    const outcomes = new Map<string, Outcome>([
      [ids.first, { ...waits, state: "delivered", ready_at: null }],
      [ids.other, waits],
    ]);
    const ended = claims.map((one) => {
      const outcome = outcomes.get(one.delivery.id);
      ok(outcome);
      return { claim: one, attempts: [], outcome };
    });
    const options = { now: ready, locks: "project" } as const;
    await store.write((tx) => recordEnded(tx, own, ended, options));
    const rows = await store.read((tx) =>
      inProject(tx, own).selectFrom("deliveries").select(["id", "state", "ready_at"])
        .orderBy("seq").execute()
    );
    deepEqual(rows, [
      { id: ids.first, state: "delivered", ready_at: null },
      { id: ids.second, state: "pending", ready_at: 0 },
      { id: ids.other, state: "pending", ready_at: ready + 9 },
    ]);
    deepEqual(await rowsOfProject(store, twin), before);
  }));

Deno.test("a wait is shortened by the attempt of its own project", () =>
  withPairs(async ({ store, own, twin }) => {
    await store.write(async (tx) => {
      await inProject(tx, twin).updateTable("attempts").set({ started_at: 1 }).execute();
    });
    const times = (project: string) =>
      store.read((tx) =>
        inProject(tx, project).selectFrom("deliveries").select("ready_at").orderBy("seq").execute()
      );
    const [before, others] = [await times(own), await times(twin)];
    await store.write((tx) => shortenWaits(tx, { now: 0, schedule: SCHEDULES.public }));
    deepEqual(await times(own), before);
    ok(
      (await times(twin)).every(({ ready_at }, i) =>
        ready_at === null || ready_at < (others[i]?.ready_at ?? 0)
      ),
    );
  }));

Deno.test("what is old is deleted by the state of its own project's delivery", () =>
  withPairs(async ({ office, store, own, twin, ids, seqs, set }) => {
    const now = office.time.clock();
    const over = { state: "delivered", ready_at: null, finished_at: now, payload: null };
    await set(own, ids.first, over);
    await set(own, ids.second, { ready_at: 0 });
    await set(twin, ids.second, over);
    await set(twin, ids.other, { ...over, state: "dead" });
    const { project_id: _, ...attempt } = await store.read((tx) =>
      inProject(tx, own).selectFrom("attempts").selectAll().where("delivery_id", "=", ids.other)
        .executeTakeFirstOrThrow()
    );
    // As many as one transaction looks at: if they counted as old, there would be no end.
    const more = Array.from({ length: 499 }, (_, i) => ({ ...attempt, number: i + 2 }));
    await store.write((tx) => writeRows(inProject(tx, own), "attempts", more));
    let asked = 0;
    const clock = () => {
      ok(++asked < 50, "there is always more that is old");
      return now + 40 * DAY;
    };
    await createPruner(store, clock).prune();
    const left = await store.read((tx) =>
      acrossProjects(tx).selectFrom("attempts").select(["project_id", "delivery_id"])
        .select(sql<number>`count(response_body)`.as("bodies"))
        .groupBy(["project_id", "delivery_id"]).execute()
    );
    deepEqual(
      new Set(left),
      new Set([
        { project_id: own, delivery_id: ids.other, bodies: 500 },
        { project_id: twin, delivery_id: ids.first, bodies: 1 },
      ]),
    );
    const pruned = (project: string) =>
      store.read((tx) =>
        inProject(tx, project).selectFrom("webhook_integrations").select("pruned_seq").execute()
      );
    deepEqual(await pruned(own), [{ pruned_seq: seqs.first }]);
    deepEqual(await pruned(twin), [{ pruned_seq: seqs.second }]);
  }));
