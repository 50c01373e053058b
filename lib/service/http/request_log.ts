/**
 * The log of a service as JSON lines: one for each request, warning and error.
 *
 * @module
 */

import { type Clock, systemStopwatch } from "../time/clock.ts";
import type { Answerer } from "./mount.ts";
import { failedRequest, idOf } from "./respond.ts";
import { sentPath } from "./sent_address.ts";

/** Writes a line of the log, given without its line break. */
export type LogSink = (line: string) => void;

/**
 * Logs each answered request. Queries are left out, since those of files contain a signature.
 * `request_id` is that of the response, so that a reported error can be found; a response without one
 * gets one.
 */
export function logged(answer: Answerer, sink: LogSink, clock: Clock): Answerer {
  return async (request, sender = "") => {
    const started = systemStopwatch();
    const response = await answer(request, sender);
    const { status } = response;
    sink(logLine(clock(), status >= 500 ? "error" : "info", {
      message: "request",
      // Pages, and answers in the form of other specifications, have had none.
      request_id: idOf(response),
      method: request.method,
      path: pathOf(request),
      status,
      duration_ms: Math.round((systemStopwatch() - started) * 1000) / 1000,
      client: sender,
    }));
    return response;
  };
}

/** The path of a request, also when its Host header makes its address invalid. */
function pathOf({ url }: Request): string {
  return URL.parse(url)?.pathname ?? sentPath(url);
}

/**
 * Logs the reports of a service: internal errors and warnings. The line of an error that made a
 * request fail has the `request_id` of its response.
 */
export function reportingTo(sink: LogSink, clock: Clock): (report: unknown) => void {
  return (report) => {
    const isFault = report instanceof Error;
    const request_id = isFault ? failedRequest(report) : undefined;
    sink(logLine(clock(), isFault ? "error" : "warning", {
      message: isFault ? report.message : String(report),
      ...request_id !== undefined && { request_id },
      ...isFault && { stack: report.stack },
    }));
  };
}

/** Characters that JSON does not escape and that could change a terminal's display. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** How much a line of the log matters. */
type Level = "info" | "warning" | "error";

/** A line of the log, with the time in milliseconds since 1970, and without its line break. */
export function logLine(
  now: number,
  level: Level,
  fields: Readonly<Record<string, unknown>>,
): string {
  const text = JSON.stringify({ time: new Date(now).toISOString(), level, ...fields });
  return text.replaceAll(UNSAFE, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
