import { deepEqual, equal, match, ok } from "node:assert/strict";
import { ApiError } from "../../../../lib/errors.ts";
import type { Service } from "../../../../lib/service/mod.ts";
import { freezeClock, getClock } from "../../../../lib/simulator/clock.ts";
import {
  cancelPopulation,
  getPopulation,
  startPopulation,
} from "../../../../lib/simulator/population.ts";
import { acrossProjects } from "../../../../lib/service/store/mod.ts";
import { ENGINE, openService } from "../../../support/engine.ts";
import { type Lasting, withLasting } from "../../../support/lasting.ts";
import { checkSums } from "../../../support/ledger_sums.ts";
import { simulatorOf, whenMade } from "../../../support/population_fixture.ts";

const NOW = Date.UTC(2026, 10, 28, 12);
const HOUR = 3_600_000;
const WANTED = { customers: 2000, months: 12, seed: 42, confirmed: true };

/** How far the clock of a service runs in a test, at most. */
const RUNS_MS = ENGINE === "postgres" ? 60_000 : 0;

/**
 * Opens a service on a lasting database, at a time. Its clock stands, unless the database has other
 * processes: one that has ended is taken for dead after some seconds.
 */
function open({ database }: Lasting, now: number): Promise<Service> {
  const start = performance.now();
  const clock = () => now + Math.min(RUNS_MS, Math.floor(performance.now() - start));
  return openService({ database, clock, adminSecret: "adm_x" });
}

/** Checks a time that is known but for what the clock has run. */
function isNear(time: number, expected: number): void {
  ok(Math.abs(time - expected) <= RUNS_MS, `${time} is ${time - expected} ms off`);
}

/** Starts a population in a service, which then ends. Returns what had come. */
async function interrupt(lasting: Lasting, now = NOW): Promise<number> {
  const service = await open(lasting, now);
  const simulator = simulatorOf(service);
  await startPopulation(simulator, WANTED);
  let { customers } = await getPopulation(simulator);
  while (customers === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    ({ customers } = await getPopulation(simulator));
  }
  await service.close();
  return customers;
}

Deno.test("a clock that stood stands where it was when the maker of a population ends", () =>
  withLasting(async (lasting) => {
    const before = await open(lasting, NOW);
    await freezeClock(simulatorOf(before));
    await before.close();
    await interrupt(lasting, NOW + HOUR);
    const service = await open(lasting, NOW + 2 * HOUR);
    await service.catchUp();
    const { now, frozen } = await getClock(simulatorOf(service));
    isNear(now, NOW);
    equal(frozen, true);
    equal((await getPopulation(simulatorOf(service))).running, false);
    await service.close();
  }));

Deno.test("the same request continues a population whose maker has ended", () =>
  withLasting(async (lasting) => {
    const come = await interrupt(lasting);
    const service = await open(lasting, NOW + HOUR);
    const simulator = simulatorOf(service);
    await service.catchUp();
    const { now, frozen, offset_ms } = await getClock(simulator);
    // It runs as if it had never stopped.
    isNear(now, NOW + HOUR);
    isNear(offset_ms, 0);
    equal(frozen, false);
    const known = await customersOf(service);
    await refuse({ ...WANTED, seed: 42, months: 6 }, "was interrupted: it has \\d+ of 2000");
    await refuse(
      { ...WANTED, customers: 2001 },
      'send "customers": 2000, "months": 12 and no "kind"',
    );
    // As a whole it was confirmed before.
    const begun = await startPopulation(simulator, { ...WANTED, confirmed: false });
    ok(begun.customers >= come, `${begun.customers} of ${come}`);
    const made = await whenMade(simulator);
    deepEqual([made.customers, made.wanted, made.error, made.seed], [2000, 2000, null, 42]);
    const all = await customersOf(service);
    equal(all.length, 2007);
    ok(known.every((id) => all.includes(id)), "nobody is lost");
    isNear((await getClock(simulator)).now, NOW + HOUR);
    await checkSums(service.store, NOW + HOUR + RUNS_MS);
    await refuse(WANTED, "There already is a population");
    await service.close();

    async function refuse(wanted: typeof WANTED, said: string): Promise<void> {
      const error = await startPopulation(simulator, wanted).catch((error: unknown) => error);
      ok(error instanceof ApiError, String(error));
      deepEqual([error.status, error.param], [409, "seed"]);
      match(error.message, new RegExp(said));
    }
  }));

Deno.test("the same request waits for a population, and continues it after it was stopped", () =>
  withLasting(async (lasting) => {
    const service = await open(lasting, NOW);
    const simulator = simulatorOf(service);
    const begun = await startPopulation(simulator, WANTED);
    const again = await startPopulation(simulator, WANTED);
    deepEqual([again.running, again.from], [true, begun.from]);
    const { customers } = await cancelPopulation(simulator);
    await startPopulation(simulator, WANTED);
    const made = await whenMade(simulator);
    ok(customers < 2000, "it was stopped in time");
    deepEqual([made.customers, made.error], [2000, null]);
    await checkSums(service.store, NOW + RUNS_MS);
    await service.close();
  }));

/** The ids of all customers. */
async function customersOf({ store }: Service): Promise<string[]> {
  const rows = await store.read((tx) =>
    acrossProjects(tx).selectFrom("customers").select("id").execute()
  );
  return rows.map(({ id }) => id);
}
