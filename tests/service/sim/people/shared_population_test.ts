import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { ApiError } from "../../../../lib/errors.ts";
import type { Service } from "../../../../lib/service/mod.ts";
import { openDatabase } from "../../../../lib/service/store/mod.ts";
import { freezeClock, getClock } from "../../../../lib/simulator/clock.ts";
import {
  cancelPopulation,
  getPopulation,
  startPopulation,
} from "../../../../lib/simulator/population.ts";
import { listProgress } from "../../../../lib/simulator/service.ts";
import { ONLY_POSTGRES, openService } from "../../../support/engine.ts";
import { type Lasting, withLasting } from "../../../support/lasting.ts";
import { checkSums } from "../../../support/ledger_sums.ts";
import { makePopulation, simulatorOf, whenMade } from "../../../support/population_fixture.ts";
import { childLines } from "../../../support/store_fixture.ts";

const NOW = Date.UTC(2026, 10, 28, 12);
/** So many that none of the tests sees the end. */
const WANTED = { customers: 30_000, months: 12, seed: 42, confirmed: true };

/** Opens a service on a database that others share, at a time that stands. */
function open({ database }: Lasting): Promise<Service> {
  return openService({
    database,
    clock: () => NOW,
    adminSecret: "adm_x",
    report: (error) => {
      throw error;
    },
  });
}

Deno.test(
  "a population is the same, whoever else lets time pass",
  ONLY_POSTGRES,
  () =>
    withLasting(async (lasting) => {
      const maker = await open(lasting);
      // Both look every second what is due in any project.
      const other = await open(lasting);
      const made = await makePopulation(maker);
      const seen = await getPopulation(simulatorOf(other));
      deepEqual(seen, made, "the other one sees the same");
      deepEqual([made.customers, made.error, made.now], [300, null, NOW]);
      await checkSums(other.store, NOW);
      const alone = await openService({ open: openDatabase, clock: () => NOW });
      deepEqual(await makePopulation(alone), made, "and so does SQLite");
      for (const service of [maker, other, alone]) await service.close();
    }),
);

Deno.test(
  "any process shows a population, refuses another one, and stops it",
  ONLY_POSTGRES,
  () =>
    withLasting(async (lasting) => {
      const maker = await open(lasting);
      const other = await open(lasting);
      const [own, theirs] = [simulatorOf(maker), simulatorOf(other)];
      await startPopulation(own, WANTED);
      let seen = await getPopulation(theirs);
      while (seen.customers < 300) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        seen = await getPopulation(theirs);
      }
      deepEqual([seen.running, seen.to, seen.now < NOW], [true, NOW, true]);
      const { items: [progress] } = await listProgress(theirs.client);
      deepEqual([progress?.project_id, progress?.to], [theirs.project, NOW]);
      await rejects(startPopulation(theirs, { ...WANTED, seed: 43 }), (error) => {
        ok(error instanceof ApiError);
        equal(error.status, 409);
        return true;
      });
      await rejects(getClock(theirs), /catching up/, "nobody sees the clock in the past");
      const stopped = await cancelPopulation(theirs);
      deepEqual([stopped.running, stopped.cancelled, stopped.error], [false, true, null]);
      ok(
        stopped.customers >= 300 && stopped.customers < WANTED.customers,
        String(stopped.customers),
      );
      deepEqual(await getPopulation(own), stopped);
      equal((await getClock(own)).now, NOW);
      await checkSums(maker.store, NOW);
      for (const service of [maker, other]) await service.close();
    }),
);

Deno.test("when the maker of a population dies, another process goes on to the present", {
  ...ONLY_POSTGRES,
}, () =>
  withLasting(async (lasting) => {
    const program = `const { openService } = await import("${url("lib/service/mod.ts")}");
      const { simulatorOf } = await import("${url("tests/support/population_fixture.ts")}");
      const { startPopulation, getPopulation } =
        await import("${url("lib/simulator/population.ts")}");
      const service = await openService({ database: Deno.args[0] });
      const simulator = simulatorOf(service);
      await startPopulation(simulator, ${JSON.stringify(WANTED)});
      for (;;) { const { customers } = await getPopulation(simulator);
        if (customers > 300) console.log(customers); await new Promise((r) => setTimeout(r, 5)); }`;
    const began = Date.now();
    const config = fileURLToPath(url("deno.json"));
    const child = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", "--config", config, program, lasting.database],
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const lines = childLines(child);
    await lines.next();
    const other = await openService({ database: lasting.database });
    const simulator = simulatorOf(other);
    equal((await getPopulation(simulator)).running, true);
    child.kill("SIGKILL");
    for await (const _ of lines);
    await child.status;
    const left = await whenMade(simulator);
    match(left.error ?? "", /the process that made it has ended/);
    await other.catchUp();
    // The checks go by the wall's time where a clock runs.
    const { now } = await freezeClock(simulator);
    // It runs on from where it was when the population began.
    ok(now >= began && now <= Date.now(), `${now} after ${began}`);
    await checkSums(other.store, now);
    ok(left.customers > 300 && left.customers < WANTED.customers, String(left.customers));
    await makePopulation(other, { seed: 43, customers: 20 });
    await other.close();
  }));

/** The address of a file of the repository. */
function url(path: string): string {
  return new URL(`../../../../${path}`, import.meta.url).href;
}
