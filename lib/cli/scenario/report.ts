/**
 * Outcomes of scenarios for people and for programs.
 *
 * @module
 */

import { failuresOf, type Outcome } from "../../scenario/run/outcome.ts";
import type { Problem } from "../../scenario/values/tree.ts";
import { counted, visible } from "../screen/display.ts";
import type { Output } from "../screen/output.ts";
import type { ScenarioFile } from "./files.ts";

/** A file, and what came of it. */
export interface Played {
  /** The file. */
  readonly file: ScenarioFile;
  /** What came of it; undefined where the file is wrong. */
  readonly outcome: Outcome | undefined;
}

/** Shows what came of a file. Names and ids of the file may be hostile to a terminal. */
export function showPlayed(output: Output, { file, outcome }: Played): void {
  const out = { text: (line: string) => output.text(visible(line)) };
  if (!outcome) {
    out.text(`WRONG ${file.file}`);
    for (const problem of file.problems) out.text(`  ${problemText(file.file, problem)}`);
    return;
  }
  const { name, steps } = outcome;
  const failures = failuresOf(outcome);
  const title = name === "" ? "" : `  ${name}`;
  if (failures.length === 0) {
    return out.text(`ok    ${file.file}${title} (${counted(steps.length, "step")})`);
  }
  out.text(`FAIL  ${file.file}${title}`);
  for (const { line, column, step, title, message, diff, because } of failures) {
    out.text("");
    const place = step === 0 ? title : `step ${step} (${title})`;
    out.text(`  ${file.file}:${line}:${column}: ${place}: ${message}`);
    for (const text of diff) out.text(`    ${text}`);
    for (const text of because) out.text(`    ${text}`);
  }
  out.text("");
}

/** What is wrong with a file, in one line. */
function problemText(file: string, problem: Problem): string {
  const { line, column, message, hint } = problem;
  const where = problem.file === undefined ? file : `${file}: ${problem.file}`;
  const place = line === 0 ? "" : `${where}:${line}:${column}: `;
  const next = hint === undefined ? "" : `${message.endsWith("?") ? "" : "."} ${hint}`;
  return `${place}${message}${next}`;
}

/** What came of all files, as JSON. */
export function playedJson(played: readonly Played[], seed: number): string {
  return JSON.stringify({
    object: "scenario_run",
    seed,
    scenarios: played.map(({ file, outcome }) => ({
      object: "scenario",
      file: file.file,
      name: outcome?.name ?? null,
      result: outcome ? failuresOf(outcome).length === 0 ? "passed" : "failed" : "wrong",
      steps: outcome?.steps.length ?? 0,
      events: outcome?.events ?? 0,
      events_sha256: outcome?.digest ?? null,
      failures: outcome ? failuresOf(outcome).map(({ update: _, ...failure }) => failure) : [],
      problems: outcome ? [] : file.problems,
    })),
  });
}
