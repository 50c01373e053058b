import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Refusal } from "../../../lib/service/contract/errors.ts";
import {
  atPresent,
  behind,
  bringToPresent,
  refuseMoving,
} from "../../../lib/service/http/present.ts";
import type { CatchUp } from "../../../lib/service/ledger/catch_up.ts";

/** A catch-up that takes a given time. */
function catchUpThatTakes(settled: Promise<void>, stopped = false): CatchUp {
  const way = { project_id: "proj1", now: 1000, to: 9000, done: 10, took_ms: 5 };
  return {
    project: () => settled,
    all: () => settled,
    progress: () => Promise.resolve([way]),
    isStopped: () => stopped,
    stop: () => settled,
    during: () => settled,
  };
}

/** Checks that a request gets a retryable error. */
function comeAgain(error: unknown): boolean {
  ok(error instanceof Refusal);
  deepEqual([error.status, error.details.backoff_ms, error.details.headers], [503, 1000, {
    "Retry-After": "1",
  }]);
  return true;
}

Deno.test("a request to a project that catches up for long gets a retryable error with the progress", async () => {
  const never = new Promise<void>(() => {});
  await rejects(bringToPresent(catchUpThatTakes(never), "proj1", 5), (error) => {
    ok(String(error).includes("1970-01-01T00:00:01.000Z on the way to 1970-01-01T00:00:09.000Z"));
    return comeAgain(error);
  });
  await bringToPresent(catchUpThatTakes(Promise.resolve()), "proj1", 1000);
});

Deno.test("a request that waits long for its turn is not told of a clock that is behind", async () => {
  const never = new Promise<void>(() => {});
  const waiting = { ...catchUpThatTakes(never), progress: () => Promise.resolve([]) };
  await rejects(bringToPresent(waiting, "proj1", 5), (error) => {
    equal(Object(error).message, "The project is busy with other changes; try again");
    return comeAgain(error);
  });
});

Deno.test("a project that is catching up, or stays behind, is not shown", () => {
  const project = {
    clock_frozen_at: 5,
    clock_offset: 0,
    clock_advancing_to: null,
    next_due_at: null,
  };
  const [running, stopped] = [false, true].map((one) => catchUpThatTakes(Promise.resolve(), one));
  if (!running || !stopped) throw new Error("both are there");
  refuseMoving(project, running, 10);
  refuseMoving(project, stopped, 10);
  refuseMoving({ ...project, next_due_at: 5 }, running, 10);
  const cases = [[{ ...project, clock_advancing_to: 9 }, running], [
    { ...project, next_due_at: 5 },
    stopped,
  ]] as const;
  for (const [moving, catchUp] of cases) {
    try {
      refuseMoving(moving, catchUp, 10);
      ok(false, "it was shown");
    } catch (error) {
      comeAgain(error);
    }
  }
});

Deno.test("a request starts again while its project moves, five times at most", async () => {
  let waits = 0;
  const still = {
    ...catchUpThatTakes(Promise.resolve()),
    project: () => Promise.resolve(void waits++),
  };
  let tries = 0;
  const work = (refusals: number) => () => ++tries > refusals ? tries : Promise.reject(behind());
  equal(await atPresent(still, "proj1", async () => await work(4)()), 5);
  equal(waits, 4, "it catches up before each further try");
  for (const [project, most] of [["proj1", 5], [undefined, 1]] as const) {
    tries = 0;
    await rejects(atPresent(still, project, async () => await work(9)()), comeAgain);
    equal(tries, most);
  }
  tries = 0;
  const failing = () => Promise.reject(new Error(`try ${++tries}`));
  await rejects(atPresent(still, "proj1", failing), { message: "try 1" });
});
