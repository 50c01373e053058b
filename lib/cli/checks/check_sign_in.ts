/**
 * Checks of the current sign-in, with the service.
 *
 * @module
 */

import { isLoopback } from "../../address.ts";
import type { ResolvedCredential } from "../../auth/credential.ts";
import { missingCredential } from "../../auth/stored.ts";
import { DEFAULT_SCOPES, missingScopes } from "../../auth/scopes.ts";
import { recognizeService } from "../../auth/discovery.ts";
import type { Connection, Surroundings } from "../../connect.ts";
import { ApiError, ToolkitError } from "../../errors.ts";
import { itemsOf } from "../../page.ts";
import { getProject, listProjects } from "../../resources/projects.ts";
import { shellWord } from "../../config/shell_word.ts";
import { VERSION } from "../../version.ts";
import type { Context } from "../context.ts";
import { doubtful, failed, type Finding, runCheck, skipped, type Verdict } from "./finding.ts";
import { HOW_TO_TRUST, untrustedSignIn, whyUntrusted } from "./trust.ts";

/** The largest accepted clock difference, in milliseconds. */
const LARGEST_SKEW_MS = 60_000;

/** Why nothing is sent with a sign-in from another machine. */
const UNTRUSTED = "the sign-in of this folder is not trusted";

/** The checks besides the sign-in itself. */
interface SignInChecks {
  /** Whether to check the project and the permissions, too. */
  whole: boolean;
}

/** Looks at the sign-in, and asks the service about it. */
export async function checkSignIn(
  context: Context,
  { whole }: SignInChecks,
): Promise<Finding[]> {
  const signIn = await runCheck("sign-in", () => sourceVerdict(context));
  const connection = await context.connection().catch(ignoreKnown);
  if (!connection) return [signIn, skipped("service", "settings cannot be read")];
  const { around } = context;
  const later = ["access", ...whole ? ["permissions", "project"] : []];
  const isLocal = connection.credential?.kind === "local";
  if (isLocal && await untrustedSignIn(around).catch(ignoreKnown)) {
    // Its service may belong to anyone, so nothing is sent there.
    return [signIn, ...["service", ...later].map((check) => skipped(check, UNTRUSTED))];
  }
  const answer: Answered = { date: null };
  const service = await runCheck("service", () => serviceVerdict(context, connection, answer));
  const findings = [signIn, service];
  if (service.status === "fail") {
    return [...findings, ...later.map((check) => skipped(check, "the service cannot be used"))];
  }
  findings.push(await runCheck("clock", () => clockVerdict(around, answer.date)));
  if (!connection.credential) {
    return [...findings, ...later.map((check) => skipped(check, "nobody is signed in"))];
  }
  const access = await runCheck("access", () => accessVerdict(connection));
  findings.push(access);
  if (!whole) return findings;
  if (access.status === "fail") {
    const why = "the sign-in is not accepted";
    return [...findings, skipped("permissions", why), skipped("project", why)];
  }
  findings.push(await runCheck("permissions", () => scopeVerdict(connection)));
  findings.push(await runCheck("project", () => projectVerdict(connection)));
  return findings;
}

/** Ignores an error that another check reports. */
function ignoreKnown(error: unknown): undefined {
  if (!(error instanceof ToolkitError)) throw error;
}

/** The current sign-in, and the sign-ins it overrides. */
async function sourceVerdict(context: Context): Promise<Verdict> {
  const { credential } = await context.connection();
  if (!credential) throw await missingCredential(context.around);
  const untrusted = credential.kind === "local" && await untrustedSignIn(context.around);
  if (untrusted) return doubtful(whyUntrusted(untrusted), HOW_TO_TRUST);
  const hidden = credential.shadows.map(nameOf);
  const detail = hidden.length === 0
    ? nameOf(credential)
    : `${nameOf(credential)}; it overrides ${hidden.join(" and ")}`;
  // A folder's own sign-in is meant to override the profile. A variable may be a leftover.
  return credential.kind === "environment" && hidden.length > 0
    ? doubtful(detail, `Unset ${credential.source} to use the stored sign-in.`)
    : detail;
}

/** A sign-in by the name of its place. */
function nameOf({ source, name }: Pick<ResolvedCredential, "source" | "name">): string {
  return name === undefined ? source : `the profile ${JSON.stringify(name)} in ${source}`;
}

/** The other contents of the service's answer. */
interface Answered {
  /** Its time, from the `Date` header. */
  date: string | null;
}

/** Whether the service answers, and its version. */
async function serviceVerdict(
  { around, signal }: Context,
  { baseUrl }: Connection,
  answer: Answered,
): Promise<Verdict> {
  const place = `${baseUrl.value} (from: ${baseUrl.source})`;
  let own: string | undefined;
  try {
    ({ version: own } = await recognizeService({
      baseUrl: baseUrl.value,
      around,
      signal,
      onExchange: ({ response }) => answer.date ??= response?.headers.get("Date") ?? null,
    }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const fix = error.hint ??
      (isLoopback(baseUrl.value) ? "See its state: cli service status" : undefined);
    return failed(`status ${error.status} from ${place}: ${error.message}`, fix);
  }
  const version = own === undefined ? "version unknown" : `version ${own}`;
  return `${version} at ${place}, client version ${VERSION}`;
}

/**
 * Whether this machine's clock and the service's agree: times are computed here and checked there.
 */
function clockVerdict(around: Surroundings, date: string | null): Verdict {
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs)) return "the service did not send its time";
  const skew = around.now() - theirs;
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= LARGEST_SKEW_MS) return "matches the service's clock to the minute";
  const side = skew > 0 ? "ahead of" : "behind";
  return failed(
    `this machine's clock is ${seconds} s ${side} the service's`,
    "Correct this machine's clock.",
  );
}

/** Whether the service accepts the sign-in. An expiring token is renewed for this. */
async function accessVerdict({ client, credential }: Connection): Promise<Verdict> {
  try {
    const items = itemsOf(await listProjects(client, { limit: 1 }));
    return items.length > 0 ? "accepted" : doubtful(
      "accepted, but it sees no project",
      "Create one with: cli projects create --name NAME",
    );
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return "accepted";
    if (error instanceof ApiError && error.status === 401) {
      return failed(
        error.message,
        credential?.signIn === undefined
          ? `Replace ${credential?.source}; for a local service: cli service token`
          : `Sign in again with: ${credential.signIn}`,
      );
    }
    throw error;
  }
}

/** Whether the sign-in has the permissions of the commands. */
async function scopeVerdict({ credential, grantedScope }: Connection): Promise<Verdict> {
  const scope = await grantedScope();
  if (scope === undefined) {
    return { status: "skip", detail: "the permissions of the sign-in are unknown here", fix: null };
  }
  const missing = missingScopes(scope, DEFAULT_SCOPES);
  if (missing.length === 0) return "all permissions that the commands need";
  const fix = credential?.kind === "local"
    ? "If you need them: cli auth login, then cli init --force"
    : credential?.kind === "profile"
    ? `If you need them: cli auth login -n ${shellWord(credential.name ?? "")}`
    : "If you need them: cli service token";
  return doubtful(`commands that need ${missing.join(" ")} will be refused`, fix);
}

/** Whether the project exists, and whether all sources name the same one. */
async function projectVerdict({ client, project }: Connection): Promise<Verdict> {
  if (!project) {
    return failed("none is set", "Pass --project-id, set CLI_PROJECT_ID, or run: cli init");
  }
  const place = `${project.id} (from: ${project.source})`;
  try {
    const { name } = await getProject(client, project.id);
    const other = project.shadows.find(({ id }) => id !== project.id);
    const called = name ? ` ${JSON.stringify(name)}` : "";
    const detail = `${project.id}${called} (from: ${project.source})`;
    return other === undefined ? detail : doubtful(
      `${detail}; ${other.source} names ${other.id}`,
      "If this is not intended, correct one of them.",
    );
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    return failed(
      `the sign-in sees no project ${place}`,
      "See its projects with: cli projects list",
    );
  }
}
