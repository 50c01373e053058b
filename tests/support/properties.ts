/**
 * Property tests: statements that hold for any input, tried with many. The inputs come from a seed,
 * another one each time. A failure prints it, and `PROPERTY_SEED=<seed> deno task test <file>` tries
 * the same inputs again.
 *
 * @module
 */

// The only import of this package, so that every property has a seed that can be given.
import fc from "fast-check";

/** The variable that holds the seed. */
const VARIABLE = "PROPERTY_SEED";

/**
 * Reads a seed.
 *
 * @throws {RangeError} when it is not a whole number of 32 bits.
 */
export function readSeed(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const seed = /^-?\d+$/.test(text) ? Number(text) : NaN;
  if (seed === (seed | 0)) return seed;
  throw new RangeError(`Cannot use ${VARIABLE} "${text}": it is not a whole number of 32 bits`);
}

const given = readSeed(Deno.env.get(VARIABLE));

/**
 * Options for a property that has the same inputs each time, because only some histories are worth
 * their time. A seed that is given goes before.
 */
export function usualSeed(seed: number): { seed: number } {
  return { seed: given ?? seed };
}

/** Where the rounds of this process begin. */
const first = given ?? crypto.getRandomValues(new Int32Array(1))[0] ?? 0;

/** The seed to give for each seed of a round. */
const firsts = new Map<number, number>();

/**
 * Options for a property that is tried in rounds, each with other inputs. All follow from one seed, so
 * that giving it repeats every round.
 */
export function roundSeed(round: number): { seed: number } {
  // Far enough apart that no seed of one run is near those of another.
  const seed = (first + Math.imul(round, 0x9e3779b1)) | 0;
  firsts.set(seed, first);
  return { seed };
}

/** Throws when a property does not hold, with the seed and how to try the same inputs again. */
function report<T>(details: fc.RunDetails<T>): void {
  if (!details.failed) return;
  const seed = firsts.get(details.seed) ?? details.seed;
  const again = `Run the test with ${VARIABLE}=${seed} to try the same inputs again.`;
  throw new Error(`${again}\n${fc.defaultReportMessage(details)}`, {
    cause: details.errorInstance,
  });
}

fc.configureGlobal({ reporter: report, ...given !== undefined && { seed: given } });

export { fc };
