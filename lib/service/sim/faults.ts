/**
 * Injected faults of requests: errors, delays and disconnects. In a process that is alone on its
 * database they are in memory only, and a restart clears them; several processes share them.
 *
 * @module
 */

import type { Later } from "../time/clock.ts";
import { type ErrorType, Refusal } from "../contract/errors.ts";
import { SDK_CODE } from "../contract/sdk_errors.ts";
import type { Fault } from "./new_fault.ts";

/** The injected faults of requests to the API. */
export interface RequestFaults extends Omit<FaultList, "take"> {
  /** Applies a fault to a request, or passes it on. */
  meet(request: Request, pass: () => Promise<Response>): Promise<Response>;
}

/** The pending faults, in order. */
export interface FaultList {
  /** All of them. */
  list(): Promise<readonly Fault[]>;
  /** Adds a fault. */
  add(fault: Fault): Promise<void>;
  /** Removes all faults. */
  clear(): Promise<void>;
  /** Takes one of the first fault that fits. Asks nobody while none does. */
  take(fits: (fault: Fault) => boolean): Fault | undefined | Promise<Fault | undefined>;
}

const TYPES: Readonly<Record<number, ErrorType>> = {
  401: "authentication_error",
  403: "authorization_error",
  404: "resource_missing",
  409: "resource_already_exists",
  422: "unprocessable_entity_error",
  423: "resource_locked_error",
  429: "rate_limit_error",
};

/** Applies the faults of a list to requests. */
export function createRequestFaults(later: Later, { take, ...faults }: FaultList): RequestFaults {
  const suffer = async (
    taken: Fault | Promise<Fault | undefined>,
    request: Request,
    pass: () => Promise<Response>,
  ): Promise<Response> => {
    const fault = await taken;
    if (!fault) return await pass();
    const { delay_ms, cut, status } = fault;
    if (delay_ms !== undefined) await new Promise<void>((go) => later(delay_ms, go));
    if (cut === "before") return cutOff();
    if (status !== undefined) return refused(request, status, fault.retry_after_s);
    const response = await pass();
    return cut === "after" ? cutOff() : response;
  };
  return {
    ...faults,
    meet(request, pass) {
      const fault = take((one) => concerns(one, request));
      return fault ? suffer(fault, request, pass) : pass();
    },
  };
}

/** Keeps faults in memory. */
export function createFaultList(): FaultList {
  let faults: Fault[] = [];
  return {
    list: async () => faults,
    async add(fault) {
      faults.push(fault);
    },
    async clear() {
      faults = [];
    },
    take(fits) {
      const fault = faults.find(fits);
      if (fault && --fault.count === 0) faults = faults.filter((one) => one !== fault);
      return fault;
    },
  };
}

/** Whether a fault is for a request. In its path, `*` stands for a segment and `**` for any number. */
function concerns({ method, path }: Fault, request: Request): boolean {
  if (method !== undefined && method !== request.method) return false;
  if (path === undefined) return true;
  const pattern = RegExp.escape(path).replaceAll("\\*\\*", ".*").replaceAll("\\*", "[^/]*");
  return new RegExp(`^${pattern}$`).test(new URL(request.url).pathname);
}

/** An error in the form of the requested address. */
function refused(request: Request, status: number, retryAfter: number | undefined): Response {
  const { pathname } = new URL(request.url);
  const message = "This error was set under /_sim/faults";
  const type = TYPES[status] ?? (status < 500 ? "invalid_request" : "server_error");
  const body = /^\/(v1|rcbilling)\//.test(pathname)
    ? { code: SDK_CODE.internal_error, message }
    : pathname.startsWith("/oauth2/")
    ? { error: status < 500 ? "invalid_request" : "server_error", error_description: message }
    : new Refusal(status, type, message).body;
  const headers = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  return Response.json(body, { status, headers });
}

/**
 * A truncated answer: it is shorter than its announced length.
 *
 * Gap: a connection cannot be closed before the head of the answer.
 */
function cutOff(): Response {
  const body = new Blob(["{"]).stream();
  return new Response(body, {
    headers: { "Content-Type": "application/json", "Content-Length": "1000" },
  });
}
