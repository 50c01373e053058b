import { deepEqual, equal } from "node:assert/strict";
import { announceCatchUp } from "../../../lib/service/serve.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What is said while a start takes long, and a while after. */
async function saidBy(isCatchingUp: () => Promise<boolean>): Promise<unknown[]> {
  const said: unknown[] = [];
  const done = Promise.withResolvers<void>();
  const service = { catchUp: () => done.promise, isCatchingUp };
  announceCatchUp(service, (message) => said.push(message), 1);
  await pause(30);
  done.resolve();
  await pause(5);
  return said;
}

Deno.test("a start that catches up says so once, and one that waits for its turn says nothing", async () => {
  deepEqual(await saidBy(() => Promise.resolve(false)), []);
  deepEqual(await saidBy(() => Promise.reject(new TypeError("no database"))), []);
  let looks = 0;
  const said = await saidBy(() => Promise.resolve(++looks > 2));
  deepEqual(said.length, 1);
  equal(
    said[0],
    "Catching up with steps due since the last run. Until that is done, requests to those projects " +
      "return 503. See: cli service status",
  );
});
