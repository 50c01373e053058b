/**
 * The results of a soak, as one table.
 *
 * @module
 */

import { p99 } from "./load.ts";

/** The limit of the 99th percentile of reads during an attack, in milliseconds. */
const MOST_P99_MS = 3000;

/** The limit of the service's memory, in MB. */
const MOST_MEMORY_MB = 640;

/** Collects figures. */
export interface Figures {
  /** Acknowledged writes, and lost ones among them. */
  writes(what: string, acknowledged: number, lost: number): void;
  /** The durations of reads during an attack, in milliseconds. */
  reads(what: string, times: readonly number[]): void;
  /** The number of connections closed by a limit. A limit without any does not work. */
  closed(limit: string, count: number): void;
  /** The memory of a process, in MB. */
  peak(megabytes: number): void;
  /** A note. */
  note(what: string, text: string): void;
  /** A skipped attack. */
  skip(what: string): void;
  /** A fault. */
  wrong(what: string): void;
  /** The table. */
  table(): string;
  /** Checks the figures against their limits. Returns whether all hold. */
  judge(): boolean;
}

/** A line of the table. */
interface Line {
  /** The number of attacks. */
  rounds: number;
  /** Acknowledged writes. */
  acknowledged: number;
  /** Lost ones. */
  lost: number;
  /** Times of reads, in milliseconds. */
  times: number[];
}

/** Starts a collection. */
export function createFigures(): Figures {
  const lines = new Map<string, Line>();
  const closed = new Map<string, number>();
  const notes = new Map<string, string>();
  const [skipped, faults]: [Set<string>, string[]] = [new Set(), []];
  let most = 0;
  const lineOf = (what: string): Line => {
    const line = lines.get(what) ?? { rounds: 0, acknowledged: 0, lost: 0, times: [] };
    lines.set(what, line);
    return line;
  };
  return {
    writes(what, acknowledged, lost) {
      const line = lineOf(what);
      line.rounds++;
      line.acknowledged += acknowledged;
      line.lost += lost;
      if (lost > 0) faults.push(`${what}: ${lost} acknowledged writes are lost`);
    },
    reads: (what, times) => void lineOf(what).times.push(...times),
    closed: (limit, count) => void closed.set(limit, (closed.get(limit) ?? 0) + count),
    peak: (megabytes) => void (most = Math.max(most, megabytes)),
    note: (what, text) => void notes.set(what, text),
    skip: (what) => void skipped.add(what),
    wrong: (what) => void faults.push(what),
    judge() {
      for (const [what, { rounds, acknowledged, times }] of lines) {
        if (rounds > 0 && acknowledged === 0) faults.push(`${what}: nothing was acknowledged`);
        const ms = p99(times) ?? 0;
        if (ms > MOST_P99_MS) faults.push(`${what}: p99 of ${ms.toFixed(0)} ms`);
      }
      for (const [limit, count] of closed) {
        if (count === 0) faults.push(`the limit closed nothing: ${limit}`);
      }
      if (most > MOST_MEMORY_MB) faults.push(`the service took ${most} MB`);
      return faults.length === 0;
    },
    table() {
      const rows = [["WHAT", "ROUNDS", "ACKNOWLEDGED", "LOST", "READS", "P99 MS"]];
      for (const [what, { rounds, acknowledged, lost, times }] of lines) {
        const wait = p99(times)?.toFixed(1) ?? "-";
        rows.push([what, ...[rounds, acknowledged, lost, times.length].map(String), wait]);
      }
      return [
        ...aligned(rows),
        "",
        ...aligned([["CLOSED BY", "CONNECTIONS"], ...[...closed].map(([k, n]) => [k, String(n)])]),
        "",
        `Peak memory of the service: ${most} MB`,
        ...[...notes].map(([what, text]) => `${what}: ${text}`),
        ...[...skipped].map((what) => `SKIPPED ${what}`),
        ...faults.map((what) => `WRONG ${what}`),
      ].join("\n");
    },
  };
}

/** Rows as lines whose columns are aligned. */
function aligned(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ").trimEnd());
}
