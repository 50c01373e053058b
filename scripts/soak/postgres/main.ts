/**
 * Proofs of the service on PostgreSQL, with several processes on a server of their own.
 *
 *     deno task soak:postgres [--short] [--proof NAME] [--seed N] [--size N] [--pooler]
 *
 * @module
 */

import { parseArgs } from "node:util";
import { findPooler, type Pooler, startPooler } from "../../postgres/pooler.ts";
import { findPrograms, OLDEST, type PostgresServer, startPostgres } from "../../postgres/server.ts";
import type { Findings } from "./checks.ts";
import type { Role } from "./fleet.ts";
import { killAtRandom } from "./kills.ts";
import { readClocks } from "./clocks.ts";
import { randomFrom } from "./random.ts";
import { stopUnderLoad } from "./stops.ts";
import { walkUnderChange } from "./walk.ts";

/** A proof on a server. */
interface Proof {
  /** The server. */
  server: PostgresServer;
  /** The pooler that the processes of the service connect to. Without it they connect to the server. */
  pooler: Pooler | undefined;
  /** A number from 0 to 1. */
  random(): number;
  /** The size of the proof. */
  size: number;
  /** Prints a line. */
  say(line: string): void;
}

/** What four processes do: two kinds of them, or all the same. */
const MIXED: readonly Role[] = ["api", "api", "worker", "worker"];
const EQUAL: readonly Role[] = ["all", "all", "all", "all"];

/** A proof, with its usual size and that of its short form. */
interface Known {
  /** The usual size. */
  long: number;
  /** The size of the short form. */
  short: number;
  /** Runs it. */
  run(proof: Proof): Promise<Findings>;
}

/** The proofs by name. */
const PROOFS: { [name: string]: Known } = {
  kills: {
    long: 100,
    short: 5,
    run: (proof) => killAtRandom({ ...proof, ...placed(proof), roles: MIXED, moments: proof.size }),
  },
  stops: {
    long: 3,
    short: 1,
    run: (proof) => stopUnderLoad({ ...proof, ...placed(proof), roles: MIXED, stops: proof.size }),
  },
  walk: {
    long: 100_000,
    short: 2000,
    run: (proof) =>
      walkUnderChange({ ...proof, ...placed(proof), roles: EQUAL, customers: proof.size }),
  },
  clocks: {
    long: 100,
    short: 20,
    run: (proof) => readClocks({ ...proof, ...placed(proof), rounds: proof.size }),
  },
};

/** Each proof has a server of its own. The proof itself looks at the database without the pooler. */
function placed({ server, pooler }: Proof): { database: string; entrance: string } {
  const database = server.address("postgres");
  const entrance = pooler && `${pooler.address("postgres")}?pooler=transaction`;
  return { database, entrance: entrance ?? database };
}

/** The connections of the server that the pooler has for all processes. */
const POOL_SIZE = 20;

/** How soon the pooler asks again for a server that was away, in seconds. */
const RETRY_S = 0.2;

if (import.meta.main) Deno.exitCode = await main(Deno.args);

/** What is to be run. */
interface Wanted {
  /** The folder of the server's programs. */
  bin: string;
  /** The program of the pooler. Undefined: without one. */
  pooler: string | undefined;
  /** What the random numbers come from. */
  seed: number;
  /** The size, unless it is the usual one. */
  size: number | undefined;
  /** Whether the usual size is that of the short form. */
  short: boolean;
}

/** Runs the proofs. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      proof: { type: "string", multiple: true },
      seed: { type: "string" },
      size: { type: "string" },
      short: { type: "boolean" },
      pooler: { type: "boolean" },
    },
  });
  const bin = await findPrograms();
  if (bin === undefined) {
    console.log(`SKIPPED the proofs on PostgreSQL: version ${OLDEST} or newer is not installed`);
    return 0;
  }
  const pooler = values.pooler ? await findPooler() : undefined;
  if (values.pooler && pooler === undefined) {
    console.log("SKIPPED the proofs through a pooler: apt-get install -y pgbouncer");
    return 0;
  }
  const { short = false } = values;
  const size = values.size === undefined ? undefined : Number(values.size);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
  let fine = true;
  for (const name of values.proof ?? Object.keys(PROOFS)) {
    const proof = PROOFS[name];
    if (!proof) {
      console.error(
        `Cannot prove ${JSON.stringify(name)}: choose ${Object.keys(PROOFS).join(", ")}`,
      );
      return 2;
    }
    console.log(`${name}: seed ${seed}${pooler === undefined ? "" : ", through a pooler"}`);
    if (!await prove(proof, { bin, pooler, seed, size, short })) fine = false;
  }
  return fine ? 0 : 1;
}

/** Runs a proof on a server of its own, and prints what was found. Returns whether nothing is wrong. */
async function prove(proof: Known, wanted: Wanted): Promise<boolean> {
  const began = performance.now();
  const server = await startPostgres(wanted.bin, ["max_connections=200"]);
  let pooler: Pooler | undefined;
  const remove = async () => {
    await pooler?.remove();
    await server.remove();
  };
  // Ctrl-C reaches the processes as well. Nobody else would stop the server.
  const stop = () => void remove().finally(() => Deno.kill(Deno.pid, "SIGTERM"));
  Deno.addSignalListener("SIGINT", stop);
  try {
    if (wanted.pooler !== undefined) {
      const settings = { size: POOL_SIZE, ignoresSettings: false, retryS: RETRY_S };
      pooler = await startPooler(wanted.pooler, server.address("postgres"), settings);
    }
    const random = randomFrom(wanted.seed);
    const say = (line: string) => console.log(`  ${line}`);
    const size = wanted.size ?? (wanted.short ? proof.short : proof.long);
    const { figures, wrong } = await proof.run({ server, pooler, random, size, say });
    for (const [what, count] of Object.entries(figures)) say(`${what}: ${count}`);
    say(`took ${Math.round((performance.now() - began) / 1000)} s`);
    for (const what of wrong.slice(0, 20)) say(`WRONG ${what}`);
    if (wrong.length > 20) say(`WRONG and ${wrong.length - 20} more`);
    return wrong.length === 0;
  } finally {
    Deno.removeSignalListener("SIGINT", stop);
    await remove();
  }
}
