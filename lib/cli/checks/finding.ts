/**
 * The findings of checks, and their display.
 *
 * @module
 */

import { ToolkitError } from "../../errors.ts";
import type { Context } from "../context.ts";
import type { Column } from "../screen/output.ts";

/** The finding of a check. */
export interface Finding {
  /** The subject. */
  check: string;
  /** `fail` makes the whole command fail; `skip` means that another finding hides it. */
  status: "ok" | "warn" | "fail" | "skip";
  /** The details. */
  detail: string;
  /** The remedy. */
  fix: string | null;
}

/** The result of a check: a sentence for success, else the details. */
export type Verdict = string | Pick<Finding, "status" | "detail" | "fix">;

/** Runs a check; an error that it throws becomes its finding. */
export async function runCheck(
  check: string,
  look: () => Verdict | Promise<Verdict>,
): Promise<Finding> {
  try {
    const verdict = await look();
    if (typeof verdict !== "string") return { check, ...verdict };
    return { check, status: "ok", detail: verdict, fix: null };
  } catch (error) {
    if (!(error instanceof ToolkitError)) throw error;
    return { check, ...failed(error.message, error.hint) };
  }
}

/** The verdict on something that works, but may be unintended. */
export function doubtful(detail: string, fix: string | null): Verdict {
  return { status: "warn", detail, fix };
}

/** The verdict on a failure. */
export function failed(detail: string, fix: string | undefined): Pick<
  Finding,
  "status" | "detail" | "fix"
> {
  return { status: "fail", detail, fix: fix ?? null };
}

/** The finding of a check that is skipped while another one fails. */
export function skipped(check: string, detail: string): Finding {
  return { check, status: "skip", detail, fix: null };
}

const columns: Column<Finding>[] = [
  { header: "status", value: ({ status }) => status, kind: "word" },
  { header: "check", value: ({ check }) => check, kind: "id" },
  { header: "detail", value: shortDetail },
];

/** The longest detail in the table; a note below shows the rest. */
const MOST_IN_TABLE = 100;

/** The detail for the table. */
function shortDetail({ detail, fix }: Finding): string {
  if (fix === null || detail.length <= MOST_IN_TABLE) return detail;
  return `${detail.slice(0, MOST_IN_TABLE).replace(/\s\S*$/, "")} …`;
}

/**
 * Shows findings.
 *
 * @throws {ToolkitError} when one of them is a failure. For programs it names the first remedy.
 */
export function showFindings({ out }: Context, findings: readonly Finding[]): void {
  const failures = findings.filter(({ status }) => status === "fail");
  if (out.format === "json") {
    out.json(JSON.stringify({ ok: failures.length === 0, checks: findings }), "checks");
  } else {
    out.table(findings, columns);
    for (const { check, detail, fix } of findings) {
      // The table may have cut the detail.
      if (fix !== null) out.note(`${check}: ${detail}. ${fix}`);
    }
  }
  if (failures.length === 0) return;
  const names = failures.map(({ check }) => check).join(", ");
  const noun = failures.length === 1 ? "1 check" : `${failures.length} checks`;
  // The notes show the remedies already.
  const fix = out.format === "json" ? failures.find(({ fix }) => fix !== null)?.fix : undefined;
  throw new ToolkitError(`${noun} failed: ${names}`, {
    hint: fix ?? undefined,
  });
}
