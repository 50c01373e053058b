import { deepEqual, equal, rejects } from "node:assert/strict";
import { untilAborted } from "../lib/signals.ts";

/** A signal that counts its listeners. */
function counted(): { abort: AbortController; listeners: () => number } {
  const abort = new AbortController();
  const { signal } = abort;
  let count = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...words: Parameters<typeof add>) => {
    count++;
    add(...words);
  };
  signal.removeEventListener = (...words: Parameters<typeof remove>) => {
    count--;
    remove(...words);
  };
  return { abort, listeners: () => count };
}

Deno.test("work is waited for until it ends, or until the signal fires", async () => {
  const never = new Promise<string>(() => {});
  const { abort, listeners } = counted();
  equal(await untilAborted(Promise.resolve("done"), undefined), "done");
  equal(await untilAborted(Promise.resolve("done"), abort.signal), "done");
  await rejects(untilAborted(Promise.reject(new Error("broken")), abort.signal), /broken/);
  const waiting = untilAborted(never, abort.signal);
  abort.abort(new Error("enough"));
  await rejects(waiting, /enough/);
  await rejects(untilAborted(never, abort.signal), /enough/);
  deepEqual(listeners(), 0, "a lasting signal keeps no listener");
});
