/**
 * What a failure that is no refusal is answered with: the one place for every part of the service.
 *
 * @module
 */

import { type Outage, outageIn } from "../store/mod.ts";

/** How long a caller is asked to wait before it tries again, in milliseconds. */
const BACKOFF_MS = 1000;
/** The same on a full disk, where somebody has to make room first. */
const FULL_BACKOFF_MS = 10_000;

/** What a caller learns of a failure. */
interface Fault {
  /** HTTP status: 507 on a full disk, 503 where the store cannot be used, else 500. */
  status: 500 | 503 | 507;
  /** One sentence for people. */
  message: string;
  /** Milliseconds to wait before another try, where one may succeed. */
  backoff_ms?: number;
  /** Headers of the answer. */
  headers: Record<string, string>;
}

/**
 * The answer to an error that is not the caller's fault. The operator hears of it through `report`,
 * but for outages of the store, which are said once for all requests.
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
