/**
 * `cli service backup`: the local service's data in one file.
 *
 * @module
 */

import { join } from "node:path";
import { argument, command } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { dataFlag, sameData } from "../../local/local_service.ts";
import { onlyFolder } from "../../local/databases.ts";
import type { Field } from "../../screen/output.ts";
import { quoted } from "../../screen/command_lines.ts";
import type { BackupNote } from "../../../service/store/backup.ts";

/** The output of a backup. */
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
  { label: "project_time", value: ({ project_time }) => project_time, kind: "time" },
  { label: "bytes", value: ({ bytes }) => String(bytes) },
  { label: "sha256", value: ({ sha256 }) => sha256 },
];

/** Saves the data. */
export const backup = command({
  brief: "Save the local service's data to a file",
  details:
    "The service can be running: the file holds all data as of one moment, with a checksum " +
    "and the version. A previous backup of that name is replaced after the new one is on " +
    "disk. The file holds signing secrets; only you can open it. Do not copy the data folder " +
    "of a running service with cp: the copy can be damaged.",
  examples: ["cli service backup before.backup"],
  args: { file: argument("The file to write") },
  flags: dataFlag,
  async run(context, { file, data }) {
    const folder = onlyFolder(context, data, "back up the data");
    const { saveBackup } = await import("../../../service/store/backup.ts");
    const { DATABASE } = await import("../../../service/store/data_folder.ts");
    const note = await saveBackup(join(folder, DATABASE), file, context.around.now());
    showBackup(context, { ...note, file, data: folder });
    context.out.done(`Saved the data in ${folder} to ${file}`);
    const where = sameData(data);
    context.out.note(`Put it back with: cli service restore ${quoted(file)}${where}`);
  },
});

/** Shows a backup. */
export function showBackup({ out }: Context, shown: Shown): void {
  if (out.format === "json") return out.json(JSON.stringify(shown));
  out.card(shown, fields);
}
