/**
 * `cli service migrate`: all data from one database into a new one.
 *
 * @module
 */

import { UsageError } from "../../../errors.ts";
import type { DatabasePlace } from "../../../service/store/frozen.ts";
import type { Moved, MovedTable, MoveProgress } from "../../../service/store/move/move.ts";
import type { Context } from "../../context.ts";
import { DATABASE, placeIn } from "../../local/databases.ts";
import { bar } from "../../screen/bar.ts";
import { counted } from "../../screen/display.ts";
import type { Column } from "../../screen/output.ts";
import { command, text } from "../../words/command.ts";
import { quoted } from "../../screen/command_lines.ts";

const columns: Column<MovedTable>[] = [
  { header: "table", value: ({ name }) => name, kind: "id" },
  { header: "rows", value: ({ rows }) => rows, kind: "number" },
  { header: "sha256", value: ({ sha256 }) => sha256 },
];

/** Moves the data. */
export const migrate = command({
  brief: "Move all data to a new database",
  details:
    "Between a data folder and PostgreSQL in both directions, or to another place of the same kind. " +
    "Ids, order, hashes and tokens stay the same. A service may be running on the source, which is " +
    "read as of one moment and never changes; stop it first if its later changes matter. The target " +
    "must be new: a database without tables, or a folder without data. It gets all data or none, so " +
    "after an interruption run the same command again. At the end every table is read from both " +
    "databases and compared: its rows, and the SHA-256 of all of them. --from and --to name a data " +
    `folder, a file (of cli service backup, or a name that ends with .db) or postgres://user@host/` +
    `name. The one that is left out is ${DATABASE}, which may contain the password.`,
  examples: [
    "cli service migrate --from ~/.cli/service --to postgres://subs@db/subs",
    "cli service migrate --from postgres://subs@db/subs --to copy.db",
  ],
  flags: {
    from: text(`The source (default: ${DATABASE})`, { placeholder: "dir|file|url" }),
    to: text(`The target (default: ${DATABASE})`, { placeholder: "dir|file|url" }),
  },
  async run(context, { from, to }) {
    const [source, target] = await endsOf(context, from, to);
    const { moveData } = await import("../../../service/store/move/move.ts");
    const { out, signal } = context;
    const moved = await moveData(source, target, {
      signal,
      report: (progress) => out.live(told(progress)),
    });
    out.live("");
    show(context, moved, to);
  },
});

/** Where the data is, and where it is to go. */
async function endsOf(
  context: Context,
  from: string | undefined,
  to: string | undefined,
): Promise<[DatabasePlace, DatabasePlace]> {
  const named = context.around.env(DATABASE);
  const missing = from === undefined ? "--from" : "--to";
  if (
    from === undefined && to === undefined || !named && (from === undefined || to === undefined)
  ) {
    throw new UsageError(`Cannot move the data: ${missing} is missing`, {
      hint: "Pass --from and --to: a data folder, a file, or postgres://user@host/name",
    });
  }
  const end = async (flag: string, given: string | undefined): Promise<DatabasePlace> =>
    given === undefined ? { address: named ?? "" } : await placeIn(context, flag, given);
  return [await end("--from", from), await end("--to", to)];
}

/** The progress in words. */
function told({ phase, rows, of }: MoveProgress): string {
  return `${phase === "copy" ? "Copying" : "Comparing"} ${bar(rows / Math.max(1, of))} ` +
    `${rows} of ${counted(of, "row")}`;
}

function show({ out }: Context, moved: Moved, to: string | undefined): void {
  const rows = moved.tables.reduce((sum, table) => sum + table.rows, 0);
  if (out.format === "json") {
    const { from, tables } = moved;
    return out.json(JSON.stringify({ from, to: moved.to, in_use: moved.isInUse, rows, tables }));
  }
  out.table(moved.tables, columns);
  out.done(`Moved ${counted(rows, "row")} from ${moved.from} to ${moved.to}; both are the same`);
  if (moved.isInUse) {
    out.warn(
      `A service runs on ${moved.from}: its changes since the start of the move are missing`,
    );
  }
  if (/^postgres(ql)?:/i.test(moved.to)) {
    // The password is shown nowhere, so the address goes where it may have one.
    out.note(
      `Start a service there, with the address in ${DATABASE}: ` +
        "cli service start --sign-in password",
    );
  } else if (to !== undefined && !to.endsWith(".db")) {
    out.note(`Start a service there with: cli service start --data ${quoted(moved.to)}`);
  }
}
