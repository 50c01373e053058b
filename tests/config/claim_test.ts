import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { createClaim } from "../../lib/config/claim.ts";
import { ConfigError } from "../../lib/errors.ts";

/** Runs a test with a path for a claim in a folder of its own. */
async function withPath(use: (path: string, folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(join(folder, "a.lock.held"), folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("one of many claims has the lock, and passes it on", () =>
  withPath(async (path, folder) => {
    const claims = Array.from({ length: 20 }, () => createClaim(path, false));
    const taken = await Promise.all(claims.map((claim) => claim.take(0)));
    equal(taken.filter((has) => has).length, 1);
    for (const claim of claims) await claim.release();
    deepEqual([...Deno.readDirSync(folder)], []);
    const next = createClaim(path, false);
    equal(await next.take(0), true);
    await next.release();
  }));

Deno.test("a claim without a sign of life for ten seconds is taken over", () =>
  withPath(async (path, folder) => {
    await Deno.writeTextFile(path, "somebody who died");
    const claim = createClaim(path, false);
    equal(await claim.take(500), false);
    equal(await claim.take(10_499), false);
    equal(await claim.take(10_500), true);
    await claim.release();
    deepEqual([...Deno.readDirSync(folder)], []);
  }));

Deno.test("a claim that is touched meanwhile keeps the lock", () =>
  withPath(async (path) => {
    await Deno.writeTextFile(path, "somebody who lives");
    const claim = createClaim(path, false);
    equal(await claim.take(0), false);
    await Deno.utime(path, 1_000, 1_000);
    equal(await claim.take(10_000), false);
    equal(await claim.take(19_999), false);
    equal(await claim.take(20_000), true);
    await claim.release();
  }));

Deno.test("the claim of a killed process on Deno is taken over at once", () =>
  withPath(async (path) => {
    await Deno.writeTextFile(path, "kernel somebody who was killed");
    const onNode = createClaim(path, false);
    equal(await onNode.take(0), false);
    const onDeno = createClaim(path, true);
    equal(await onDeno.take(0), true);
    await onDeno.release();
  }));

Deno.test("a claim that was taken over cannot be released by its former holder", () =>
  withPath(async (path) => {
    const former = createClaim(path, false);
    equal(await former.take(0), true);
    await Deno.writeTextFile(path, "the next holder");
    await former.release();
    equal(await Deno.readTextFile(path), "the next holder");
  }));

Deno.test({
  name: "a pipe in place of a claim is refused, not waited for",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withPath(async (path) => {
      await new Deno.Command("sh", { args: ["-c", `mkfifo '${path}'`] }).output();
      await rejects(createClaim(path, false).take(0), (error) => {
        ok(error instanceof ConfigError);
        match(error.message, /: it is not a regular file$/);
        return true;
      });
    }),
});
