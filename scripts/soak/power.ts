/**
 * Power cuts: a service writes while every write and sync of its database is recorded. The record
 * determines the disk at any moment: all synced data, and any part of the rest.
 *
 * @module
 */

import { join } from "node:path";
import type { Figures } from "./figures.ts";
import { lostOf, startLoad } from "./load.ts";
import { commandExists, startService } from "./service.ts";

/** The duration of a recording, in milliseconds. */
const RECORDED_MS = 900;

/** The number of power cuts per recording. */
const CUTS = 4;

/** The files that a cut leaves behind. */
const FILES = ["service.db", "service.db-wal"] as const;

/** Disks write whole sectors. */
const SECTOR = 512;

/**
 * A step in the life of a file, or an answer to a client. A sync keeps what was written before it began,
 * with `flush` on the same thread: other threads may write, or begin another sync, meanwhile.
 */
type Step =
  | { kind: "write"; file: string; at: number; bytes: Uint8Array }
  | { kind: "size"; file: string; size: number }
  | { kind: "flush"; file: string; thread: string }
  | { kind: "sync"; file: string; thread: string }
  | { kind: "acknowledge"; ids: string[] };

/**
 * Records a service under load, then cuts the power at some moments of the record: just after an
 * acknowledged change, which only syncing can have saved.
 */
export async function cutPower(folder: string, figures: Figures): Promise<void> {
  if (!await commandExists("strace")) {
    return figures.skip("power cuts: strace records what is synced, and is not installed");
  }
  const work = await Deno.makeTempDir({ prefix: "soak" });
  try {
    const before = await imagesOf(folder);
    const trace = join(work, "trace");
    const service = await startService(folder, { trace });
    if (!service) return figures.skip("power cuts: strace may not trace here");
    const load = startLoad(service, 4);
    await new Promise((resolve) => setTimeout(resolve, RECORDED_MS));
    await service.kill();
    await load.stop();
    const steps = stepsOf(await Deno.readTextFile(trace), folder);
    const answers = steps.flatMap((step, i) => step.kind === "acknowledge" ? [i] : []);
    if (answers.length === 0) return figures.wrong("power cuts: nothing was acknowledged");
    for (let i = 0; i < CUTS; i++) {
      const moment = answers[Math.floor(Math.random() * answers.length)] ?? 0;
      await tryCut(join(work, String(i)), folder, figures, {
        steps: steps.slice(0, moment + 1),
        before,
      });
    }
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/**
 * Starts the service on the data left by a cut, and looks for all changes acknowledged before it.
 */
async function tryCut(
  place: string,
  folder: string,
  figures: Figures,
  record: { steps: readonly Step[]; before: ReadonlyMap<string, Uint8Array> },
): Promise<void> {
  await Deno.mkdir(place, { mode: 0o700 });
  await Deno.copyFile(join(folder, "admin.secret"), join(place, "admin.secret"));
  const left = afterCut(record.steps, record.before, Math.random);
  for (const [file, bytes] of left) await Deno.writeFile(join(place, file), bytes, { mode: 0o600 });
  const known = record.steps.flatMap((step) => step.kind === "acknowledge" ? step.ids : []);
  const service = await startService(place);
  if (!service) return figures.wrong("power cuts: the service did not start again");
  figures.writes("power cuts", known.length, (await lostOf(service, known)).length);
  await service.kill();
}

/** The current files. */
async function imagesOf(folder: string): Promise<Map<string, Uint8Array>> {
  const images = new Map<string, Uint8Array>();
  for (const file of FILES) {
    const bytes = await Deno.readFile(join(folder, file)).catch(() => new Uint8Array());
    images.set(file, bytes);
  }
  return images;
}

/**
 * The disk after a power cut: every synced write, and a random part of the sectors of the others.
 */
export function afterCut(
  steps: readonly Step[],
  before: ReadonlyMap<string, Uint8Array>,
  chance: () => number,
): Map<string, Uint8Array> {
  const durable = new Map<string, Uint8Array>();
  for (const [file, bytes] of before) durable.set(file, bytes.slice());
  const pending = new Map<string, Step[]>();
  for (const step of steps) {
    if (step.kind === "acknowledge") continue;
    const waiting = pending.get(step.file) ?? [];
    if (step.kind !== "sync") pending.set(step.file, [...waiting, step]);
    else {
      const { thread } = step;
      const kept = waiting.findLastIndex((one) => one.kind === "flush" && one.thread === thread) +
        1;
      for (const one of waiting.splice(0, kept)) {
        durable.set(step.file, applied(durable.get(step.file), one));
      }
      pending.set(step.file, waiting);
    }
  }
  for (const [file, waiting] of pending) {
    for (const step of waiting.flatMap(sectorsOf)) {
      if (chance() < 0.5) durable.set(file, applied(durable.get(file), step));
    }
  }
  return durable;
}

/** A write as the sectors that it touches. */
function sectorsOf(step: Step): Step[] {
  if (step.kind !== "write") return [step];
  const parts: Step[] = [];
  for (let from = 0; from < step.bytes.length;) {
    const at = step.at + from;
    const to = Math.min(step.bytes.length, from + SECTOR - at % SECTOR);
    parts.push({ ...step, at, bytes: step.bytes.subarray(from, to) });
    from = to;
  }
  return parts;
}

/** A file after a step. */
function applied(bytes: Uint8Array = new Uint8Array(), step: Step): Uint8Array {
  if (step.kind === "size") return resized(bytes, step.size);
  if (step.kind !== "write") return bytes;
  const end = step.at + step.bytes.length;
  const all = end > bytes.length ? resized(bytes, end) : bytes;
  all.set(step.bytes, step.at);
  return all;
}

/** The same bytes, truncated or padded with zeros. */
function resized(bytes: Uint8Array, size: number): Uint8Array {
  const all = new Uint8Array(size);
  all.set(bytes.subarray(0, size));
  return all;
}

/**
 * The steps of a trace: those of the database in a folder, and the ids in the answers to clients.
 */
export function stepsOf(trace: string, folder: string): Step[] {
  const open = new Map<string, string>();
  return trace.split("\n").flatMap((line) => {
    const [, thread = "", call = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (call.endsWith(" <unfinished ...>")) {
      const begun = call.slice(0, -" <unfinished ...>".length);
      open.set(thread, begun);
      return stepOf(`${begun}) = 0`, folder, thread).flatMap(flushOf);
    }
    const [, rest] = /^<\.\.\. \w+ resumed>(.*)$/.exec(call) ?? [];
    if (rest !== undefined) return stepOf((open.get(thread) ?? "") + rest, folder, thread);
    const steps = stepOf(call, folder, thread);
    return [...steps.flatMap(flushOf), ...steps];
  });
}

/** The beginning of a sync, if the step is one. */
function flushOf(step: Step): Step[] {
  return step.kind === "sync" ? [{ ...step, kind: "flush" }] : [];
}

/** The step of a finished system call. */
function stepOf(call: string, folder: string, thread: string): Step[] {
  const [, name, path = "", rest = ""] = /^(\w+)\(\d+<((?:\\x[0-9a-f]{2})*)>(.*)$/.exec(call) ?? [];
  const text = new TextDecoder().decode(unescaped(path));
  if (name === "write" || name === "sendto" || name === "writev") {
    if (text.startsWith("/")) return [];
    const data = [...rest.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = ""]) =>
      unescaped(hex)
    );
    const sent = data.map((bytes) => new TextDecoder().decode(bytes)).join("");
    const ids = sent.match(/soak-[0-9a-f-]{36}/g);
    return ids ? [{ kind: "acknowledge", ids: [...new Set(ids)] }] : [];
  }
  const file = FILES.find((one) => text === join(folder, one));
  if (file === undefined || !/ = \d+$/.test(rest)) return [];
  if (name === "fsync" || name === "fdatasync") return [{ kind: "sync", file, thread }];
  if (name === "ftruncate") return [{ kind: "size", file, size: Number(/\d+/.exec(rest)?.[0]) }];
  const [, hex, at] = /^, "((?:\\x[0-9a-f]{2})*)", \d+, (\d+)\) /.exec(rest) ?? [];
  if (name !== "pwrite64" || hex === undefined) return [];
  return [{ kind: "write", file, at: Number(at), bytes: unescaped(hex) }];
}

/** The bytes of `\x2f\x74`. */
function unescaped(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 4);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(hex.slice(4 * i + 2, 4 * i + 4), 16);
  return bytes;
}
