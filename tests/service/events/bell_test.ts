import { deepEqual, equal } from "node:assert/strict";
import { createBell } from "../../../lib/service/events/bell.ts";

/** Lets all that has been resolved go on. */
function turn(): Promise<void> {
  return new Promise(setImmediate);
}

Deno.test("a bell wakes everybody who waits, and each once", async () => {
  const bell = createBell();
  const woken: string[] = [];
  const wait = async (who: string) => {
    await bell.rung(bell.rings, new AbortController().signal);
    woken.push(who);
  };
  const waits = [wait("ada"), wait("bob")];
  await turn();
  deepEqual(woken, []);
  bell.ring();
  await Promise.all(waits);
  deepEqual([woken, bell.rings], [["ada", "bob"], 1]);
  void wait("cleo");
  await turn();
  equal(woken.length, 2);
  bell.ring();
  await turn();
  deepEqual(woken, ["ada", "bob", "cleo"]);
});

Deno.test("nobody waits for a bell that has rung meanwhile, is stopped or is not waited for", async () => {
  const bell = createBell();
  const stop = new AbortController();
  bell.ring();
  await bell.rung(0, stop.signal);
  const waiting = bell.rung(1, stop.signal);
  stop.abort();
  await waiting;
  await bell.rung(1, stop.signal);
  const other = bell.rung(1, new AbortController().signal);
  equal(bell.stopped, false);
  bell.stop();
  await other;
  await bell.rung(1, new AbortController().signal);
  equal(bell.stopped, true);
});
