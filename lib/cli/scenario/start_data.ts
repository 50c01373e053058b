/**
 * Snapshots and backups that scenarios begin with. A scenario works on a copy.
 *
 * @module
 */

import { isAbsolute, join } from "node:path";
import { UsageError } from "../../errors.ts";
import type { StartData } from "../../scenario/file/scenario.ts";
import type { Context } from "../context.ts";
import { folderOf } from "../local/local_service.ts";
import { realInside } from "./files.ts";

/**
 * Finds what a scenario begins with: a snapshot of the usual data folder, or a file below the
 * scenario's folder.
 *
 * @throws {ToolkitError} when there is none, or it cannot be used.
 */
export async function findStartData(
  context: Context,
  folder: string,
  from: string,
): Promise<StartData> {
  const { findSnapshot, isSnapshotName } = await import("../../service/store/snapshots.ts");
  const { checkBackup } = await import("../../service/store/backup.ts");
  if (isAbsolute(from)) {
    const why = "it must be the name of a snapshot, or a path below the scenario's folder";
    throw new UsageError(`cannot read ${JSON.stringify(from)}: ${why}`);
  }
  // A name has neither a dot nor a slash.
  const file = isSnapshotName(from)
    ? await findSnapshot(folderOf(context, undefined), from, hintOfSnapshot(from))
    : await realInside(folder, join(folder, from));
  const { made_at, project_time } = await checkBackup(file);
  return { file, at: project_time ?? made_at };
}

/** The hint for a snapshot that is not there. */
function hintOfSnapshot(name: string): string {
  return "See its snapshots with: cli service snapshot list. For one of another data folder, copy " +
    `DIR/snapshots/${name}.snapshot below the scenario's folder, and write the path of the copy.`;
}

/** A copy of a database. */
interface Copy {
  /** Its file. */
  readonly database: string;
  /** Deletes it. */
  remove(): Promise<void>;
}

/** Copies what a scenario begins with into a temporary folder. */
export async function copyStartData({ file }: StartData): Promise<Copy> {
  const { restoreBackup } = await import("../../service/store/restore.ts");
  const { holdStill } = await import("../../service/store/hold_still.ts");
  const { DATABASE } = await import("../../service/store/data_folder.ts");
  const folder = await Deno.makeTempDir({ prefix: "cli-scenario-" });
  const remove = () => Deno.remove(folder, { recursive: true });
  try {
    const { made_at } = await restoreBackup(file, folder, { isNew: true });
    const database = join(folder, DATABASE);
    holdStill(database, made_at);
    return { database, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
