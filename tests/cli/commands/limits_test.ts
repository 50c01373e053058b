import { deepEqual, equal } from "node:assert/strict";
import { openDesk } from "../../support/harness.ts";

const VERIFY = "verify http://localhost:1/ --state http://localhost:1/{customer}";

/** Numbers just outside of what is accepted, each at the end of its command line. */
const OUTSIDE: [line: string, bounds: string][] = [
  ["offerings list --limit 0", "1 or more"],
  [`${VERIFY} --runs 0`, "between 1 and 100000"],
  [`${VERIFY} --runs 100001`, "between 1 and 100000"],
  [`${VERIFY} --seed 2147483648`, "between 0 and 2147483647"],
  [`${VERIFY} --faults 21`, "between 1 and 20"],
  ["service start --port 65536", "between 0 and 65535"],
  ["service start --drain 301", "between 0 and 300"],
  ["service populate --customers 0", "1 or more"],
  ["service populate --months 0", "1 or more"],
  ["auth login --callback-port 0", "between 1 and 65535"],
  ["auth login --callback-port 65536", "between 1 and 65535"],
  ["simulate purchase ada x --quantity 0", "between 1 and 100"],
  ["simulate purchase ada x --quantity 101", "between 1 and 100"],
  ["simulate refund-window 36501", "between 0 and 36500"],
  ["scenario run x.yaml --parallel 65", "between 1 and 64"],
  ["packages update x --position -1", "0 or more"],
];

Deno.test("numbers outside of their bounds are refused with the bounds, before anything is sent", async () => {
  await using desk = await openDesk({ empty: true });
  const wrong: string[] = [];
  for (const [line, bounds] of OUTSIDE) {
    const { code, err } = await desk.run(...line.split(" "));
    if (code !== 2 || !err.includes(`it must be ${bounds}\n`)) wrong.push(`${line}: ${err}`);
  }
  deepEqual(wrong, []);
  equal(desk.sent.length, 0);
});
