/**
 * `cli service check`: whether the data of a service is consistent.
 *
 * @module
 */

import { ToolkitError } from "../../../errors.ts";
import type { Checked, Verdict } from "../../../service/check/check.ts";
import type { Context } from "../../context.ts";
import { dataFlag } from "../../local/local_service.ts";
import { DATABASE, placeOfFlags } from "../../local/databases.ts";
import type { Column } from "../../screen/output.ts";
import { command, text } from "../../words/command.ts";

const columns: Column<Verdict>[] = [
  { header: "status", value: ({ rows }) => rows.length === 0 ? "ok" : "fail", kind: "word" },
  { header: "check", value: ({ name }) => name, kind: "id" },
  { header: "rule", value: ({ says }) => says, kind: "prose" },
];

/** Checks a database. */
export const check = command({
  brief: "Check the service's data for inconsistencies",
  details:
    "Reads the database as of one moment and changes nothing. The service may be running. Each rule " +
    "is shown as ok or fail, with at most ten of the rows that break it: their keys and the wrong " +
    `values, without secrets. Without --data and --database it checks ${DATABASE}, or the usual data ` +
    "folder if that is not set.",
  examples: ["cli service check", "cli service check --database postgres://subs@db/subs"],
  flags: {
    ...dataFlag,
    database: text(`A PostgreSQL database (default: ${DATABASE}, which may contain the password)`, {
      placeholder: "postgres://user@host/name",
    }),
  },
  async run(context, { data, database }) {
    const place = await placeOfFlags(context, { data, database });
    const { checkDatabase } = await import("../../../service/check/check.ts");
    const { out, signal, around } = context;
    const checked = await checkDatabase(place, {
      now: around.now(),
      signal,
      report: (name) => out.live(`Checking ${name}`),
    });
    out.live("");
    show(context, checked);
  },
});

/**
 * Shows what was checked.
 *
 * @throws {ToolkitError} when a rule is broken.
 */
function show({ out }: Context, { database, verdicts }: Checked): void {
  const broken = verdicts.filter(({ rows }) => rows.length > 0);
  if (out.format === "json") {
    const checks = verdicts.map(({ name, says, rows, more }) => ({
      check: name,
      ok: rows.length === 0,
      rule: says,
      rows,
      more,
    }));
    out.json(JSON.stringify({ ok: broken.length === 0, database, checks }), "checks");
  } else {
    out.table(verdicts, columns);
    for (const { name, rows, more } of broken) {
      for (const row of rows) out.text(`${name}: ${JSON.stringify(row)}`);
      if (more) out.text(`${name}: there are more`);
    }
  }
  if (broken.length === 0) return out.done(`No faults found in the data of ${database}`);
  const names = broken.map(({ name }) => name).join(", ");
  const noun = broken.length === 1 ? "1 rule" : `${broken.length} rules`;
  throw new ToolkitError(`The data of ${database} is inconsistent: it breaks ${noun}: ${names}`, {
    hint: "Make a backup of it now, then restore an older backup that passes this check.",
  });
}
