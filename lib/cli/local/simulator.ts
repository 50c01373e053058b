/**
 * The simulator of the local service: its client, which reaches no other service, and the values
 * that it accepts.
 *
 * @module
 */

import type { ResolvedBaseUrl } from "../../connect.ts";
import { UsageError } from "../../errors.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import { readPeriod } from "../../scenario/values/times.ts";
import type { Context } from "../context.ts";
import { parseDate } from "../input/input.ts";
import { adminOf, folderOf, MEMORY, sameData } from "./local_service.ts";
import { type Flag, parsed } from "../words/parameters.ts";
import { selectionFlags } from "../screen/command_lines.ts";
import { isLoopback } from "../../address.ts";

/**
 * The time limit of simulator requests, in milliseconds: years of a large project can pass in one.
 */
const LONGEST_MS = 3_600_000;

/**
 * Finds the simulator of the selected project, at the service of all commands. Without `heedsStop`
 * its requests continue after Ctrl-C.
 *
 * @throws {UsageError} for another service than the local one, or without a project.
 * @throws {NetworkError} when no local service runs.
 */
export async function openSimulator(
  context: Context,
  data: string | undefined,
  { heedsStop = true }: { heedsStop?: boolean } = {},
): Promise<Simulator> {
  const { baseUrl: meant, project } = await context.connection();
  await checkLocal(context, meant, data);
  const admin = await adminOf(context, data);
  // The default address was not chosen by anyone, so the data folder may have another one.
  if (meant.source !== "default" && !isSame(meant.value, admin.baseUrl)) {
    throw new UsageError(
      `${CANNOT} ${JSON.stringify(meant.value)}: the service in ${folderOf(context, data)} is at ` +
        admin.baseUrl,
      { hint: `Set CLI_BASE_URL=${admin.baseUrl}, or pass another data folder with --data.` },
    );
  }
  if (!project) {
    throw new UsageError("Cannot choose a project: none is set", {
      hint: "Pass --project-id, set CLI_PROJECT_ID, or run: cli init",
    });
  }
  const { connect } = await import("../../connect.ts");
  const { around: surroundings, globals: { profile, projectId } } = context;
  const signal = heedsStop ? context.signal : new AbortController().signal;
  const where = { surroundings, signal, profile, projectId, baseUrl: admin.baseUrl };
  const client = await connect({ ...where, timeoutMs: LONGEST_MS, retries: 0 });
  return { client: client.with({ credential: admin.secret }), project: project.id };
}

const CANNOT = "Cannot run this command at";

/** Refuses an address that is neither on this machine nor in the data folder. */
async function checkLocal(
  context: Context,
  { value, source }: ResolvedBaseUrl,
  data: string | undefined,
): Promise<void> {
  if (isLoopback(value) || await isNoted(context, value, data)) return;
  const hint = source === "environment"
    ? "Set CLI_BASE_URL to the address that this command shows: cli service status"
    : "Choose a sign-in of the local service with --profile, or set CLI_BASE_URL to its address.";
  throw new UsageError(
    `${CANNOT} ${JSON.stringify(value)}: it needs the local service`,
    { hint },
  );
}

/** Whether the running service of the data folder is at an address. */
async function isNoted(
  context: Context,
  address: string,
  data: string | undefined,
): Promise<boolean> {
  if (data === MEMORY || data === undefined && !context.around.home) return false;
  const { readAddress } = await import("../../service/store/lock.ts");
  const { held, address: note } = await readAddress(folderOf(context, data));
  return held && note !== undefined && isSame(note.base_url, address);
}

/** Whether two addresses are equal. On this machine only the port counts. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  return a.href === b.href || isLoopback(one) && isLoopback(other) && a.port === b.port;
}

/** The flags that select the same project at the same service, for hints. */
export function sameFlags({ globals }: Context, data: string | undefined): string {
  return selectionFlags(globals) + sameData(data);
}

/**
 * The id of a customer in a body. It must not be empty, as in a path.
 *
 * @throws {UsageError} when it is empty.
 */
export function userId(text: string): string {
  if (text !== "") return text;
  throw new UsageError('Cannot use "" for <user-id>: it is empty', {
    hint: "Pass the customer's app user id, such as ada.",
  });
}

/** A flag with a period. */
export function period(brief: string, flag: string): Flag<string | undefined> {
  return parsed(brief, (text) => parsePeriod(text, `for ${flag}`), { placeholder: "period" });
}

/** A flag with a period, or `none`. {@linkcode orNull} converts it for the request. */
export function periodOrNone(brief: string, flag: string): Flag<string | undefined> {
  const parse = (text: string) => text === NONE ? NONE : parsePeriod(text, `for ${flag}`);
  return parsed(`${brief}, or none`, parse, { placeholder: "period" });
}

const NONE = "none";

/**
 * The request's value for a period or `none`. A flag cannot be null itself, since that means
 * absent.
 */
export function orNull(value: string | undefined): string | null | undefined {
  return value === NONE ? null : value;
}

/** A flag with a time. */
export function moment(brief: string, flag: string): Flag<number | undefined> {
  return parsed(brief, (text) => parseMoment(text, flag), { placeholder: "date" });
}

/** A flag with a time; a day means its end. */
export function momentThrough(brief: string, flag: string): Flag<number | undefined> {
  return parsed(brief, (text) => {
    const at = parseMoment(text, flag);
    return /^\d{4}-\d{2}-\d{2}$/.test(text) ? at + DAY_MS - 1 : at;
  }, { placeholder: "date" });
}

/** A flag with a price. */
export function price(brief: string): Flag<number | undefined> {
  return parsed(brief, (text) => parsePrice(text, "for --price"), { placeholder: "amount" });
}

const DAY_MS = 86_400_000;

/**
 * A period in ISO 8601, from one such as `P1M` (which follows the calendar) or from `7d`, `3m` (of
 * 30 days) or `1y` (of 365 days). `role` ends the first half of the error message.
 *
 * @throws {UsageError} for any other text.
 */
export function parsePeriod(text: string, role = "as a period"): string {
  const read = readPeriod(text);
  if ("period" in read) return read.period;
  throw new UsageError(`Cannot use ${JSON.stringify(text)} ${role}: ${read.why}`, {
    hint: "Use a number of days (30d), months of 30 days (3m) or years of 365 (1y), or ISO 8601: " +
      "P1M, P2W, PT5M.",
  });
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)Z?)?$/;

/**
 * A time in milliseconds since 1970, from a day such as `2027-01-31`, which means its start, or a
 * day with a time, such as `2027-01-31T12:00:00Z`. Both are UTC, like all times in the output.
 *
 * @throws {UsageError} for another form, or a time that does not exist.
 */
export function parseMoment(text: string, flag: string): number {
  const [, day, time = "00:00"] = MOMENT.exec(text) ?? [];
  const at = day === undefined ? NaN : Date.parse(`${parseDate(day, flag)}T${time}Z`);
  if (!Number.isNaN(at)) return at;
  const why = day === undefined
    ? "it is not a day such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z, in UTC"
    : "there is no such time";
  throw new UsageError(`Cannot use ${JSON.stringify(text)} for ${flag}: ${why}`, {
    hint: `Write a time such as ${flag} 2027-01-31T12:00:00Z`,
  });
}

/**
 * A price in main units, such as 9.99.
 *
 * @throws {UsageError} for another form.
 */
export function parsePrice(text: string, role = "as a price"): number {
  if (/^0*\d{1,9}(\.\d{1,6})?$/.test(text)) return Number(text);
  const isAmount = /^(\d+)(?:\.(\d+))?$/.exec(text);
  const why = !isAmount
    ? "it is not an amount such as 9.99"
    : (isAmount[2]?.length ?? 0) > 6
    ? "it has more than 6 digits after the point"
    : "it is too large";
  throw new UsageError(`Cannot use ${JSON.stringify(text)} ${role}: ${why}`, {
    hint: "Pass up to 9 digits, with a point before the decimals.",
  });
}
