/**
 * Writers whose acknowledged changes are remembered, and a reader whose times are.
 *
 * @module
 */

import type { Service } from "./service.ts";

/** What was acknowledged, and how long a reader waited. */
export interface Load {
  /** Ends the load. */
  stop(): Promise<void>;
  /** The customers whose creation was acknowledged. */
  readonly acknowledged: string[];
  /** How many writes were refused, by status or error. */
  readonly refused: Map<string, number>;
  /** How long reads took, in milliseconds. */
  readonly times: number[];
  /** How many reads found nobody. */
  failed(): number;
}

/** Starts writers and a reader. They go on until they are stopped or the service is gone. */
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

/** Which of these customers a service does not have. */
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

/** The 99th percentile of some times; undefined of none. */
export function p99(times: readonly number[]): number | undefined {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))];
}
