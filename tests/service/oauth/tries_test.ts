import { deepEqual, equal } from "node:assert/strict";
import { countTry, forgiveTry, TRIES } from "../../../lib/service/oauth/tries.ts";
import { openSignIn, startWithPassword, typePassword } from "../../support/password_fixture.ts";
import { withStore } from "../../support/store_fixture.ts";

const NOW = Date.UTC(2026, 10, 28);

/** The owner of an account on a network, with a wrong password for so many other accounts before. */
async function afterWrong(
  count: number,
  test: (
    count: (email: string) => ReturnType<typeof countTry>,
    forgive: (email: string, networkLock: number) => Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  await withStore(":memory:", async (store) => {
    const trier = (email: string) => ({ email, sender: "192.0.2.1" });
    const tryOnce = (email: string) => store.write((tx) => countTry(tx, trier(email), NOW));
    for (let i = 0; i < count; i++) {
      equal((await tryOnce(`a${i}@example.com`)).lockedUntil, undefined);
    }
    await test(
      tryOnce,
      (email, networkLock) =>
        store.write((tx) => forgiveTry(tx, trier(email), { now: NOW, networkLock })),
    );
  });
}

Deno.test("a right password takes back the lock that its own try put on the network", () =>
  afterWrong(TRIES.address - 1, async (count, forgive) => {
    const { networkLock } = await count("ada@example.com");
    equal(networkLock, NOW + TRIES.first_lock_ms);
    equal((await count("bob@example.com")).lockedUntil, networkLock);
    await forgive("ada@example.com", networkLock);
    equal((await count("bob@example.com")).lockedUntil, undefined);
  }));

Deno.test("a right password leaves the lock of a wrong one that came after it", () =>
  afterWrong(TRIES.address - 2, async (count, forgive) => {
    const { networkLock } = await count("ada@example.com");
    equal((await count("bob@example.com")).lockedUntil, undefined);
    await forgive("ada@example.com", networkLock);
    equal((await count("cleo@example.com")).lockedUntil, NOW + TRIES.first_lock_ms);
  }));

Deno.test("each further wrong password doubles the wait, which the page says in words", async () => {
  await using signIn = await startWithPassword();
  const page = await openSignIn(signIn);
  const type = async (password: string) => {
    const response = await typePassword(signIn, page, { password });
    return [response.status, /Wait [^,]+,/.exec(await response.text())?.[0]];
  };
  for (let i = 0; i < TRIES.account; i++) await type(`wrong password ${i}`);
  deepEqual(await type("wrong password"), [429, "Wait one second,"]);
  signIn.pass(1000);
  deepEqual(await type("wrong password"), [403, undefined]);
  deepEqual(await type("wrong password"), [429, "Wait 2 seconds,"]);
});
