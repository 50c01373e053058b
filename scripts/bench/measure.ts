/**
 * How things are measured: in turns, many times, by their medians.
 *
 * A machine does other work too, and its speed changes from minute to minute. So nothing is measured
 * alone: what is compared takes turns, and only the ratio counts.
 *
 * @module
 */

/** Takes one sample: milliseconds, or whatever else counts. */
export type Sampler = () => Promise<number>;

/** Samples by the name of what was measured. */
export type Samples<Name extends string> = Record<Name, number[]>;

/** Takes one sample of each, again and again. The first `warmUp` rounds do not count. */
export async function inTurns<Name extends string>(
  samplers: Readonly<Record<Name, Sampler>>,
  options: { rounds: number; warmUp: number },
): Promise<Samples<Name>> {
  const named: [string, Sampler][] = Object.entries(samplers);
  const taken = named.map(([name, sampler]) => ({ name, sampler, samples: [] as number[] }));
  for (let round = -options.warmUp; round < options.rounds; round++) {
    for (const { sampler, samples } of taken) {
      const sample = await sampler();
      if (round >= 0) samples.push(sample);
    }
  }
  // The names are those of the samplers.
  return Object.fromEntries(taken.map(({ name, samples }) => [name, samples])) as Samples<Name>;
}

/** The middle of some numbers, of which there is at least one. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** How far samples lie apart: half of the middle half of them, as a share of their median. */
export function noiseOf(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round((sorted.length - 1) * share)] ?? NaN;
  return (at(0.75) - at(0.25)) / 2 / median(samples);
}

/** One set of samples against another: the ratio of their medians, and how far it can be trusted. */
export function ratioOf(
  ours: readonly number[],
  base: readonly number[],
): Pick<Finding, "value" | "unit" | "noise"> {
  const noise = noiseOf(ours) + noiseOf(base);
  return { value: median(ours) / median(base), unit: "x", noise };
}

/** How long something takes, in milliseconds. */
export async function elapsed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

/** What a number must keep to. */
export type Budget = { atMost: number } | { atLeast: number };

/** Whether a number keeps to its budget. */
export function keeps(value: number, budget: Budget): boolean {
  return "atMost" in budget ? value <= budget.atMost : value >= budget.atLeast;
}

/** One line of the results. */
export interface Finding {
  /** What was measured. */
  what: string;
  /** Our number, with its unit. */
  ours: string;
  /** The number it is compared with, and what that is. Empty where it stands alone. */
  base: string;
  /** What the budget speaks of: a ratio or an amount. Undefined where the line only informs. */
  value?: number | undefined;
  /** The unit of `value`. */
  unit?: "x" | "ms" | "s" | "MiB" | undefined;
  /** How far `value` changes by itself, as a share of it. Default: what any machine does. */
  noise?: number | undefined;
  /** Whether more of `value` is better. Default: as the budget has it, else less is better. */
  better?: "more" | "less" | undefined;
  /** The budget, where there is one. */
  budget?: Budget | undefined;
}

/** What a section of the results says below its title. */
export interface Measured {
  /** How it was measured, in a few sentences. */
  method: string;
  /** The findings. */
  findings: Finding[];
}

/** Findings that belong together. */
export interface Section extends Measured {
  /** What they are about. */
  title: string;
  /** Where and when they were measured, in one line. */
  place: string;
}

/** A finding that stands alone. */
export function plain(what: string, ours: string): Finding {
  return { what, ours, base: "" };
}

/** A finding that stands alone and has a budget. */
export function limited(
  what: string,
  { value, unit, budget }: { value: number | undefined; unit: "s" | "MiB" | "ms"; budget: Budget },
): Finding {
  const digits = unit === "MiB" ? 0 : 1;
  const ours = value === undefined ? "not measured" : `${value.toFixed(digits)} ${unit}`;
  return { what, ours, base: "", value, unit, budget };
}

/** A number of bytes in MiB. */
export function toMebibytes(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : bytes / 1024 / 1024;
}

/** A number of bytes, for people. */
export function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? "not measured" : `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
}
