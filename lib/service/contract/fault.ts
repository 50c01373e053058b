/**
 * The answers to failures other than refusals, for every part of the service.
 *
 * @module
 */

import { type Outage, outageIn } from "../store/mod.ts";

/** The time before a caller's next try, in milliseconds. */
const BACKOFF_MS = 1000;
/** The same on a full disk, since someone has to make room first. */
const FULL_BACKOFF_MS = 10_000;

/** The answer to a failure. */
interface Fault {
  /** HTTP status: 507 on a full disk, 503 while the store cannot be used, else 500. */
  status: 500 | 503 | 507;
  /** One sentence for people. */
  message: string;
  /** Milliseconds before another try, if one may succeed. */
  backoff_ms?: number;
  /** Headers of the answer. */
  headers: Record<string, string>;
}

/**
 * The answer to an internal error. `report` gets the error, except for outages of the store, which
 * are reported once for all requests.
 */
export function faultOf(error: unknown, report: (error: unknown) => void): Fault {
  const outage = outageIn(error);
  if (!outage) {
    report(error);
    return { status: 500, message: "The service failed; see its log", headers: {} };
  }
  return faultOfOutage(outage);
}

/** The answer while the store cannot be used. */
export function faultOfOutage({ failure, cause }: Outage): Fault {
  const full = failure === "full";
  const backoff_ms = full ? FULL_BACKOFF_MS : BACKOFF_MS;
  return {
    status: full ? 507 : 503,
    message: `The service cannot use its database: ${cause}`,
    backoff_ms,
    headers: { "Retry-After": String(backoff_ms / 1000) },
  };
}
