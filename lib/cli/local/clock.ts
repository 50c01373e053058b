/**
 * A project's clock in the output of commands.
 *
 * @module
 */

import type { ProjectClock } from "../../simulator/clock.ts";
import type { Context } from "../context.ts";
import type { Field } from "../screen/output.ts";
import { showOne } from "../words/plain.ts";

const fields: Field<ProjectClock>[] = [
  { label: "project_id", value: (clock) => clock.project_id },
  { label: "now", value: (clock) => clock.now, kind: "time" },
  { label: "frozen", value: (clock) => clock.frozen },
  { label: "offset", value: ({ offset_ms }) => inWords(offset_ms) },
];

/** Shows a clock. */
export function showClock(context: Context, clock: ProjectClock): void {
  if (context.out.format === "json") return showOne(context, clock);
  context.out.card(clock, fields);
}

/** The difference of a clock to wall time. */
function inWords(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes === 0) return "none";
  const parts = [[Math.floor(minutes / 1440), "d"], [Math.floor(minutes / 60) % 24, "h"], [
    minutes % 60,
    "min",
  ]];
  const text = parts.filter(([count]) => count !== 0).map((part) => part.join(" ")).join(" ");
  return `${text} ${ms < 0 ? "behind" : "ahead"}`;
}
