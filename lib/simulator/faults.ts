/**
 * Requests that fail on purpose.
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Page } from "../page.ts";
import { path } from "../path.ts";

/** A fault to add. It needs a status, a delay or a cut. */
export interface NewRequestFault {
  /** The method. Default: any. */
  method?: "GET" | "POST" | "PUT" | "DELETE" | undefined;
  /** The path; `*` stands for a segment and `**` for any number. Default: any. */
  path?: string | undefined;
  /** The number of requests. Default 1. */
  count?: number | undefined;
  /** The status of the response, 400 to 599. */
  status?: number | undefined;
  /** The seconds in its `Retry-After`. */
  retry_after_s?: number | undefined;
  /** The delay of the response, in milliseconds. */
  delay_ms?: number | undefined;
  /** Whether the connection breaks before or after the effect. */
  cut?: "before" | "after" | undefined;
}

/** A fault of requests. */
export interface RequestFault extends NewRequestFault {
  /** Always `fault`. */
  object: "fault";
  /** The number of requests left. */
  count: number;
}

/** Lists the pending faults of requests. `GET /_sim/faults` */
export function listRequestFaults(client: Client): Promise<Page<RequestFault>> {
  return client.get(path`/_sim/faults`);
}

/** Makes the next matching requests fail, slow down or disconnect. `POST /_sim/faults` */
export function addRequestFault(client: Client, body: NewRequestFault): Promise<RequestFault> {
  return client.post(path`/_sim/faults`, body);
}

/** Clears the faults of requests. `DELETE /_sim/faults` */
export function clearRequestFaults(client: Client): Promise<Page<RequestFault>> {
  return client.delete(path`/_sim/faults`);
}
