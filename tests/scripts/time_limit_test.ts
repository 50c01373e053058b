import { deepEqual, equal, throws } from "node:assert/strict";
import { endWithin, takeLimit } from "../../scripts/postgres/time_limit.ts";

/** A process that ends by itself, or on some signals. */
function fake(endsOn: readonly string[], code?: number) {
  const signals: string[] = [];
  const { promise, resolve } = Promise.withResolvers<Deno.CommandStatus>();
  const end = (code: number) => resolve({ success: code === 0, code, signal: null });
  if (code !== undefined) end(code);
  return {
    signals,
    status: promise,
    kill(signal: Deno.Signal = "SIGTERM") {
      signals.push(signal);
      if (endsOn.includes(signal)) end(130);
    },
  };
}

Deno.test("tests that end within their limit get no signal", async () => {
  const tests = fake([], 1);
  deepEqual(await endWithin(tests, 1_000_000), { code: 1, stopped: false });
  deepEqual(tests.signals, []);
});

Deno.test("tests beyond their limit may name what has not ended, and are killed later", async () => {
  const polite = fake(["SIGINT"]);
  deepEqual(await endWithin(polite, 1, 1_000_000), { code: 130, stopped: true });
  deepEqual(polite.signals, ["SIGINT"]);
  const stubborn = fake(["SIGKILL"]);
  deepEqual(await endWithin(stubborn, 1, 1), { code: 130, stopped: true });
  deepEqual(stubborn.signals, ["SIGINT", "SIGKILL"]);
});

Deno.test("a limit is a number of minutes among other arguments", () => {
  deepEqual(takeLimit(["--limit=1.5", "a.ts"]), { limitMs: 90_000, rest: ["a.ts"] });
  const { limitMs, rest } = takeLimit(["a.ts", "--filter=x"]);
  equal(limitMs, 2 ** 31 - 1);
  deepEqual(rest, ["a.ts", "--filter=x"]);
  for (const wrong of ["", "0", "-1", "soon", "1e9"]) {
    throws(() => takeLimit([`--limit=${wrong}`]), RangeError, wrong);
  }
});
