/**
 * `cli doctor`
 *
 * @module
 */

import { createClient } from "../../client.ts";
import { ToolkitError } from "../../errors.ts";
import { path } from "../../path.ts";
import { getProject, listProjects } from "../../resources/projects.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import type { Column } from "../output.ts";

/** What a check found. */
export interface Finding {
  /** What was looked at. */
  check: string;
  /** `fail` makes the whole command fail; `skip` means that an earlier failure hides it. */
  status: "ok" | "warn" | "fail" | "skip";
  /** What was seen. */
  detail: string;
  /** What to run or do about it. */
  fix: string | null;
}

const columns: Column<Finding>[] = [
  { header: "status", value: (finding) => finding.status },
  { header: "check", value: (finding) => finding.check },
  { header: "detail", value: (finding) => finding.detail },
];

/** Looks at everything that a command needs, and says what to mend. */
export const doctor = command({
  brief: "Check address, sign-in and project",
  async run(context) {
    const findings = [await checkService(context)];
    const reachable = findings[0]?.status === "ok";
    findings.push(reachable ? await checkCredential(context) : skipped("credential"));
    findings.push(reachable ? await checkProject(context) : skipped("project"));
    showFindings(context, findings);
  },
});

/** Shows findings, and fails when one of them is a failure. */
export function showFindings({ out }: Context, findings: readonly Finding[]): void {
  const failed = findings.filter(({ status }) => status === "fail");
  if (out.format === "json") {
    out.json(JSON.stringify({ ok: failed.length === 0, checks: findings }));
  } else {
    out.table(findings, columns);
    for (const { check, fix } of findings) if (fix) out.note(`${check}: ${fix}`);
  }
  if (failed.length === 0) return;
  const names = failed.map(({ check }) => check).join(", ");
  throw new ToolkitError(`Cannot work as it is: ${names} failed`, { hint: failed[0]?.fix ?? "" });
}

/** Runs a check; what it throws is its finding. */
export async function runCheck(check: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { check, status: "ok", detail: await look(), fix: null };
  } catch (error) {
    if (!(error instanceof ToolkitError)) throw error;
    return { check, status: "fail", detail: error.message, fix: error.hint ?? null };
  }
}

function skipped(check: string): Finding {
  return { check, status: "skip", detail: "the service cannot be reached", fix: null };
}

function checkService(context: Context): Promise<Finding> {
  return runCheck("service", async () => {
    const { baseUrl } = await context.connection();
    const { fetch } = context.around;
    const client = createClient({
      baseUrl: baseUrl.value,
      retries: 0,
      signal: context.signal,
      ...fetch && { fetch },
    });
    const { version } = await client.get<{ version?: string }>(path`/health`);
    return `${baseUrl.value} answers, version ${version ?? "unknown"} (from: ${baseUrl.source})`;
  });
}

function checkCredential(context: Context): Promise<Finding> {
  return runCheck("credential", async () => {
    const { client, credential } = await context.connection();
    const { items } = await listProjects(client, { limit: 1 });
    const where = credential ? ` (from: ${credential.source})` : "";
    return items.length > 0 ? `accepted${where}` : `accepted, but it sees no project${where}`;
  });
}

function checkProject(context: Context): Promise<Finding> {
  return runCheck("project", async () => {
    const { client, project } = await context.connection();
    if (!project) {
      throw new ToolkitError("none is set", {
        hint: "Pass --project-id, set CLI_PROJECT_ID, or run: cli init",
      });
    }
    const { name } = await getProject(client, project.id);
    return `${project.id} "${name}" (from: ${project.source})`;
  });
}
