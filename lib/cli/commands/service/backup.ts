/**
 * `cli service backup` and `cli service restore`: the local service's data in one file, and back.
 *
 * @module
 */

import { join } from "node:path";
import { argument, command } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { dataFlag, folderOf } from "../../local/local_service.ts";
import type { Field } from "../../screen/output.ts";
import { quoted } from "../../words/shell.ts";
import { askFirst, confirmFlags } from "../../words/plain.ts";
import type { BackupNote } from "../../../service/store/backup.ts";

/** A backup, as it is shown. */
interface Shown extends BackupNote {
  /** Its file. */
  file: string;
  /** The data folder. */
  data: string;
}

const fields: Field<Shown>[] = [
  { label: "file", value: ({ file }) => file },
  { label: "data", value: ({ data }) => data },
  { label: "version", value: ({ version }) => version },
  { label: "made_at", value: ({ made_at }) => made_at, kind: "time" },
  { label: "bytes", value: ({ bytes }) => String(bytes) },
  { label: "sha256", value: ({ sha256 }) => sha256 },
];

/** Saves the data. */
export const backup = command({
  brief: "Save the local service's data to a file",
  details:
    "The service may be running: the file holds all data as of one moment, with a checksum and " +
    "the version. A former backup of that name is replaced once the new one is on the disk. The " +
    "file holds signing secrets; only you can open it. Do not copy the data folder of a running " +
    "service with cp: the copy can be damaged.",
  examples: ["cli service backup before.backup"],
  args: { file: argument("The file to write") },
  flags: dataFlag,
  async run(context, { file, data }) {
    const folder = folderOf(context, data);
    const { saveBackup } = await import("../../../service/store/backup.ts");
    const { DATABASE } = await import("../../../service/store/data_folder.ts");
    const note = await saveBackup(join(folder, DATABASE), file, context.around.now());
    show(context, { ...note, file, data: folder });
    context.out.done(`Saved the data in ${folder} to ${file}`);
    const where = data === undefined ? "" : ` --data ${quoted(data)}`;
    context.out.note(`Put it back with: cli service restore ${quoted(file)}${where}`);
  },
});

/** Puts saved data back. */
export const restore = command({
  brief: "Replace the local service's data with a backup",
  details:
    "The service must not be running. The backup is checked before anything changes. All data in " +
    "the folder is replaced; the admin secret stays.",
  examples: ["cli service restore before.backup --yes"],
  args: { file: argument("A file of cli service backup") },
  flags: { ...dataFlag, ...confirmFlags },
  async run(context, { file, data, ...input }) {
    const folder = folderOf(context, data);
    const { checkBackup } = await import("../../../service/store/backup.ts");
    const { hasData, restoreBackup } = await import("../../../service/store/restore.ts");
    const { made_at } = await checkBackup(file);
    if (await hasData(folder)) {
      const when = new Date(made_at).toISOString();
      await askFirst(context, input, `Replace all data in ${folder} with the backup of ${when}?`);
    }
    const note = await restoreBackup(file, folder);
    show(context, { ...note, file, data: folder });
    context.out.done(`Restored ${file} into ${folder}`);
    const where = data === undefined ? "" : ` --data ${quoted(data)}`;
    context.out.note(`Start the service with: cli service start${where}`);
  },
});

function show({ out }: Context, shown: Shown): void {
  if (out.format === "json") return out.json(JSON.stringify(shown));
  out.card(shown, fields);
}
