/**
 * The results as a page.
 *
 * @module
 */

import { table, wrapped } from "../markdown.ts";
import { type Budget, type Finding, keeps, type Section } from "./measure.ts";

/**
 * The text of RESULTS.md: sections in the order of the titles. What was not measured this time stays
 * as it stands in the text of before.
 */
export function renderResults(
  titles: readonly string[],
  sections: readonly Section[],
  before: string,
): string {
  const intro =
    "Written by `deno task bench`; do not edit. Compare ratios, not numbers of different " +
    "machines or times: compared values were measured in turn, in one run. Values are medians, but " +
    "a long walk, a year, the writing of a ledger, random requests and peaks of memory are those " +
    "of one run. Each section names its place and time of measurement.";
  const kept = sectionsIn(before);
  const blocks = titles.flatMap((title) => {
    const section = sections.find((one) => one.title === title);
    return section ? [renderSection(section)] : kept.get(title) ?? [];
  });
  return `${[["# Measured", "", ...wrapped(intro)].join("\n"), ...blocks].join("\n\n")}\n`;
}

/** The sections of a text, by their titles. */
function sectionsIn(text: string): Map<string, string> {
  const blocks = text.replaceAll("\r\n", "\n").split(/\n(?=## )/).slice(1);
  return new Map(blocks.map((block) => [/^## (.*)/.exec(block)?.[1] ?? "", block.trim()]));
}

function renderSection({ title, method, place, findings }: Section): string {
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
  const machine = wrapped(`Machine: ${place}.`);
  return [`## ${title}`, "", ...wrapped(method), "", ...machine, "", ...table(rows)].join("\n");
}

function budgetText(budget: Budget, unit: string): string {
  return "atMost" in budget ? `≤ ${budget.atMost} ${unit}` : `≥ ${budget.atLeast} ${unit}`;
}

function verdict({ value, budget }: Finding): string {
  if (value === undefined || !budget) return "";
  return keeps(value, budget) ? "kept" : "over";
}
