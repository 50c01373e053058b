/**
 * `cli service restore`: the local service's data from a file of `cli service backup`.
 *
 * @module
 */

import { showBackup } from "./backup.ts";
import { argument, command } from "../../words/command.ts";
import { dataFlag, sameData } from "../../local/local_service.ts";
import { onlyFolder } from "../../local/databases.ts";
import { askFirst, confirmFlags } from "../../words/plain.ts";

/** Restores a backup. */
export const restore = command({
  brief: "Replace the local service's data with a backup",
  details:
    "The service must not be running. The backup is checked before anything changes. All data in " +
    "the folder is replaced; the admin secret stays.",
  examples: ["cli service restore before.backup --yes"],
  args: { file: argument("A file of cli service backup") },
  flags: { ...dataFlag, ...confirmFlags },
  async run(context, { file, data, ...input }) {
    const folder = onlyFolder(context, data, "restore the data");
    const { checkBackup } = await import("../../../service/store/backup.ts");
    const { hasData, restoreBackup } = await import("../../../service/store/restore.ts");
    const { made_at } = await checkBackup(file);
    if (await hasData(folder)) {
      const when = new Date(made_at).toISOString();
      await askFirst(context, input, `Replace all data in ${folder} with the backup of ${when}?`);
    }
    const note = await restoreBackup(file, folder);
    showBackup(context, { ...note, file, data: folder });
    context.out.done(`Restored ${file} into ${folder}`);
    const where = sameData(data);
    context.out.note(`Start the service with: cli service start${where}`);
  },
});
