/**
 * A lock as a file that only one process can make. Its holder touches it every two seconds; one that
 * has not changed for ten was left by a process that died, and is taken over.
 *
 * @module
 */

import { platform } from "../platform/mod.ts";
import { codeOf } from "./file_errors.ts";

/** How often a holder shows that it lives, in milliseconds. */
const BEAT_MS = 2_000;

/** How long a claim must show no life before another process takes it over, in milliseconds. */
const LONGEST_SILENCE_MS = 10_000;

/** How the text of a claim begins whose holder has the kernel's lock as well. */
const WITH_KERNEL = "kernel ";

/** A claim to a lock. */
interface Claim {
  /**
   * Takes the lock if it is free, and tells whether this has it.
   *
   * @param waitedMs How long the caller has waited for it. Only the caller's own time counts here:
   * the clocks of two machines that share a folder may differ.
   */
  take(waitedMs: number): Promise<boolean>;
  /** Gives the lock back, if this has it. */
  release(): Promise<void>;
}

/** A claim that was seen, and when. */
interface Sight {
  /** What it looked like. */
  look: string;
  /** How long the caller had waited when it first looked so, in milliseconds. */
  since: number;
}

/**
 * A claim to the lock that a file stands for.
 *
 * @param withKernel Whether the caller holds the kernel's lock as well whenever it takes this. Then
 * a claim by another such process is a leftover: the kernel would have kept us out.
 */
export function createClaim(path: string, withKernel: boolean): Claim {
  const own = `${withKernel ? WITH_KERNEL : ""}${crypto.randomUUID()}`;
  let seen: Sight | undefined;
  let beat: ReturnType<typeof setInterval> | undefined;
  const claim = async () => {
    if (!await make(path, own)) return false;
    beat = setInterval(() => void platform.touch(path).catch(() => {}), BEAT_MS);
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
      if (beat === undefined) return;
      clearInterval(beat);
      beat = undefined;
      // Another process may have taken it over while this one was stopped. A folder that has gone
      // has taken the claim with it.
      const text = await lookAt(path).then((seen) => seen.text, () => undefined);
      if (text === own) await platform.remove(path).catch(() => {});
    },
  };
}

/** Makes a claim's file, unless there is one. */
async function make(path: string, text: string): Promise<boolean> {
  try {
    await platform.writeNewFile(path, new TextEncoder().encode(text), { mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** What a claim says, and all that changes as long as its holder lives. */
async function lookAt(path: string): Promise<{ text?: string; look: string }> {
  try {
    const text = new TextDecoder().decode(await platform.readFile(path));
    return { text, look: `${(await platform.stat(path)).writtenMs} ${text}` };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { look: "" };
    throw error;
  }
}

/** Takes a leftover away, but not what another process has put in its place meanwhile. */
async function takeAway(path: string, leftover: string): Promise<void> {
  const aside = `${path}.${crypto.randomUUID()}.tmp`;
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
