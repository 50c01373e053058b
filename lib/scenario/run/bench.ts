/**
 * What a running scenario knows: what was made, what has happened, what the service says now.
 *
 * @module
 */

import { cursorAfter, LARGEST_PAGE, type Page } from "../../page.ts";
import { type Path, path } from "../../path.ts";
import { CannotDo } from "../deeds/cannot_do.ts";
import type { DeedRequest } from "../deeds/deed.ts";
import type { MatchContext } from "../file/match.ts";
import { openSearcher } from "../file/regular.ts";
import type { Scenario } from "../file/scenario.ts";
import type { Refused, Stage } from "./stage.ts";
import type { Json } from "../values/tree.ts";

/** An event, with the step that it came with. */
export interface SeenEvent {
  /** Its id. */
  readonly id: string;
  /** Its type. */
  readonly type: string;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** Its fields, as they are delivered. */
  readonly fields: { readonly [key: string]: Json };
  /** The number of the step that it came with; 0 for before the first. */
  readonly step: number;
}

/** A webhook that deliveries go to. */
export interface Hook {
  /** Its id at the service; undefined while events wait. */
  readonly id: string | undefined;
  /** Its address. */
  readonly url: string;
  /** Sent as `Authorization`. */
  readonly authorization_header: string | undefined;
  /** What deliveries are signed with. */
  readonly secret: string;
  /** The types that are delivered. Default: all. */
  readonly event_types: readonly string[] | undefined;
}

/** The events that wait until a step delivers them. */
interface Held {
  /** How many events there were before. */
  readonly from: number;
  /** The ids of those that steps have delivered. */
  readonly delivered: Set<string>;
}

/** A running scenario. */
export interface Bench {
  /** The scenario. */
  readonly scenario: Scenario;
  /** Where it runs. */
  readonly stage: Stage;
  /** What steps made, by their names. */
  readonly made: Map<string, { readonly [key: string]: Json }>;
  /** All events so far. */
  readonly seen: SeenEvent[];
  /** How many of them happened before the story. */
  before: number;
  /** How many of them the last check has used up. */
  checked: number;
  /** The entitlements of customers at past moments. */
  readonly past: Map<number, Map<string, readonly string[]>>;
  /** The events that the webhook did not take, as far as a failure says so. */
  readonly undelivered: Set<string>;
  /** The webhook that deliveries go to, if there is one. */
  webhook: Hook | undefined;
  /** Whether a failure says that there is no webhook. */
  lacksWebhook: boolean;
  /** The events that wait, while a step holds them. */
  held: Held | undefined;
  /** How many deliveries the steps have made. */
  madeUp: number;
  /** How matchers look things up. */
  readonly match: MatchContext;
  /** Reads something of the service. */
  read<T>(request: DeedRequest): Promise<T>;
}

/** Prepares a run. */
export async function createBench(
  scenario: Scenario,
  stage: Stage,
  { vars, webhook }: { vars: Readonly<Record<string, string>>; webhook: Hook | undefined },
): Promise<Bench> {
  const made: Bench["made"] = new Map();
  return {
    scenario,
    stage,
    made,
    seen: [],
    before: 0,
    checked: 0,
    past: new Map(),
    undelivered: new Set(),
    webhook,
    lacksWebhook: false,
    held: undefined,
    madeUp: 0,
    match: {
      vars,
      zone: scenario.start.zone,
      searcher: await openSearcher(),
      value(reference) {
        const [name = "", ...fields] = reference.split(".");
        let value: Json | undefined = made.get(name);
        for (const field of fields) value = fieldOf(value, field);
        return value;
      },
    },
    read: (request) => readFrom(stage, request),
  };
}

/** Reads something of the service that is there. */
export async function readFrom<T>(stage: Stage, request: DeedRequest): Promise<T> {
  const answer = await stage.send(request);
  if ("refused" in answer) throw new CannotDo(answer.refused.message);
  // The caller names the type of what the service's own contract says.
  return answer.done as T;
}

/** A field of a value, if it has it. */
export function fieldOf(value: Json | undefined, field: string): Json | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return value[Number(field)];
  return Object.hasOwn(value, field)
    ? (value as { readonly [key: string]: Json })[field]
    : undefined;
}

/** An event, by its number in the story. */
export function eventAt({ seen, before }: Bench, number: number): SeenEvent {
  const event = seen[before + number - 1];
  if (event) return event;
  throw new CannotDo(`there is no event ${number}; events so far: ${seen.length - before}`);
}

/** The id of what a name stands for. */
export function idOf({ made }: Bench, name: Json | undefined): string {
  const id = made.get(String(name))?.id;
  if (typeof id === "string") return id;
  throw new CannotDo(`the step that makes ${JSON.stringify(name)} failed`);
}

/** The time of the project, in milliseconds since 1970. */
export async function timeOf({ stage, read }: Pick<Bench, "stage" | "read">): Promise<number> {
  const place = path`/_sim/projects/${stage.project}/clock`;
  return (await read<{ now: number }>({ method: "GET", path: place })).now;
}

/** An event of a list. */
interface ListedEvent {
  /** Its id. */
  id: string;
  /** Its type. */
  type: string;
  /** When it happened, in milliseconds since 1970. */
  created_at: number;
  /** What is delivered. */
  delivery: { event: Json };
}

/** Looks for events that have happened since. */
export async function followEvents(bench: Bench, step: number): Promise<void> {
  const { seen, stage, read } = bench;
  for (;;) {
    const last = seen.at(-1)?.id;
    const { items, next_page } = await read<Page<ListedEvent>>({
      method: "GET",
      path: path`/_sim/projects/${stage.project}/events`,
      query: { limit: LARGEST_PAGE, starting_after: last },
    });
    for (const { id, type, created_at, delivery: { event } } of items) {
      const fields = typeof event === "object" && event !== null && !Array.isArray(event)
        ? event as { readonly [key: string]: Json }
        : {};
      seen.push({ id, type, at: created_at, fields, step });
    }
    if (next_page === null || items.length === 0) return;
  }
}

/** All items of a list of the service, page by page, or its refusal. */
export async function listAll<T>(
  stage: Pick<Stage, "send">,
  place: Path,
): Promise<{ readonly items: T[] } | { readonly refused: Refused }> {
  const items: T[] = [];
  let starting_after: string | undefined;
  do {
    const query = { limit: LARGEST_PAGE, starting_after };
    const answer = await stage.send({ method: "GET", path: place, query });
    if ("refused" in answer) return answer;
    // The caller names the type of what the service's own contract says.
    const page = answer.done as unknown as Page<T>;
    items.push(...page.items);
    starting_after = cursorAfter(page);
  } while (starting_after !== undefined);
  return { items };
}

/** All items of a list that is there. */
export async function readAll<T>(stage: Pick<Stage, "send">, place: Path): Promise<T[]> {
  const list = await listAll<T>(stage, place);
  if ("refused" in list) throw new CannotDo(list.refused.message);
  return list.items;
}

/** The lookup keys of the entitlements that a customer has now, in order of the alphabet. */
export async function accessOf(
  { stage }: Pick<Bench, "stage">,
  customer: string,
): Promise<string[]> {
  const place = path`/customers/${customer}/active_entitlements`;
  const active = await listAll<{ entitlement_id: string }>(stage, place);
  if ("refused" in active) {
    if (active.refused.status === 404) return [];
    throw new CannotDo(active.refused.message);
  }
  if (active.items.length === 0) return [];
  const all = await readAll<{ id: string; lookup_key: string }>(stage, path`/entitlements`);
  const keys = new Map(all.map(({ id, lookup_key }) => [id, lookup_key]));
  return active.items.map(({ entitlement_id }) => keys.get(entitlement_id) ?? entitlement_id)
    .sort();
}
