/**
 * Proofs of the service on PostgreSQL, with several processes on a server of their own.
 *
 *     deno task soak:postgres [--short] [--proof NAME] [--seed N] [--size N]
 *
 * @module
 */

import { parseArgs } from "node:util";
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

/** Each proof has a server of its own. */
function placed({ server }: Pick<Proof, "server">): { database: string } {
  return { database: server.address("postgres") };
}

if (import.meta.main) Deno.exitCode = await main(Deno.args);

/** Runs the proofs. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      proof: { type: "string", multiple: true },
      seed: { type: "string" },
      size: { type: "string" },
      short: { type: "boolean" },
    },
  });
  const bin = await findPrograms();
  if (bin === undefined) {
    console.log(`SKIPPED the proofs on PostgreSQL: version ${OLDEST} or newer is not installed`);
    return 0;
  }
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
    console.log(`${name}: seed ${seed}`);
    const began = performance.now();
    const server = await startPostgres(bin, ["max_connections=200"]);
    // Ctrl-C reaches the processes as well. Nobody else would stop the server.
    const stop = () => void server.remove().finally(() => Deno.kill(Deno.pid, "SIGTERM"));
    Deno.addSignalListener("SIGINT", stop);
    try {
      const random = randomFrom(seed);
      const say = (line: string) => console.log(`  ${line}`);
      const size = Number(values.size ?? (values.short ? proof.short : proof.long));
      const { figures, wrong } = await proof.run({ server, random, size, say });
      for (const [what, count] of Object.entries(figures)) say(`${what}: ${count}`);
      say(`took ${Math.round((performance.now() - began) / 1000)} s`);
      for (const what of wrong.slice(0, 20)) say(`WRONG ${what}`);
      if (wrong.length > 20) say(`WRONG and ${wrong.length - 20} more`);
      fine &&= wrong.length === 0;
    } finally {
      Deno.removeSignalListener("SIGINT", stop);
      await server.remove();
    }
  }
  return fine ? 0 : 1;
}
