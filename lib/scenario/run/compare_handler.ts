/**
 * Asking the program under test until its answer is as expected, or its time is up.
 *
 * @module
 */

import type { Bench } from "./bench.ts";
import { tellEvent } from "./explain.ts";
import { failureOf, failuresFrom } from "./failure.ts";
import { type Difference, differences } from "../file/match.ts";
import { plainWith, replaceReferences } from "../values/references.ts";
import type { Failure } from "./outcome.ts";
import type { Step } from "../file/scenario.ts";
import type { HandlerAnswer, HandlerRequest } from "./stage.ts";
import { entryOf, type Json, type Node, plain, type Position } from "../values/tree.ts";

/** Seconds that a handler may take which a scenario gives no time. */
const USUAL_WAIT_S = 5;

/** The waits between two requests, in milliseconds; the last one is repeated. */
const WAITS_MS = [20, 50, 100, 200, 400];

/** Compares the answer of the program under test with what is expected. */
export async function compareHandler(bench: Bench, step: Step, item: Node): Promise<Failure[]> {
  const request = requestOf(bench, item);
  const field = (name: string) => entryOf(item, name)?.value;
  const given = (name: string) => {
    const node = field(name);
    return node && String(plainWith(node, bench.match.vars));
  };
  const status = Number(given("status") ?? 200);
  const expected = field("json");
  const orMissing = given("or_missing") === "true";
  const limit = Number(given("within_s") ?? USUAL_WAIT_S) * 1000;
  let answer: HandlerAnswer;
  let found: Difference[];
  for (let look = 0, waited = 0;; look++) {
    answer = await bench.stage.ask(request);
    if (answer.refused) {
      return [failureOf(step, item.at, `The handler was not asked: ${String(answer.body)}`)];
    }
    found = expected ? differences(answer.body, expected, bench.match) : [];
    if (answer.status === status && found.length === 0) return [];
    if (answer.status === 404 && orMissing) return [];
    // A handler that does not answer uses its time up, too.
    waited += answer.ms ?? 0;
    if (waited >= limit) break;
    const wait = WAITS_MS[look] ?? 500;
    waited += wait;
    await bench.stage.pause(wait);
  }
  const last = bench.seen.at(-1);
  const because = [
    `The handler had ${limit / 1000} s to get there`,
    ...last ? [`The last event: ${tellEvent(bench, last)}`] : [],
  ];
  if (answer.status !== status) return [wrongStatus(step, item.at, { answer, status, because })];
  return failuresFrom(step, found, "The handler's answer differs", because);
}

/** The failure of an answer with another status. */
function wrongStatus(
  step: Step,
  at: Position,
  { answer, status, because }: {
    answer: HandlerAnswer;
    status: number;
    because: readonly string[];
  },
): Failure {
  const message = answer.status === 0
    ? `The handler did not answer: ${String(answer.body)}`
    : `The handler answered ${answer.status}, not ${status}`;
  const body: Json = answer.body;
  return failureOf(step, at, message, {
    diff: [`- ${status}`, `+ ${answer.status} ${JSON.stringify(body).slice(0, 500)}`],
    because,
  });
}

/** The request that an expectation describes. */
function requestOf({ match }: Bench, item: Node): HandlerRequest {
  const fill = (value: string) =>
    replaceReferences(
      value,
      (name) => name.includes(".") ? String(match.value(name) ?? "") : match.vars[name] ?? "",
    );
  const headers = entryOf(item, "headers")?.value;
  return {
    method: fill(text(entryOf(item, "method")?.value) ?? "GET"),
    url: fill(text(entryOf(item, "get")?.value) ?? ""),
    headers: headers?.kind === "map"
      ? Object.fromEntries(headers.entries.map(({ key, value }) => [key, fill(text(value) ?? "")]))
      : {},
  };
}

function text(node: Node | undefined): string | undefined {
  if (!node) return undefined;
  // A value such as 1.10 is sent as it is written.
  if (node.kind === "scalar" && typeof node.value === "number") return node.text;
  const value = plain(node);
  return value === null ? undefined : String(value);
}
