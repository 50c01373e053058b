import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { join } from "node:path";
import { ConfigError } from "../../../lib/errors.ts";
import { saveBackup } from "../../../lib/service/store/backup.ts";
import { restoreBackup } from "../../../lib/service/store/restore.ts";
import { openStore } from "../../../lib/service/store/mod.ts";
import { startServer } from "../../support/server.ts";
import { addOffering, inFolder, offeringIds, withStore } from "../../support/store_fixture.ts";

/** A data folder with a database, and another folder that has a link to that database. */
async function linked(
  folder: string,
  link: (from: string, to: string) => Promise<void>,
): Promise<{ file: string; other: string }> {
  const file = join(folder, "a", "service.db");
  await withStore(file, (store) => store.write((tx) => addOffering(tx, "ofrng1")).then(() => {}));
  const other = join(folder, "b", "service.db");
  await Deno.mkdir(join(folder, "b"), { mode: 0o700 });
  await link(file, other);
  return { file, other };
}

const WAYS = [
  ["symbolic link", Deno.symlink, /: it is a symbolic link to ".*a.service\.db"$/],
  ["hard link", Deno.link, /: it has 2 names \(hard links\), so another service may use it$/],
] as const;

for (const [name, link, message] of WAYS) {
  Deno.test({
    name: `a second service on a ${name} to a database is refused, and nothing is changed`,
    ignore: Deno.build.os === "windows",
    fn: () =>
      inFolder(async (folder) => {
        const { file, other } = await linked(folder, (from, to) => link(from, to));
        const before = await Deno.readFile(file);
        for (
          const refused of [
            () => startServer({ folder: join(folder, "b"), report: () => {} }),
            () => saveBackup(other, join(folder, "of_link.backup"), 1),
          ]
        ) {
          await rejects(refused, (error) => {
            ok(error instanceof ConfigError);
            match(error.message, message);
            return error.hint !== undefined;
          });
        }
        deepEqual(await Deno.readFile(file), before);
        if (link === Deno.link) throws(() => openStore({ file }), message);
        // A restore would settle the log of a database that another service may use.
        const backup = join(folder, "good.backup");
        await withStore(join(folder, "c", "service.db"), () => Promise.resolve());
        await saveBackup(join(folder, "c", "service.db"), backup, 1);
        await rejects(restoreBackup(backup, join(folder, "b")), message);
        await Deno.remove(other);
        const store = openStore({ file });
        deepEqual(await store.read(offeringIds), ["ofrng1"]);
        await store.close();
      }),
  });
}

Deno.test({
  name: "a log that is a link is refused",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const file = join(folder, "service.db");
      await withStore(file, () => Promise.resolve());
      await Deno.writeTextFile(join(folder, "elsewhere"), "");
      await Deno.symlink(join(folder, "elsewhere"), `${file}-wal`);
      throws(() => openStore({ file }), /service\.db-wal": it is a symbolic link to /);
      equal(await Deno.readTextFile(join(folder, "elsewhere")), "");
    }),
});

Deno.test({
  name: "a data folder that is reached through a link is one folder, with one lock",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const start = (name: string) => startServer({ folder: join(folder, name), report: () => {} });
      {
        await using _server = await start("real");
        await Deno.symlink(join(folder, "real"), join(folder, "link"));
        await rejects(start("link"), /is using it$/);
      }
      await (await start("link")).stop();
    }),
});
