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
import { randomFrom } from "./random.ts";

/** A proof on a server. */
interface Proof {
  /** The server. */
  server: PostgresServer;
  /** A number from 0 to 1. */
  random(): number;
  /** The size of the proof, if it is not the usual one. */
  size: number | undefined;
  /** Prints a line. */
  say(line: string): void;
}

/** The proofs by name. */
const PROOFS: { [name: string]: (proof: Proof) => Promise<Findings> } = {
  kills: ({ size = 100, ...proof }) =>
    killAtRandom({ ...proof, ...placed(proof), roles: MIXED, moments: size }),
};

const MIXED: readonly Role[] = ["api", "api", "worker", "worker"];

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
    },
  });
  const bin = await findPrograms();
  if (bin === undefined) {
    console.log(`SKIPPED the proofs on PostgreSQL: version ${OLDEST} or newer is not installed`);
    return 0;
  }
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
  const size = values.size === undefined ? undefined : Number(values.size);
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
    try {
      const random = randomFrom(seed);
      const say = (line: string) => console.log(`  ${line}`);
      const { figures, wrong } = await proof({ server, random, size, say });
      for (const [what, count] of Object.entries(figures)) say(`${what}: ${count}`);
      say(`took ${Math.round((performance.now() - began) / 1000)} s`);
      for (const what of wrong.slice(0, 20)) say(`WRONG ${what}`);
      if (wrong.length > 20) say(`WRONG and ${wrong.length - 20} more`);
      fine &&= wrong.length === 0;
    } finally {
      await server.remove();
    }
  }
  return fine ? 0 : 1;
}
