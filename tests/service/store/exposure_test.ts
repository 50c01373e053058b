import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { ConfigError } from "../../../lib/errors.ts";
import { closeToOthers, exposures } from "../../../lib/service/store/exposure.ts";
import { inFolder, withStore } from "../../support/store_fixture.ts";

/** A test about modes and owners, which Windows has not. */
function testOnUnix(name: string, test: (folder: string, file: string) => Promise<void>): void {
  Deno.test({
    name,
    ignore: Deno.build.os === "windows",
    fn: () =>
      inFolder(async (folder) => {
        await Deno.chmod(folder, 0o700);
        const file = join(folder, "service.db");
        await withStore(file, () => Promise.resolve());
        await test(folder, file);
      }),
  });
}

/** What a start says about a folder. */
async function told(folder: string, me?: number): Promise<string[]> {
  const lines: string[] = [];
  await closeToOthers(folder, (message) => lines.push(message), me);
  return lines;
}

testOnUnix(
  "a database that others can open is closed to them, and that is said",
  async (folder, file) => {
    await Deno.chmod(folder, 0o755);
    await Deno.chmod(file, 0o666);
    deepEqual((await exposures(folder)).map(({ why, fix }) => [why, fix]), [
      ["other users can list its files (mode 0755)", `chmod 700 ${folder}`],
      ["other users can change it (mode 0666)", `chmod 600 ${file}`],
    ]);
    deepEqual(await told(folder), [
      `Closed ${
        JSON.stringify(file)
      } to others; until now, other users could change it (mode 0666)`,
    ]);
    equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
  },
);

testOnUnix("a folder that everybody can write to is refused", async (folder) => {
  await Deno.chmod(folder, 0o777);
  await rejects(told(folder), (error) => {
    ok(error instanceof ConfigError);
    match(error.message, /: every user can write to it \(mode 0777\)$/);
    match(error.hint ?? "", /^Run: chmod 700 /);
    return true;
  });
});

testOnUnix(
  "a folder that its group can write to, or with files of everybody, is warned of",
  async (folder) => {
    const cases = [
      [0o770, "its group can write to it (mode 0770)"],
      [0o1777, "other users can create files in it (mode 1777)"],
      [0o1770, "other users can create files in it (mode 1770)"],
    ] as const;
    for (const [mode, why] of cases) {
      await Deno.chmod(folder, mode);
      deepEqual(await told(folder), [
        `The data folder ${JSON.stringify(folder)} is not safe: ${why}. Run: chmod 700 ${folder}`,
      ]);
    }
  },
);

testOnUnix(
  "a folder that everybody can replace is warned of, also behind a link",
  async (folder) => {
    const parent = join(await Deno.realPath(folder), "for all");
    const data = join(parent, "data");
    await Deno.mkdir(data, { recursive: true, mode: 0o700 });
    await Deno.symlink(data, join(folder, "link"));
    for (const place of [data, join(folder, "link")]) {
      await Deno.chmod(parent, 0o777);
      deepEqual(await told(place), [
        `The data folder ${JSON.stringify(place)} is not safe: every user can replace it, since ` +
        `${JSON.stringify(parent)} has the mode 0777. Run: chmod o-w '${parent}'`,
      ]);
      for (const mode of [0o1777, 0o775, 0o755]) {
        await Deno.chmod(parent, mode);
        deepEqual(await told(place), [], mode.toString(8));
      }
    }
    deepEqual(await exposures(join(parent, "missing")), []);
  },
);

testOnUnix(
  "files of another user are refused, and a folder of his is warned of",
  async (folder, file) => {
    const { uid } = await Deno.stat(file);
    // Root may change everything anyway; everybody else is a stranger.
    const me = 4_000_000;
    const others = await exposures(folder, me);
    if (uid === 0) {
      deepEqual(others, []);
      await Deno.chown(folder, 4_000_001, null);
      match(
        (await told(folder, me)).join(),
        /is not safe: it belongs to another user \(id 4000001\)/,
      );
      await Deno.chown(folder, 0, null);
      await Deno.chown(file, 4_000_001, null);
    }
    await rejects(told(folder, me), (error) => {
      ok(error instanceof ConfigError);
      match(error.message, /^Cannot use ".*service.db": it belongs to another user \(id \d+\)$/);
      match(error.hint ?? "", /chown 4000000 /);
      return true;
    });
    deepEqual(await told(folder, (await Deno.stat(file)).uid ?? undefined), []);
  },
);

testOnUnix(
  "a secret of another user is refused, and one that others can read is fatal",
  async (folder) => {
    const secret = join(folder, "admin.secret");
    await Deno.writeTextFile(secret, "adm_", { mode: 0o644 });
    deepEqual((await exposures(folder)).map(({ path, fatal, fix }) => [path, fatal, fix]), [
      [secret, true, `rm ${secret}`],
    ]);
    await Deno.chmod(secret, 0o600);
    const { uid } = await Deno.stat(secret);
    if (uid === 0) await Deno.chown(secret, 4_000_001, null);
    await rejects(told(folder, 4_000_000), /another user/);
  },
);
