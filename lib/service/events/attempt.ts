/**
 * One attempt to deliver an event: the address check, the connection, the request and the result.
 *
 * @module
 */

import { VERSION } from "../../version.ts";
import type { Clock, Later } from "../time/clock.ts";
import { TargetError } from "../outbound/judge.ts";
import { type Targets } from "../outbound/targets.ts";
import type { Claim } from "./claims.ts";
import { exchange, type HeaderLines, type Reply, ReplyError } from "./http_client.ts";
import type { Attempt } from "./attempts.ts";
import { readRetryAfter, type Schedule } from "./schedule.ts";
import { secretsAt, signatureHeaders } from "./signatures.ts";

/** The result of an attempt. */
export interface Tried {
  /** The stored part. */
  attempt: Attempt;
  /** The wait that the receiver asks for, in milliseconds. */
  retryAfterMs: number | undefined;
}

/** The parts that an attempt needs. */
interface AttemptParts {
  /** The check of webhook targets. */
  targets: Targets;
  /** The time limit and the successful statuses. */
  schedule: Schedule;
  /** Wall time. */
  clock: Clock;
  /** The timer. */
  later: Later;
}

/** The findings of an attempt so far. */
interface Findings {
  /** The address of the receiver. */
  address: string | null;
  /** The end of each part. */
  times: Map<string, number>;
  /** The answer. */
  reply: Reply | undefined;
}

/** Makes one attempt. A failure is part of the result; a receiver never makes it throw. */
export async function attemptDelivery(
  claim: Claim,
  parts: AttemptParts,
  stop: AbortSignal,
): Promise<Tried> {
  const { schedule, clock, later } = parts;
  const started = clock();
  const limit = new AbortController();
  const abort = () => limit.abort();
  if (stop.aborted) abort();
  stop.addEventListener("abort", abort, { once: true });
  const callOff = later(schedule.timeoutMs, abort);
  const headers = requestHeaders(claim, started);
  const findings: Findings = { address: null, times: new Map(), reply: undefined };
  let error: string | null = null;
  try {
    await send(claim, headers, parts, findings, limit.signal);
    error = objection(findings.reply, schedule);
  } catch (caught) {
    error = explanation(caught, findings.reply);
  } finally {
    callOff();
    stop.removeEventListener("abort", abort);
  }
  // The abort is the true reason, whatever error it caused.
  if (limit.signal.aborted) {
    error = `The receiver did not finish its response within ${schedule.timeoutMs / 1000} s`;
  }
  const { reply } = findings;
  return {
    attempt: {
      started_at: started,
      url: claim.webhook.url,
      address: findings.address,
      request_headers: JSON.stringify(shownHeaders(headers)),
      ...keptOf(reply),
      error,
      timing: JSON.stringify(timing(findings.times, started, clock())),
    },
    retryAfterMs: readRetryAfter(reply?.headers["retry-after"], clock()),
  };
}

/**
 * Connects, sends and reads. A receiver may close a connection that waits just when a request
 * comes: that request is sent once more, on a new connection. Events may arrive twice anyway.
 */
async function send(
  { payload, webhook }: Claim,
  headers: HeaderLines,
  { targets, clock }: AttemptParts,
  findings: Findings,
  signal: AbortSignal,
): Promise<void> {
  const mark = (step: string) => void findings.times.set(step, clock());
  const url = targets.check(webhook.url);
  const body = new TextEncoder().encode(payload);
  const request = { method: "POST", url, headers, body };
  const options = { signal, done: mark, user: `${webhook.project_id} ${webhook.id}` };
  for (let isNew = false;; isNew = true) {
    const connection = await targets.open(webhook.url, { ...options, isNew });
    findings.address = connection.address;
    try {
      findings.reply = await exchange(connection, request, () => mark("answer"));
      return connection.keep(findings.reply.keepMs);
    } catch (error) {
      connection.close();
      const wasClosed = error instanceof ReplyError && error.isSilent;
      if (!wasClosed || !connection.reused || signal.aborted) throw error;
    }
  }
}

/** The headers of a delivery, signed anew for each attempt. */
function requestHeaders({ delivery, payload, webhook }: Claim, now: number): HeaderLines {
  const { authorization_header } = webhook;
  return [
    ["Content-Type", "application/json"],
    ["User-Agent", `svc-webhooks/${VERSION}`],
    ...signatureHeaders(secretsAt(webhook, now), { id: delivery.event_id, body: payload, now }),
    ...authorization_header === null ? [] : [["Authorization", authorization_header] as const],
  ];
}

/** The headers as stored, without the secret. */
function shownHeaders(headers: HeaderLines): Record<string, string> {
  return Object.fromEntries(
    headers.map(([name, value]) => [name, name === "Authorization" ? "(hidden)" : value]),
  );
}

/** The stored part of a response. */
function keptOf(
  reply: Reply | undefined,
): Pick<Attempt, "status" | "response_headers" | "response_body" | "response_cut"> {
  return {
    status: reply?.status ?? null,
    response_headers: reply ? JSON.stringify(reply.headers) : null,
    response_body: reply ? new TextDecoder().decode(reply.body) : null,
    response_cut: reply?.cut ? 1 : 0,
  };
}

/** The fault of a response, or null. */
function objection(reply: Reply | undefined, schedule: Schedule): string | null {
  if (!reply) return "The receiver did not respond";
  const { status, broken } = reply;
  if (status === 410) return "The receiver answered 410 Gone";
  if (status >= 300 && status < 400) {
    return `The receiver answered ${status}; redirects are not followed`;
  }
  if (!schedule.isSuccess(status)) return `The receiver answered ${status}`;
  return broken === undefined ? null : `The receiver ${broken}`;
}

/** The reason for a missing response. */
function explanation(error: unknown, reply: Reply | undefined): string {
  if (error instanceof TargetError) return `The URL ${error.message}`;
  if (error instanceof ReplyError) return `The receiver ${error.message}`;
  // Any other failure here is one of the connection.
  const why = error instanceof Error ? error.message : String(error);
  return reply
    ? `The receiver closed the connection: ${why}`
    : `The receiver did not respond: ${why}`;
}

/** The milliseconds of each part, in order, and of the whole attempt. */
function timing(
  times: ReadonlyMap<string, number>,
  started: number,
  ended: number,
): Record<string, number> {
  const found: Record<string, number> = {};
  let before = started;
  for (const [step, at] of times) {
    found[step] = at - before;
    before = at;
  }
  return { ...found, total: ended - started };
}
