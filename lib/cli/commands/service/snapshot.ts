/**
 * `cli service snapshot …`: named copies of the local service's data.
 *
 * @module
 */

import type { Snapshot } from "../../../service/store/snapshots.ts";
import { dataFlag, sameData } from "../../local/local_service.ts";
import { onlyFolder } from "../../local/databases.ts";
import { time } from "../../screen/display.ts";
import type { Column } from "../../screen/output.ts";
import { argument, command, group } from "../../words/command.ts";
import { askFirst, confirmFlags } from "../../words/plain.ts";
import { quoted } from "../../screen/command_lines.ts";
import { showBackup } from "./backup.ts";

const NAME = "Its name: small letters, digits, - and _";

const save = command({
  brief: "Save the local service's data as a snapshot",
  details:
    "The service can be running: the snapshot holds all data as of one moment, with a checksum and " +
    "the version. It is a file of cli service backup, in the folder snapshots of the data folder. " +
    "A name that is taken is replaced only after a question.",
  examples: ["cli service snapshot save before-migration"],
  args: { name: argument(NAME) },
  flags: { ...dataFlag, ...confirmFlags },
  async run(context, { name, data, ...input }) {
    const folder = onlyFolder(context, data, "save the data");
    const { findSnapshot, saveSnapshot, snapshotFile } = await import(
      "../../../service/store/snapshots.ts"
    );
    const { readNote } = await import("../../../service/store/backup.ts");
    const file = snapshotFile(folder, name);
    const before = await findSnapshot(folder, name).then(readNote).catch(() => undefined);
    if (before) {
      const when = time(before.made_at);
      await askFirst(context, input, `Replace the snapshot ${name} of ${when}?`);
    }
    const { around, signal } = context;
    const replaces = before !== undefined || input.confirm === true || input.yes === true;
    const note = await saveSnapshot({ folder, signal }, name, { now: around.now(), replaces });
    showBackup(context, { ...note, file, data: folder });
    context.out.done(`Saved the data in ${folder} as the snapshot ${name}`);
    const where = sameData(data);
    context.out.note(`Put it back with: cli service snapshot restore ${name}${where}`);
    const from = data === undefined ? name : quoted(file);
    context.out.note(`Start a service on a copy of it with: cli service start --from ${from}`);
  },
});

const restore = command({
  brief: "Replace the local service's data with a snapshot",
  details:
    "The service must not be running. The snapshot is checked before anything changes. All data in " +
    "the folder is replaced; the admin secret and the snapshots stay.",
  examples: ["cli service snapshot restore before-migration --yes"],
  args: { name: argument(NAME) },
  flags: { ...dataFlag, ...confirmFlags },
  async run(context, { name, data, ...input }) {
    const folder = onlyFolder(context, data, "restore the data");
    const { findSnapshot } = await import("../../../service/store/snapshots.ts");
    const { checkBackup } = await import("../../../service/store/backup.ts");
    const { hasData, restoreBackup } = await import("../../../service/store/restore.ts");
    const file = await findSnapshot(folder, name, seeList(data));
    const { made_at } = await checkBackup(file);
    if (await hasData(folder)) {
      const question = `Delete all data in ${folder} and put the snapshot ${name} of ` +
        `${time(made_at)} in its place?`;
      await askFirst(context, input, question);
    }
    const note = await restoreBackup(file, folder);
    showBackup(context, { ...note, file, data: folder });
    context.out.done(`Restored the snapshot ${name} into ${folder}`);
    context.out.note(`Start the service with: cli service start${sameData(data)}`);
  },
});

const columns: Column<Snapshot>[] = [
  { header: "name", value: ({ name }) => name, kind: "id" },
  { header: "bytes", value: ({ bytes }) => bytes, kind: "number" },
  { header: "made_at", value: ({ made_at }) => made_at, kind: "time" },
  { header: "project_time", value: ({ project_time }) => project_time, kind: "time" },
  { header: "schema", value: ({ schema }) => schema, kind: "number" },
  { header: "version", value: ({ version }) => version, spare: true },
  { header: "state", value: ({ problem }) => problem ?? "sound", kind: "prose" },
];

const list = command({
  brief: "List the snapshots of the local service",
  details:
    "Each snapshot is read and its checksum compared. project_time is the clock of its oldest " +
    "project.",
  flags: dataFlag,
  async run(context, { data }) {
    const { out } = context;
    const { listSnapshots } = await import("../../../service/store/snapshots.ts");
    const items = await listSnapshots(onlyFolder(context, data, "list the snapshots"));
    if (out.format === "json") return out.json(JSON.stringify({ items }), "items");
    out.table(items, columns);
  },
});

const remove = command({
  brief: "Delete a snapshot",
  args: { name: argument("Its name") },
  flags: { ...dataFlag, ...confirmFlags },
  async run(context, { name, data, ...input }) {
    const { out, signal } = context;
    const folder = onlyFolder(context, data, "delete the snapshot");
    const { deleteSnapshot, findSnapshot } = await import("../../../service/store/snapshots.ts");
    await findSnapshot(folder, name, seeList(data));
    await askFirst(context, input, `Delete the snapshot ${name} in ${folder}?`);
    await deleteSnapshot({ folder, signal }, name);
    out.done(`Deleted the snapshot ${name}`);
    if (out.format === "json") out.json(JSON.stringify({ deleted: true, name, data: folder }));
  },
});

/** Snapshots of the local service's data. */
export const snapshot = group("Named copies of the local service's data", [], {
  save,
  restore,
  list,
  delete: remove,
});

/** The hint for a snapshot that is not there. */
function seeList(data: string | undefined): string {
  return `See the snapshots with: cli service snapshot list${sameData(data)}`;
}
