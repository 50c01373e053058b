/**
 * The results as a page.
 *
 * @module
 */

import { table, wrapped } from "../markdown.ts";
import { type Budget, type Finding, keeps, type Section } from "./measure.ts";

/** The text of RESULTS.md. */
export function renderResults(sections: readonly Section[], machine: string): string {
  const intro = "Written by `deno task bench`; do not edit. Numbers of different machines or " +
    "minutes do not compare, ratios do: what is compared was measured in turns, in one run. All " +
    "are medians.";
  const head = ["# Measured", "", ...wrapped(intro), "", ...wrapped(`Machine: ${machine}.`)];
  return [...head, ...sections.flatMap(renderSection)].join("\n") + "\n";
}

function renderSection({ title, method, findings }: Section): string[] {
  const rows = [
    ["What", "Ours", "Against", "Ratio", "Budget", "Verdict"],
    ...findings.map((finding) => [
      finding.what,
      finding.ours,
      finding.base,
      finding.unit === "x" && finding.value !== undefined ? `${finding.value.toFixed(2)} x` : "",
      finding.budget ? budgetText(finding.budget, finding.unit ?? "x") : "",
      verdict(finding),
    ]),
  ];
  return ["", `## ${title}`, "", ...wrapped(method), "", ...table(rows)];
}

function budgetText(budget: Budget, unit: string): string {
  return "atMost" in budget ? `≤ ${budget.atMost} ${unit}` : `≥ ${budget.atLeast} ${unit}`;
}

function verdict({ value, budget }: Finding): string {
  if (value === undefined || !budget) return "";
  return keeps(value, budget) ? "kept" : "over";
}
