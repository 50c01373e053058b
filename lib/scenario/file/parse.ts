/**
 * From the text of a file to a scenario, or to everything that is wrong with it.
 *
 * @module
 */

import { type Catalogue, namesIn, readCatalogue } from "./catalogue.ts";
import { SENT_EVENT_TYPES } from "../../event_types.ts";
import {
  checkWords,
  complain,
  type Field,
  filled,
  type Kind,
  moment,
  readFields,
  type Scope,
  secret,
  text,
} from "../values/kinds.ts";
import { readSteps } from "./parse_steps.ts";
import { didYouMean } from "../../spelling.ts";
import { openSearcher } from "./regular.ts";
import { readTree } from "./read.ts";
import type { Scenario, Start, StartData, Webhook } from "./scenario.ts";
import { isZone } from "../values/times.ts";
import { entryOf, kindOf, type MapNode, type Node, type Problem } from "../values/tree.ts";

/** What reading a scenario needs. */
interface ParseOptions {
  /** The values of `${NAME}`. */
  readonly vars: Readonly<Record<string, string>>;
  /**
   * Reads a file that the scenario names.
   *
   * @throws {ToolkitError} when it cannot be read, or is not below the scenario's folder.
   */
  readFile(path: string): Promise<string>;
  /**
   * Finds a snapshot or backup that the scenario names. Without it no scenario begins with one.
   *
   * @throws {ToolkitError} when it cannot be used, or is not below the scenario's folder.
   */
  findData?(from: string): Promise<StartData>;
}

/** A file that was read: a scenario, unless there are problems. */
interface Parsed {
  /** The scenario, if the file is right. */
  readonly scenario: Scenario | undefined;
  /** Everything that is wrong with the file. */
  readonly problems: readonly Problem[];
}

/** When a scenario begins that does not say so: a day in the past on which nothing special is. */
const USUAL_START = Date.UTC(2026, 0, 1);

/** The words at the top of a file. */
const TOP_WORDS = ["name", "start", "steps"];

/** The words of `start`. */
const START_WORDS = ["at", "from", "time_zone", "catalogue", "webhook"];

/** The fields of `start.webhook`. */
export const WEBHOOK: Readonly<Record<string, Field>> = {
  url: { brief: "Where events are delivered (default: --webhook)", kind: text(2000) },
  authorization: { brief: "Sent as Authorization", kind: text(5000) },
  secret: { brief: "What deliveries are signed with (default: --secret)", kind: secret },
  event_types: { brief: "The types that are delivered (default: all)", kind: typesKind() },
};

/** Reads a scenario. */
export async function parseScenario(source: string, options: ParseOptions): Promise<Parsed> {
  const { root, problems: faults } = await readTree(source);
  const problems = [...faults];
  const names: Scope["names"] = new Map();
  const scope: Scope = {
    vars: options.vars,
    problems,
    names,
    catalogue: undefined,
    once: undefined,
    zone: "UTC",
    searcher: await openSearcher(),
    held: false,
  };
  if (problems.length > 0) return { scenario: undefined, problems };
  if (root?.kind !== "map") {
    complain(
      scope,
      root?.at ?? { line: 1, column: 1 },
      "the file is not a map with start and steps",
    );
    return { scenario: undefined, problems };
  }
  checkWords(root, TOP_WORDS, scope, "a scenario");
  const name = textAt(root, "name", scope) ?? "";
  const start = await readStart(entryOf(root, "start")?.value, root, scope, options);
  const steps = readSteps(entryOf(root, "steps")?.value, root, scope);
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  if (problems.length > 0) return { scenario: undefined, problems };
  return { scenario: { name, start, steps }, problems };
}

function textAt(node: MapNode, key: string, scope: Scope): string | undefined {
  const entry = entryOf(node, key);
  const read = entry && text(200).read(entry.value, scope);
  return typeof read === "string" ? read : undefined;
}

/** Reads `start`. */
async function readStart(
  node: Node | undefined,
  root: MapNode,
  scope: Scope,
  options: ParseOptions,
): Promise<Start> {
  const usual = {
    at: USUAL_START,
    zone: "UTC",
    catalogue: undefined,
    webhook: undefined,
  };
  if (node?.kind !== "map") {
    const at = node?.at ?? root.at;
    complain(
      scope,
      at,
      node ? `"start" is a map, not ${kindOf(node)}` : 'the scenario has no "start"',
    );
    return usual;
  }
  checkWords(node, START_WORDS, scope, '"start"');
  const zone = entryOf(node, "time_zone");
  if (zone) {
    const name = text(100).read(zone.value, scope);
    if (typeof name === "string" && isZone(name)) scope.zone = name;
    else if (typeof name === "string") {
      const what = `${JSON.stringify(name)} is not a time zone such as Europe/London`;
      complain(scope, zone.value.at, what);
    }
  }
  const begin = entryOf(node, "at");
  const at = begin ? moment.read(begin.value, scope) : USUAL_START;
  const data = await readFrom(node, scope, options);
  const catalogue = entryOf(node, "from") ? undefined : await readCatalogueAt(node, scope, options);
  if (catalogue) {
    scope.catalogue = namesIn(catalogue);
    scope.once = Object.entries(catalogue.products)
      .filter(([, { type = "subscription" }]) => type !== "subscription").map(([id]) => id);
  }
  const hook = entryOf(node, "webhook");
  const webhook = hook && readWebhook(hook.value, scope);
  return {
    at: data?.at ?? (typeof at === "number" ? at : USUAL_START),
    zone: scope.zone,
    catalogue,
    data,
    webhook,
  };
}

/** Reads `from`: the data to begin with, which has a time and a catalogue. */
async function readFrom(
  start: MapNode,
  scope: Scope,
  { findData }: ParseOptions,
): Promise<StartData | undefined> {
  const entry = entryOf(start, "from");
  if (!entry) return undefined;
  for (const word of ["at", "catalogue"]) {
    const beside = entryOf(start, word);
    if (beside) complain(scope, beside.at, `"${word}" and "from" exclude each other`);
  }
  const from = text(500).read(entry.value, scope);
  if (typeof from !== "string") return undefined;
  if (!findData) return complain(scope, entry.value.at, "no snapshot can be used here");
  try {
    return await findData(from);
  } catch (error) {
    return complain(scope, entry.value.at, error instanceof Error ? error.message : String(error));
  }
}

/** Reads the catalogue, which may be in a file of its own. */
async function readCatalogueAt(
  start: MapNode,
  scope: Scope,
  { vars, readFile }: ParseOptions,
): Promise<Catalogue | undefined> {
  const entry = entryOf(start, "catalogue");
  if (!entry) {
    complain(scope, start.at, '"start" needs a "catalogue" or "from"');
    return undefined;
  }
  if (entry.value.kind !== "scalar") return readCatalogue(entry.value, scope);
  const file = filled(entry.value, scope);
  if (file === undefined) return undefined;
  try {
    const { root, problems } = await readTree(await readFile(file));
    const inner: Scope = { ...scope, vars, problems: [...problems] };
    const empty = { line: 1, column: 1, message: "the file is empty" };
    const catalogue = root && readCatalogue(root, inner);
    const found = root || problems.length > 0 ? inner.problems : [empty];
    scope.problems.push(...found.map((problem) => ({ ...problem, file })));
    return catalogue;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return complain(scope, entry.value.at, why);
  }
}

function readWebhook(node: Node, scope: Scope): Webhook {
  const read = readFields(node, WEBHOOK, scope, "a webhook");
  const { url, authorization, secret, event_types } = read;
  return {
    url: typeof url === "string" ? url : undefined,
    authorization_header: typeof authorization === "string" ? authorization : undefined,
    secret: typeof secret === "string" ? secret : undefined,
    event_types: Array.isArray(event_types) ? event_types.map(String) : undefined,
  };
}

/** A list of types of events. */
function typesKind(): Kind {
  return {
    what: "a list of types of events",
    schema: { type: "array", items: { enum: SENT_EVENT_TYPES }, minItems: 1 },
    read(node, scope) {
      if (node.kind !== "list" || node.items.length === 0) {
        return complain(scope, node.at, `a list of types is needed here, not ${kindOf(node)}`);
      }
      return node.items.flatMap((item) => {
        const type = text(100).read(item, scope);
        if (typeof type !== "string") return [];
        if (SENT_EVENT_TYPES.includes(type)) return [type];
        const like = didYouMean(type, SENT_EVENT_TYPES);
        complain(scope, item.at, `there is no event of the type ${JSON.stringify(type)}${like}`);
        return [];
      });
    },
  };
}
