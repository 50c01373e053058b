import assert from "node:assert/strict";
import { createPasswords, MOST_HASHES, SCRYPT } from "../../../lib/service/oauth/scrypt.ts";

const CHEAP = { n: 1024, r: 8, p: 1 };

Deno.test("a hash holds its parameters and a salt of its own, and matches its password alone", async () => {
  const { hash, matches } = createPasswords(CHEAP);
  const [one, two] = [await hash("a password"), await hash("a password")];
  assert.match(one, /^scrypt\$1024\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  assert.notEqual(one, two);
  assert.ok(await matches("a password", one));
  assert.ok(!await matches("a Password", one));
  assert.ok(!await matches("", one));
  // Hashes with earlier parameters go on working.
  assert.ok(await createPasswords({ n: 2048, r: 8, p: 1 }).matches("a password", one));
});

Deno.test("nobody's password matches, whatever is typed", async () => {
  const { matches } = createPasswords(CHEAP);
  for (const text of ["", "a password", "\0"]) assert.ok(!await matches(text, undefined));
});

Deno.test("one password in two forms of Unicode is the same", async () => {
  const { hash, matches } = createPasswords(CHEAP);
  assert.ok(await matches("cafe\u0301 au lait", await hash("caf\u00e9 au lait")));
});

Deno.test("an unknown account takes as long as a wrong password", async () => {
  const { hash, matches } = createPasswords({ n: 8192, r: 8, p: 1 });
  const known = await hash("a password");
  const timed = async (hash: string | undefined) => {
    const started = performance.now();
    assert.ok(!await matches("wrong", hash));
    return performance.now() - started;
  };
  const times = { known: Infinity, unknown: Infinity };
  for (let i = 0; i < 5; i++) {
    times.known = Math.min(times.known, await timed(known));
    times.unknown = Math.min(times.unknown, await timed(undefined));
  }
  const text = JSON.stringify(times);
  // An answer without the work would take a thousandth.
  assert.ok(times.unknown > times.known / 3 && times.known > times.unknown / 3, text);
});

Deno.test("a hash costs 32 MiB and three passes, unless a test asks for less", async () => {
  const made = await createPasswords().hash("a password");
  assert.match(made, /^scrypt\$32768\$8\$3\$/);
  assert.equal(128 * SCRYPT.n * SCRYPT.r, 32 * 2 ** 20);
});

Deno.test("so many hashes wait for their turn, more are refused with 503", async () => {
  const { hash } = createPasswords(CHEAP);
  const most = MOST_HASHES.running + MOST_HASHES.waiting;
  const all = await Promise.allSettled(Array.from({ length: most + 3 }, () => hash("a password")));
  const refused = all.filter(({ status }) => status === "rejected");
  assert.equal(refused.length, 3);
  const [first] = refused;
  assert.equal(first?.status === "rejected" && first.reason.status, 503);
  // Those who ended have given their places back.
  assert.ok(await hash("a password"));
});
