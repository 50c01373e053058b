/**
 * A lock as a file that only one process can create. Its holder touches it every two seconds. A
 * file unchanged for ten seconds was left by a dead process, and is taken over.
 *
 * @module
 */

import { alarm } from "../alarm.ts";
import { platform } from "../platform/mod.ts";
import { codeOf } from "../file_reason.ts";
import { temporaryName } from "../temporary_name.ts";
import { readBounded } from "./read_bounded.ts";

/** How often a holder touches its file, in milliseconds. */
const BEAT_MS = 2_000;

/** How long a claim must be unchanged before another process takes it over, in milliseconds. */
const LONGEST_SILENCE_MS = 10_000;

/** The start of a claim's text when its holder has the kernel's lock as well. */
const WITH_KERNEL = "kernel ";

/** A claim to a lock. */
interface Claim {
  /**
   * Takes the lock if it is free, and returns whether this holds it.
   *
   * @param waitedMs How long the caller has waited for it. Only the caller's own time counts here:
   * the clocks of two machines that share a folder may differ.
   */
  take(waitedMs: number): Promise<boolean>;
  /** Releases the lock, if this holds it. */
  release(): Promise<void>;
}

/** A claim that was seen, and the time. */
interface Sight {
  /** Its content. */
  look: string;
  /** How long the caller had waited when it first saw this content, in milliseconds. */
  since: number;
}

/**
 * A claim to the lock of a file.
 *
 * @param withKernel Whether the caller always holds the kernel's lock as well. Then a claim by
 * another such process is a leftover: the kernel would have kept this one out.
 */
export function createClaim(path: string, withKernel: boolean): Claim {
  const own = `${withKernel ? WITH_KERNEL : ""}${crypto.randomUUID()}`;
  let seen: Sight | undefined;
  /** Ends the beat, while this holds the lock. */
  let endBeat: (() => void) | undefined;
  const beat = () => {
    endBeat = alarm(BEAT_MS, () => {
      beat();
      platform.touch(path).catch(() => {});
    });
  };
  const claim = async () => {
    if (!await make(path, own)) return false;
    beat();
    return true;
  };
  return {
    async take(waitedMs) {
      if (await claim()) return true;
      const { text, look } = await lookAt(path);
      if (text === undefined) return await claim();
      if (seen?.look !== look) seen = { look, since: waitedMs };
      const silent = waitedMs - seen.since >= LONGEST_SILENCE_MS;
      if (!silent && !(withKernel && text.startsWith(WITH_KERNEL))) return false;
      await takeAway(path, text);
      return await claim();
    },
    async release() {
      if (!endBeat) return;
      endBeat();
      endBeat = undefined;
      // Another process may have taken it over while this one was suspended. A deleted folder has
      // taken the claim with it.
      const text = await lookAt(path).then((seen) => seen.text, () => undefined);
      if (text === own) await platform.remove(path).catch(() => {});
    },
  };
}

/** Creates a claim's file, unless there is one. */
async function make(path: string, text: string): Promise<boolean> {
  try {
    await platform.writeNewFile(path, new TextEncoder().encode(text), { mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** The content of a claim, including its time, which changes as long as its holder lives. */
async function lookAt(path: string): Promise<{ text?: string; look: string }> {
  try {
    // A folder from someone else may have a pipe in its place, which nobody ever writes to.
    const text = new TextDecoder().decode(await readBounded(path));
    return { text, look: `${(await platform.stat(path)).writtenMs} ${text}` };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { look: "" };
    throw error;
  }
}

/** Removes a leftover, but not a newer claim of another process. */
async function takeAway(path: string, leftover: string): Promise<void> {
  const aside = temporaryName(path);
  try {
    await platform.rename(path, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  const { text } = await lookAt(aside);
  if (text !== undefined && text !== leftover) await make(path, text);
  await platform.remove(aside).catch(() => {});
}
