/**
 * The copy that `cli service start --from` works on.
 *
 * @module
 */

import { UsageError } from "../../../errors.ts";
import type { Context } from "../../context.ts";
import { folderOf, MEMORY } from "../../local/local_service.ts";

/** A data folder for a copy. */
interface Copy {
  /** The data folder. */
  readonly folder: string;
  /** The file to copy. */
  readonly origin: string;
  /** Copies the file into the folder. */
  fill(): Promise<void>;
  /** Deletes the folder, if it is a temporary one. */
  remove(): Promise<void>;
}

/** Plans the copy of a snapshot or backup in a data folder: a new one that is named, or a temporary one. */
export async function copyOf(
  context: Context,
  from: string,
  { data, empty }: { data: string | undefined; empty: boolean | undefined },
): Promise<Copy> {
  if (empty === true) {
    throw new UsageError("Cannot start the service: --from and --empty exclude each other");
  }
  if (data === MEMORY) {
    throw new UsageError(
      "Cannot start the service: --from and --data :memory: exclude each other",
      {
        hint: "Leave out --data: the copy is in a temporary folder then.",
      },
    );
  }
  const origin = await originOf(context, from);
  const { restoreBackup } = await import("../../../service/store/restore.ts");
  const folder = data ?? await Deno.makeTempDir({ prefix: "cli-service-" });
  return {
    folder,
    origin,
    fill: async () => void await restoreBackup(origin, folder, { isNew: true }),
    async remove() {
      if (data === undefined) await Deno.remove(folder, { recursive: true });
    },
  };
}

/** The file that is meant: that of a snapshot in the usual data folder, or one with a path. */
async function originOf(context: Context, from: string): Promise<string> {
  const { findSnapshot, isSnapshotName } = await import("../../../service/store/snapshots.ts");
  // A name has neither a dot nor a slash.
  if (!isSnapshotName(from)) return from;
  return await findSnapshot(
    folderOf(context, undefined),
    from,
    "See its snapshots with: cli service snapshot list. For one of another data folder, pass the " +
      `file: --from DIR/snapshots/${from}.snapshot`,
  );
}
