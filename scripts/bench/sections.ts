/**
 * The sections of the results, and how each is measured.
 *
 * @module
 */

import { join } from "node:path";
import { measureCustomers } from "./customers.ts";
import { measureExport } from "./export.ts";
import { measureDelivery } from "./delivery.ts";
import { measureDeliverySpeed } from "./delivery_speed.ts";
import { measureGrowth } from "./growth.ts";
import { measureHttp } from "./http.ts";
import { measureInstalled } from "./installed.ts";
import type { Measured } from "./measure.ts";
import { measurePostgres } from "./postgres.ts";
import { measurePrograms, measureStart, startService } from "./programs.ts";
import { measureReports } from "./reports.ts";
import { measureRequests } from "./requests.ts";
import { measureWalk, measureWrites } from "./store.ts";
import { measureYear } from "./year.ts";

/** How thoroughly to measure. */
export interface BenchSize {
  /** Rounds of everything that do not count, before those that do. */
  warmUp: number;
  /** Runs of each program. */
  runs: number;
  /** Whether to bundle the program as well, as people install it. This downloads a bundler. */
  installed: boolean;
  /** Starts of the service. */
  starts: number;
  /** Turns of each server. */
  rounds: number;
  /** How long a turn is, in milliseconds. */
  ms: number;
  /** Customers to walk over in the store. */
  customers: number;
  /** Customers to walk over by HTTP while others come and go. */
  walked: number;
  /** Writes that share commits. */
  writes: number;
  /** Subscriptions that live through a year. */
  subscriptions: number;
  /** Rows of the ledger that charts are made of. */
  ledger: number;
  /** Requests at random. */
  requests: number;
  /** Events to deliver. */
  events: number;
  /** The large database, against one of 1,000 customers in 2 projects. */
  grown: { customers: number; projects: number };
}

/** Enough for medians that hold. */
export const FULL: BenchSize = {
  warmUp: 2,
  runs: 21,
  installed: true,
  starts: 9,
  rounds: 9,
  ms: 300,
  customers: 100_000,
  walked: 1_000_000,
  writes: 8_000,
  subscriptions: 10_000,
  ledger: 1_000_000,
  requests: 100_000,
  events: 100_000,
  grown: { customers: 1_000_000, projects: 200 },
};

/** Enough to see that it works. */
export const QUICK: BenchSize = {
  warmUp: 1,
  runs: 3,
  installed: true,
  starts: 1,
  rounds: 1,
  ms: 100,
  customers: 2_000,
  walked: 5_000,
  writes: 500,
  subscriptions: 200,
  ledger: 20_000,
  requests: 2_000,
  events: 2_000,
  grown: { customers: 20_000, projects: 20 },
};

/** Where a section is measured. */
export interface Room {
  /** A folder of its own. */
  folder: string;
  /** An environment with a home folder of its own. */
  env: Record<string, string>;
}

/** A section that can be measured. */
export interface SectionPlan {
  /** The word for it on the command line. */
  name: string;
  /** Its title. */
  title: string;
  /** Measures it. */
  measure(size: BenchSize, room: Room): Promise<Measured>;
}

/** All sections, in the order of the results. */
export const SECTIONS: readonly SectionPlan[] = [
  {
    name: "commands",
    title: "The command line",
    async measure({ runs, warmUp, installed: bundles }, { folder, env }) {
      await using service = await startService(folder, env);
      const options = { runs, warmUp, env, service };
      const { method, findings } = await measurePrograms(options);
      if (!bundles) return { method, findings };
      const installed = await measureInstalled(join(folder, "installed"), options);
      const more = "People install bundled JavaScript, which a shell script starts: the last two " +
        "rows run that, in turns with an empty script of their own.";
      return { method: `${method} ${more}`, findings: [...findings, ...installed] };
    },
  },
  {
    name: "http",
    title: "The service over HTTP",
    async measure({ rounds, warmUp, ms }, { folder, env }) {
      await using service = await startService(folder, env);
      return await measureHttp({ rounds, warmUp, ms, service, folder });
    },
  },
  {
    name: "start",
    title: "The service's start",
    measure: ({ starts, warmUp }, room) => measureStart({ runs: starts, warmUp, ...room }),
  },
  {
    name: "walk",
    title: "A walk over all customers",
    measure: ({ customers }, { folder }) => measureWalk({ folder, customers }),
  },
  {
    name: "customers",
    title: "A walk over HTTP while customers are created and deleted",
    measure: ({ walked }, room) => measureCustomers({ customers: walked, ...room }),
  },
  {
    name: "writes",
    title: "Writes that share a commit",
    measure: ({ writes }, { folder }) => measureWrites({ folder, writes }),
  },
  {
    name: "year",
    title: "A year of monthly subscriptions",
    measure: ({ subscriptions }, { folder }) => measureYear({ folder, subscriptions }),
  },
  {
    name: "charts",
    title: "Charts and headline numbers",
    measure: ({ ledger, rounds }, { folder }) => measureReports({ folder, rows: ledger, rounds }),
  },
  {
    name: "requests",
    title: "Random requests",
    measure: ({ requests }, room) => measureRequests({ requests, ...room }),
  },
  {
    name: "delivery",
    title: "Deliveries to a receiver that fails",
    measure: ({ events }, { folder }) => measureDelivery({ folder, events }),
  },
  {
    name: "deliveries",
    title: "Deliveries to a receiver that takes all",
    measure: ({ events, rounds }, { folder }) =>
      measureDeliverySpeed({
        folder,
        events: Math.ceil(events / 10),
        rounds: Math.ceil(rounds / 3),
      }),
  },
  {
    name: "growth",
    title: "Requests to a large database",
    measure: ({ grown, rounds }, { folder }) =>
      measureGrowth({
        folder,
        rounds,
        large: grown,
        small: { customers: 1000, projects: 2 },
      }),
  },
  {
    name: "export",
    title: "A list of all customers as CSV and as lines of JSON",
    measure: ({ grown }, room) => measureExport({ customers: grown.customers, ...room }),
  },
  {
    name: "postgres",
    title: "The service on PostgreSQL",
    measure: ({ warmUp, rounds, ms, subscriptions, events }, room) =>
      measurePostgres({
        ...room,
        warmUp,
        rounds,
        ms,
        subscriptions: Math.ceil(subscriptions / 4),
        events: Math.ceil(events / 20),
      }),
  },
];

/** The sections of these names, or all where none is named. Throws at a name that there is not. */
export function sectionsNamed(names: readonly string[]): readonly SectionPlan[] {
  const unknown = names.find((name) => !SECTIONS.some((section) => section.name === name));
  if (unknown !== undefined) {
    const known = SECTIONS.map(({ name }) => name).join(", ");
    throw new RangeError(
      `There is no section ${JSON.stringify(unknown)}; the sections are ${known}`,
    );
  }
  return names.length === 0 ? SECTIONS : SECTIONS.filter(({ name }) => names.includes(name));
}
