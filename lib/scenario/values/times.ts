/**
 * Periods and moments as people write them.
 *
 * @module
 */

/** The periods that the service takes: longer than zero, with so many digits at most. */
const ISO_PERIOD =
  /^P(?=.*[1-9])(\d{1,4}Y)?(\d{1,5}M)?(\d{1,5}W)?(\d{1,6}D)?(T(?=.)(\d{1,7}H)?(\d{1,8}M)?(\d{1,9}S)?)?$/;

/** The days of the units of a period such as `30d`. */
const UNIT_DAYS: Readonly<Record<string, number>> = { d: 1, m: 30, y: 365 };

/** The longest period that is counted in days. */
const MOST_DAYS = 1_000_000;

/**
 * A period in ISO 8601, out of one such as `P1M` (which follows the calendar) or out of `7d`, `3m`
 * (of 30 days) or `1y` (of 365 days); otherwise why it is none.
 */
export function readPeriod(text: string): { period: string } | { why: string } {
  const [, count, unit = ""] = /^([1-9]\d*)([dmy])$/.exec(text) ?? [];
  const days = Number(count) * (UNIT_DAYS[unit] ?? NaN);
  if (days < MOST_DAYS) return { period: `P${days}D` };
  if (ISO_PERIOD.test(text)) return { period: text };
  return { why: Number.isNaN(days) ? "it is not a period such as 30d or P1M" : "it is too long" };
}

const DAY_MS = 86_400_000;

const MOMENT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * A moment in milliseconds since 1970, out of a day such as `2027-01-31`, which means its beginning,
 * or one with a time. Without `Z` or an offset it is in the time zone. Undefined when it is written
 * otherwise, or no calendar or clock has it.
 */
export function readMoment(text: string, zone = "UTC"): number | undefined {
  const parts = MOMENT.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "0", offset] =
    parts;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, "0")}`;
  const asUtc = Date.parse(`${local}Z`);
  // The 30th of February becomes the 2nd of March, so only a moment that stays itself is one.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString() !== `${local}Z`) return undefined;
  if (offset !== undefined) {
    const at = Date.parse(local + offset);
    return Number.isNaN(at) ? undefined : at;
  }
  if (zone === "UTC") return asUtc;
  // The offset of the zone may change between the guess and the moment itself.
  const guess = asUtc - offsetAt(asUtc, zone);
  const at = asUtc - offsetAt(guess, zone);
  if (at + offsetAt(at, zone) === asUtc) return at;
  // The zone skips this hour in spring: no clock shows its times, but a day may begin with it.
  return parts[4] === undefined ? asUtc - offsetAt(asUtc - DAY_MS, zone) : undefined;
}

/** Whether there is a time zone of this name. */
export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

/** How far a zone is ahead of UTC at a moment, in milliseconds. */
function offsetAt(at: number, zone: string): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  const shown = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return shown - Math.floor(at / 1000) * 1000;
}

/** A moment for people and for files. */
export function isoMoment(at: number): string {
  return new Date(at).toISOString().replace(".000Z", "Z");
}
