/**
 * `cli service check`: whether the data of a service fits together.
 *
 * @module
 */

import { ToolkitError } from "../../../errors.ts";
import type { Checked, Verdict } from "../../../service/check/check.ts";
import type { Context } from "../../context.ts";
import { dataFlag } from "../../local/local_service.ts";
import { DATABASE, placeOfFlags } from "../../local/place.ts";
import type { Column } from "../../screen/output.ts";
import { command, text } from "../../words/command.ts";

const columns: Column<Verdict>[] = [
  { header: "status", value: ({ rows }) => rows.length === 0 ? "ok" : "fail", kind: "word" },
  { header: "check", value: ({ name }) => name, kind: "id" },
  { header: "rule", value: ({ says }) => says, kind: "prose" },
];

/** Checks a database. */
export const check = command({
  brief: "Check whether the service's data fits together",
  details:
    "Reads the database as of one moment and changes nothing; the service may be running. Each rule " +
    "is ok, or ten at most of the rows that break it are printed: their keys and the values that do " +
    `not fit, no secrets. Without --data and --database it checks the database of ${DATABASE}, else ` +
    "the usual data folder.",
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
  if (broken.length === 0) return out.done(`The data of ${database} fits together`);
  const names = broken.map(({ name }) => name).join(", ");
  const noun = broken.length === 1 ? "1 rule is" : `${broken.length} rules are`;
  throw new ToolkitError(`Cannot vouch for the data of ${database}: ${noun} broken: ${names}`, {
    hint: "Keep a backup of it, and restore an older one that passes this check.",
  });
}
