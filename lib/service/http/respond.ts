/**
 * Answers in the form of the API: the one place where a refusal becomes a response.
 *
 * @module
 */

import { Refusal, unprocessable } from "../contract/errors.ts";
import { faultOf } from "../contract/fault.ts";
import { IllegalStep } from "../domain/step.ts";
import { newRequestId } from "../records/ids.ts";
import { isUnfit } from "../store/mod.ts";

/** The reporter of internal errors. */
export interface Reporter {
  /** Called for internal errors. */
  report(error: unknown): void;
}

/** The message for a text that the database cannot hold. */
export const UNFIT = "The database cannot hold a text of the request: it contains the character " +
  "U+0000, or it is an id of more than 2,600 bytes";

/** The ids of the responses to requests that an error made fail. */
const failedRequests = new WeakMap<Error, string>();

/** The id of the response to the request that an error made fail; undefined for other work. */
export function failedRequest(error: Error): string | undefined {
  return failedRequests.get(error);
}

/**
 * Makes the response to a failed request. Errors are reported when it is made, so that their lines in
 * the log have its id.
 */
export function answerFailure(
  { report }: Reporter,
  answer: (report: (error: unknown) => void) => Response,
): Response {
  const errors: unknown[] = [];
  const response = answer((error) => errors.push(error));
  for (const error of errors) {
    if (error instanceof Error) failedRequests.set(error, idOf(response));
    report(error);
  }
  return response;
}

/** The id of a response. One without it, such as a page, gets one. */
export function idOf({ headers }: Response): string {
  const id = headers.get(REQUEST_ID) ?? newRequestId();
  headers.set(REQUEST_ID, id);
  return id;
}

/** The header with the id of a response. */
const REQUEST_ID = "X-Request-Id";

/** Turns anything thrown into an error response. */
export function refuse(
  error: unknown,
  reporter: Reporter,
  headers: Record<string, string> = {},
): Response {
  return answerFailure(reporter, (report) => refusedWith(error, { report }, headers));
}

function refusedWith(
  error: unknown,
  reporter: Reporter,
  headers: Record<string, string>,
): Response {
  const refusal = error instanceof Refusal
    ? error
    : error instanceof IllegalStep
    ? unprocessable(error.message)
    : isUnfit(error)
    ? new Refusal(400, "parameter_error", UNFIT)
    : failed(error, reporter);
  const all = { ...refusal.details.headers, ...headers };
  return respond(JSON.stringify(refusal.body), refusal.status, all);
}

/** The refusal for a failure. */
function failed(error: unknown, { report }: Reporter): Refusal {
  const { status, message, ...details } = faultOf(error, report);
  return new Refusal(status, "server_error", message, details);
}

/** The header that every JSON answer is made with. */
const JSON_TYPE = { "Content-Type": "application/json" };

/**
 * A JSON answer. Its other headers are added afterwards: for a response that is made with several, the
 * runtime makes an object of its own, which takes three times as long.
 */
export function respond(
  text: string,
  status: number,
  more: Readonly<Record<string, string>> = {},
): Response {
  const response = new Response(text, { status, headers: JSON_TYPE });
  const { headers } = response;
  for (const name in more) headers.set(name, more[name] ?? "");
  headers.set(REQUEST_ID, newRequestId());
  headers.set("Cache-Control", "no-store");
  return response;
}

/** An answer without a body. */
export function respondEmpty(
  status: 204 | 304,
  headers: Readonly<Record<string, string>>,
): Response {
  const common = { [REQUEST_ID]: newRequestId(), "Cache-Control": "no-store" };
  return new Response(null, { status, headers: { ...headers, ...common } });
}
