import { equal, ok } from "node:assert/strict";
import { createServerTime } from "../../../../lib/service/store/postgres/server_time.ts";

/** A host whose clock is five seconds ahead of the server's. */
function openHost() {
  const host = { passed: 0, ahead: 5000 };
  const time = createServerTime(() => 1e12 + host.passed + host.ahead, () => host.passed);
  const ask = (there: number, back: number) => {
    const before = host.passed;
    const server = 1e12 + before + there;
    host.passed += there + back;
    time.note({ before, after: host.passed, server });
  };
  /** How far the time is off. */
  const off = () => time.now() - (1e12 + host.passed);
  return { host, time, ask, off };
}

Deno.test("a process goes by the server's clock, not by its own", () => {
  const { off, ask } = openHost();
  equal(off(), 5000);
  ask(1, 1);
  equal(off(), 0);
});

Deno.test("an answer that took long under load does not spoil a good one", () => {
  const { off, ask, host } = openHost();
  ask(400, 0);
  equal(off(), 200);
  ask(1, 1);
  equal(off(), 0);
  host.passed += 10_000;
  ask(0, 400);
  equal(off(), 0);
});

Deno.test("a clock that is set changes nothing, and is noticed", () => {
  const { off, ask, host, time } = openHost();
  ask(1, 1);
  host.ahead = -60_000;
  equal(off(), 0);
  ok(time.wasSet());
  ask(1, 1);
  ok(!time.wasSet());
  equal(off(), 0);
});

Deno.test("a server whose clock is set is followed at the next answer", () => {
  const { ask, host, time } = openHost();
  ask(1, 1);
  time.note({ before: host.passed, after: host.passed + 2, server: 2e12 });
  ok(Math.abs(time.now() - 2e12) < 3);
});
