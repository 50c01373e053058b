import { ok } from "node:assert/strict";
import { join } from "node:path";
import { connect } from "../../../../lib/service/store/sqlite/connection.ts";
import { LARGEST_LOG, USUAL_LOG } from "../../../../lib/service/store/sqlite/log_size.ts";
import { acrossProjects } from "../../../../lib/service/store/mod.ts";
import { addOffering, inFolder, offeringIds, withStore } from "../../../support/store_fixture.ts";

Deno.test("the log file does not grow without end while reads and writes alternate", () =>
  inFolder((folder) =>
    withStore(join(folder, "data.db"), async (store) => {
      for (let i = 0; i < 300; i++) {
        const metadata = JSON.stringify({ text: `${i}`.repeat(20_000) });
        await store.write(async (tx) => {
          if (i === 0) await addOffering(tx, "ofrng1");
          await acrossProjects(tx).updateTable("offerings").set({ metadata }).execute();
        });
        await store.read(offeringIds);
      }
      const { size } = await Deno.stat(join(folder, "data.db-wal"));
      ok(size < 8_000_000, `${size} bytes, where one round of the log is 4 MB`);
    })
  ));

Deno.test("while much is written the log grows to its largest length, and then is short again", () =>
  inFolder((folder) =>
    withStore(join(folder, "data.db"), async (store) => {
      const rewrite = (i: number) =>
        store.write(async (tx) => {
          const metadata = JSON.stringify({ text: String(i % 10).repeat(400_000) });
          await acrossProjects(tx).updateTable("offerings").set({ metadata }).execute();
        });
      await store.write((tx) => addOffering(tx, "ofrng1"));
      const lengthOfLog = async () => (await Deno.stat(join(folder, "data.db-wal"))).size;
      const rewriteOften = async () => {
        for (let i = 0; i < 150; i++) await rewrite(i);
      };
      await store.writeMuch(rewriteOften);
      const once = await lengthOfLog();
      ok(once > 40_000_000, `${once} bytes`);
      await Promise.all([store.writeMuch(rewriteOften), store.writeMuch(rewriteOften)]);
      const often = await lengthOfLog();
      ok(often < LARGEST_LOG + 2_000_000, `${often} bytes`);
      for (let i = 0; i < 2; i++) await rewrite(i);
      const after = await lengthOfLog();
      ok(after <= USUAL_LOG, `${after} bytes`);
      const other = connect(join(folder, "data.db"));
      const [state] = other.rows("PRAGMA wal_checkpoint");
      other.close();
      ok(Number(state?.log) < 100, `${state?.log} pages in the log`);
    })
  ));
