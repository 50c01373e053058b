/**
 * Writers with a record of acknowledged changes, and a reader with a record of durations.
 *
 * @module
 */

import type { Service } from "./service.ts";

/** The acknowledged changes, and the waits of a reader. */
export interface Load {
  /** Ends the load. */
  stop(): Promise<void>;
  /** The customers whose creation was acknowledged. */
  readonly acknowledged: string[];
  /** The number of refused writes, by status or error. */
  readonly refused: Map<string, number>;
  /** The durations of reads, in milliseconds. */
  readonly times: number[];
  /** The number of failed reads. */
  failed(): number;
}

/** Starts writers and a reader, until they are stopped or the service ends. */
export function startLoad(service: Service, writers = 8): Load {
  const load = { acknowledged: [] as string[], refused: new Map<string, number>() };
  const times: number[] = [];
  let stopped = false;
  const until = async (step: () => Promise<void>) => {
    for (let there = true; there && !stopped;) await step().catch(() => there = false);
  };
  const write = async () => {
    const id = `soak-${crypto.randomUUID()}`;
    const response = await service.send("POST", "/customers", { id });
    await response.body?.cancel();
    if (response.ok) load.acknowledged.push(id);
    else {load.refused.set(
        String(response.status),
        (load.refused.get(String(response.status)) ?? 0) + 1,
      );}
  };
  const read = async () => {
    const begun = performance.now();
    const response = await service.send("GET", "/offerings");
    await response.body?.cancel();
    if (response.ok) times.push(performance.now() - begun);
  };
  let failed = 0;
  const reading = async () => {
    while (!stopped) {
      await read().catch(() => failed++);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const running = [...Array.from({ length: writers }, () => until(write)), reading()];
  return {
    ...load,
    times,
    failed: () => failed,
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}

/** The customers that a service lacks. */
export async function lostOf(service: Service, ids: readonly string[]): Promise<string[]> {
  const lost: string[] = [];
  const queue = [...ids];
  await Promise.all(Array.from({ length: 16 }, async () => {
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const response = await service.send("GET", `/customers/${id}`);
      await response.body?.cancel();
      if (response.status !== 200) lost.push(id);
    }
  }));
  return lost;
}

/** The 99th percentile of some times; undefined without any. */
export function p99(times: readonly number[]): number | undefined {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))];
}
