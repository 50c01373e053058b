/**
 * Comparing what is expected after a step with what the service and the handler say.
 *
 * @module
 */

import { path } from "../../path.ts";
import { accessOf, type Bench, fieldOf, idOf, readAll, type SeenEvent } from "./bench.ts";
import { CannotDo } from "../deeds/cannot_do.ts";
import { compareHandler } from "./compare_handler.ts";
import { itemsOf } from "../file/expectations.ts";
import { explainAccess, tellEvent, tellSubscription } from "./explain.ts";
import { diffOf, failureOf, failuresFrom } from "./failure.ts";
import { differences } from "../file/match.ts";
import type { Failure } from "./outcome.ts";
import type { Check, Step } from "../file/scenario.ts";
import { plainWith, withVariables } from "../values/references.ts";
import { readMoment } from "../values/times.ts";
import { type Entry, entryOf, type Json, type Node, plain } from "../values/tree.ts";

/** Compares, by the kind of check. */
const COMPARISONS: Readonly<
  Record<string, (bench: Bench, step: Step, node: Node) => Promise<Failure[]>>
> = {
  events: compareEvents,
  events_include: compareSomeEvents,
  access: (bench, step, node) =>
    each(bench, node, (entry) => compareAccess(bench, step, entry, (id) => accessOf(bench, id))),
  past: comparePast,
  subscription: (bench, step, node) =>
    each(bench, node, (entry) => compareBought(bench, step, entry)),
  purchase: (bench, step, node) => each(bench, node, (entry) => compareBought(bench, step, entry)),
  invoices: (bench, step, node) =>
    each(bench, node, (entry) => compareList(bench, step, entry, "invoices")),
  balances: (bench, step, node) =>
    each(bench, node, (entry) => compareBalances(bench, step, entry)),
  attributes: (bench, step, node) =>
    each(bench, node, (entry) => compareAttributes(bench, step, entry)),
  metrics: compareMetrics,
  charts: (bench, step, node) => eachItem(node, (item) => compareChart(bench, step, item)),
  handler: (bench, step, node) => eachItem(node, (item) => compareHandler(bench, step, item)),
};

/** Compares one thing that is expected. */
export async function compare(bench: Bench, step: Step, { kind, node }: Check): Promise<Failure[]> {
  return await COMPARISONS[kind]?.(bench, step, node) ?? [];
}

async function each(
  { match }: Bench,
  node: Node,
  look: (entry: Entry) => Promise<Failure[]>,
): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const entry of node.kind === "map" ? node.entries : []) {
    failures.push(...await look({ ...entry, key: withVariables(entry.key, match.vars) }));
  }
  return failures;
}

async function eachItem(node: Node, look: (item: Node) => Promise<Failure[]>): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const item of itemsOf(node)) failures.push(...await look(item));
  return failures;
}

/** The type that an expected event has. */
function typeOf(node: Node, { match }: Bench): string {
  const type = node.kind === "map" ? entryOf(node, "type")?.value : node;
  return type?.kind === "scalar" ? withVariables(type.text, match.vars) : "";
}

/** All events since the last check, in order. */
async function compareEvents(bench: Bench, step: Step, node: Node): Promise<Failure[]> {
  const events = bench.seen.slice(bench.checked);
  bench.checked = bench.seen.length;
  const expected = node.kind === "list" ? node.items : [];
  const wanted = expected.map((item) => typeOf(item, bench));
  const types = events.map(({ type }) => type);
  if (wanted.join() !== types.join()) {
    const surplus = [...types];
    wanted.forEach((type) => surplus.includes(type) && surplus.splice(surplus.indexOf(type), 1));
    const strange = events.filter(({ type }) => surplus.includes(type));
    const told = strange.length > 0 ? strange : events;
    return [failureOf(step, node.at, "The events differ", {
      diff: await diffOf(wanted, types),
      because: told.slice(0, 10).map((event) => tellEvent(bench, event)),
      update: { route: node.route, value: types },
    })];
  }
  return expected.flatMap((item, i) => compareEvent(bench, step, item, events[i]));
}

/** The fields of one event. */
function compareEvent(
  bench: Bench,
  step: Step,
  item: Node,
  event: SeenEvent | undefined,
): Failure[] {
  if (!event || item.kind !== "map") return [];
  const found = differences(event.fields, item, bench.match);
  return failuresFrom(step, found, `The event ${event.type} differs`, [tellEvent(bench, event)]);
}

/** Some of the events since the last check, in order. */
async function compareSomeEvents(bench: Bench, step: Step, node: Node): Promise<Failure[]> {
  const events = bench.seen.slice(bench.checked);
  bench.checked = bench.seen.length;
  let next = 0;
  for (const item of node.kind === "list" ? node.items : []) {
    const type = typeOf(item, bench);
    const at = events.findIndex((event, i) =>
      i >= next && event.type === type &&
      (item.kind !== "map" || differences(event.fields, item, bench.match).length === 0)
    );
    if (at >= 0) {
      next = at + 1;
      continue;
    }
    const near = events.slice(next).find((event) => event.type === type);
    if (near) return compareEvent(bench, step, item, near);
    return [failureOf(step, item.at, `There is no event ${type} after the ones before it`, {
      diff: events.map((event) => `+ ${event.type}`),
      because: events.slice(0, 10).map((event) => tellEvent(bench, event)),
    })];
  }
  return [];
}

/** The entitlements of a customer. */
async function compareAccess(
  bench: Bench,
  step: Step,
  { key, value }: Entry,
  look: (customer: string) => Promise<readonly string[]>,
  when = "",
): Promise<Failure[]> {
  const actual = await look(key);
  const expected = sorted(value, bench);
  const [found] = differences(actual, expected, bench.match);
  if (!found) return [];
  const because = await explainAccess(bench, key);
  return failuresFrom(
    step,
    [{ ...found, ...value.at, where: "" }],
    `The access of ${key}${when} differs`,
    because,
  );
}

/** A list in the order of the alphabet: entitlements have none of their own. */
function sorted(node: Node, { match: { vars } }: Bench): Node {
  if (node.kind !== "list") return node;
  // A name such as 1.10 is what the file says, not a number.
  const name = (item: Node) =>
    item.kind === "scalar" && typeof item.value !== "string"
      ? item.text
      : String(plainWith(item, vars));
  return { ...node, items: [...node.items].sort((a, b) => name(a) < name(b) ? -1 : 1) };
}

/** The entitlements that customers had at past moments. */
async function comparePast(bench: Bench, step: Step, node: Node): Promise<Failure[]> {
  return await eachItem(node, async (item) => {
    const at = entryOf(item, "at")?.value;
    const access = entryOf(item, "access")?.value;
    if (!at || !access) return [];
    const text = withVariables(String(plain(at)), bench.match.vars);
    const then = bench.past.get(readMoment(text, bench.match.zone) ?? NaN);
    if (!then) throw new CannotDo(`no step above moves the clock from ${text} on`);
    const look = (id: string) => Promise.resolve(then.get(id) ?? []);
    return await each(
      bench,
      access,
      (entry) => compareAccess(bench, step, entry, look, ` at ${text}`),
    );
  });
}

/** Something that was bought, by the name that a step gave it. */
async function compareBought(bench: Bench, step: Step, { key, value }: Entry): Promise<Failure[]> {
  const id = idOf(bench, key);
  const once = id.startsWith("purc");
  const now = await bench.read<{ readonly [key: string]: Json }>({
    method: "GET",
    path: once ? path`/purchases/${id}` : path`/subscriptions/${id}`,
  });
  const found = differences(now, value, bench.match);
  if (found.length === 0) return [];
  const last = bench.seen.findLast(({ fields }) =>
    Object.values(fields).some((one) =>
      one === now.store_subscription_identifier || one === now.store_purchase_identifier
    )
  );
  const because = [
    ...once ? [] : [tellSubscription(bench, now)],
    ...last ? [`The last event: ${tellEvent(bench, last)}`] : [],
  ];
  return failuresFrom(
    step,
    found,
    `${once ? "The purchase" : "The subscription"} ${key} differs`,
    because,
  );
}

/** A list of what a customer has. */
async function compareList(
  bench: Bench,
  step: Step,
  { key, value }: Entry,
  what: "invoices",
): Promise<Failure[]> {
  const items = await readAll<Json>(bench.stage, path`/customers/${key}/${what}`);
  return failuresFrom(
    step,
    differences(items, value, bench.match),
    `The ${what} of ${key} differ`,
    [],
  );
}

/** What a customer has of virtual currencies. One that a customer never had counts as 0. */
async function compareBalances(
  bench: Bench,
  step: Step,
  { key, value }: Entry,
): Promise<Failure[]> {
  const items = await readAll<{ currency_code: string; balance: number }>(
    bench.stage,
    path`/_sim/projects/${bench.stage.project}/customers/${key}/currencies`,
  );
  const balances = Object.fromEntries(
    items.map(({ currency_code, balance }) => [currency_code, balance]),
  );
  const found = differences(balances, value, bench.match);
  const coins = bench.seen.filter(({ type, fields }) =>
    type === "VIRTUAL_CURRENCY_TRANSACTION" && fields.app_user_id === key
  );
  const because = coins.slice(-5).map((event) => tellEvent(bench, event));
  return failuresFrom(step, found, `The balances of ${key} differ`, because);
}

/** The attributes of a customer. */
async function compareAttributes(
  bench: Bench,
  step: Step,
  { key, value }: Entry,
): Promise<Failure[]> {
  const items = await readAll<{ name: string; value: string }>(
    bench.stage,
    path`/customers/${key}/attributes`,
  );
  const attributes = Object.fromEntries(items.map(({ name, value }) => [name, value]));
  return failuresFrom(
    step,
    differences(attributes, value, bench.match),
    `The attributes of ${key} differ`,
    [],
  );
}

/** Headline numbers. */
async function compareMetrics(bench: Bench, step: Step, node: Node): Promise<Failure[]> {
  const { metrics } = await bench.read<{ metrics: { id: string; value: number }[] }>({
    method: "GET",
    path: path`/metrics/overview`,
  });
  const numbers = Object.fromEntries(metrics.map(({ id, value }) => [id, value]));
  return failuresFrom(step, differences(numbers, node, bench.match), "The metrics differ", []);
}

/** The answer of a chart. */
async function compareChart(bench: Bench, step: Step, item: Node): Promise<Failure[]> {
  const { vars } = bench.match;
  const name = String(plainWith(entryOf(item, "name")?.value ?? item, vars));
  const query = entryOf(item, "query")?.value;
  const expected = entryOf(item, "answer")?.value;
  if (!expected) return [];
  const given = query ? plainWith(query, vars) : {};
  const answer = await bench.read<Json>({
    method: "GET",
    path: path`/charts/${name}`,
    query: Object.fromEntries(
      Object.entries(given ?? {}).map(([key]) => [key, fieldOf(given, key)]),
    ),
  });
  return failuresFrom(
    step,
    differences(answer, expected, bench.match),
    `The chart ${name} differs`,
    [],
  );
}
