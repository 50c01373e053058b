/**
 * A recording as the text of a scenario file.
 *
 * @module
 */

import { DEEDS } from "../deeds/mod.ts";
import type { Action } from "../file/scenario.ts";
import { isoMoment } from "../values/times.ts";
import type { Json } from "../values/tree.ts";
import { flow } from "../file/update.ts";
import type { PlayedEvent, RecordedStep, Reel } from "./reel.ts";

/** The text of a recording. */
export function textOf(reel: Reel, notes: readonly string[]): string {
  const { history: { customers }, sold, bench: { scenario: { start } } } = reel;
  const [first] = customers;
  const steps = joinRenewals(reel.steps);
  const used = new Set(steps.flatMap(({ action }) => namesIn(action)));
  const several = customers.length > 1;
  let access = "";
  const written = steps.map((step, i) => {
    const now = JSON.stringify(step.access);
    const isNew = now !== access || i === steps.length - 1;
    access = now;
    return stepText(step, { used, several, access: isNew });
  });
  return [
    "# yaml-language-server: $schema=./scenario.schema.json",
    "# Recorded with: cli scenario record",
    ...comments(notes, ""),
    `name: ${flow(nameOf(first?.id ?? ""))}`,
    "start:",
    `  at: ${isoMoment(start.at)}`,
    ...catalogueText(sold.value),
    "steps:",
    ...written,
    "",
  ].join("\n");
}

/** The longest id of a customer in the name of a recording, in characters. */
const LONGEST_NAMED = 100;

/** The name of the recording of a customer. */
function nameOf(customer: string): string {
  const characters = [...customer];
  const shown = characters.length <= LONGEST_NAMED
    ? customer
    : `${characters.slice(0, LONGEST_NAMED).join("")}…`;
  return `What happened to ${shown}`;
}

/** A catalogue with one line for each product. */
function catalogueText(value: Json): string[] {
  const lines = ["  catalogue:"];
  for (const [key, inner] of Object.entries(value ?? {})) {
    if (key !== "products") lines.push(`    ${key}: ${flow(inner)}`);
    else if (Object.keys(inner).length === 0) lines.push("    products: {}");
    else {
      lines.push("    products:");
      for (const [name, terms] of Object.entries<Json>(inner)) {
        lines.push(`      ${flow(name)}: ${flow(terms)}`);
      }
    }
  }
  return lines;
}

/** The names that a step uses. */
function namesIn(action: Action | undefined): string[] {
  if (!action || !("deed" in action)) return [];
  const { subscription, of } = action.values;
  return [subscription, of].flatMap((name) => typeof name === "string" ? [name] : []);
}

/** Steps in which one move of the clock stands for several that bring only renewals. */
function joinRenewals(steps: readonly RecordedStep[]): RecordedStep[] {
  const kept: RecordedStep[] = [];
  for (const step of steps) {
    const last = kept.at(-1);
    const joins = last && isRenewal(last) && isRenewal(step) && step.notes.length === 0 &&
      JSON.stringify(last.access) === JSON.stringify(step.access);
    if (!joins) kept.push(step);
    else {
      const { events, notes } = last;
      kept[kept.length - 1] = { ...step, events: [...events, ...step.events], notes };
    }
  }
  return kept;
}

function isRenewal({ action, events }: RecordedStep): boolean {
  return action !== undefined && "to" in action &&
    events.every(({ played }) => played.type === "RENEWAL");
}

/** One step of the file. */
function stepText(
  step: RecordedStep,
  { used, several, access }: { used: ReadonlySet<string>; several: boolean; access: boolean },
): string {
  const { action, events, notes } = step;
  const lines = comments(notes, "  ");
  const begin = action === undefined ? "expect:" : actionText(action);
  lines.push(`  - ${begin}`);
  if (action && "as" in action && action.as !== undefined && used.has(action.as)) {
    lines.push(`    as: ${action.as}`);
  }
  if (action !== undefined) lines.push("    expect:");
  lines.push(...eventsText(events, several));
  if (access) lines.push(`      access: ${flow(accessOf(step))}`);
  return lines.join("\n");
}

function accessOf({ access }: RecordedStep): Json {
  return Object.fromEntries(Object.entries(access).map(([id, keys]) => [id, [...keys]]));
}

/** Comments, each on one line. */
function comments(notes: readonly string[], indent: string): string[] {
  return notes.map((note) => `${indent}# ${note.replace(/[\p{Cc}\u2028\u2029]/gu, " ")}`);
}

/** What a step does, on one line. */
function actionText(action: Action): string {
  if ("to" in action) return `to: ${isoMoment(action.to)}`;
  if ("by" in action) return `advance: ${action.by}`;
  const { deed, values } = action;
  const { short } = DEEDS[deed] ?? {};
  const shown = Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, valueText(field, value)]),
  );
  const only = short !== undefined && Object.keys(shown).length === 1 ? shown[short] : undefined;
  return `${deed}: ${flow(only ?? shown)}`;
}

/** A value as a file has it. */
function valueText(field: string, value: Json): Json {
  if (field === "until" && typeof value === "number") return isoMoment(value);
  return field === "grace" && value === null ? "none" : value;
}

/** The expected events, on one line if it is short enough. */
function eventsText(events: readonly PlayedEvent[], several: boolean): string[] {
  const shown = events.map((event) => eventOf(event, several));
  const line = `      events: ${flow(shown)}`;
  if (line.length <= LONGEST_LINE) return [line];
  return ["      events:", ...shown.map((one) => `        - ${flow(one)}`)];
}

/** The longest line of events, in characters. */
const LONGEST_LINE = 100;

/** The fields that an expected event shows. */
const TOLD: readonly string[] = [
  ...["product_id", "new_product_id", "period_type", "price", "is_family_share"],
  ...["cancel_reason", "expiration_reason", "is_trial_conversion", "store"],
  ...["transferred_from", "transferred_to", "source"],
];

/** Values of these fields that are not shown. */
const USUAL: Readonly<Record<string, Json>> = {
  period_type: "NORMAL",
  price: 0,
  is_family_share: false,
  is_trial_conversion: false,
};

/** The event that is expected: its type, and fields that were recorded and are the same when played. */
function eventOf({ played, recorded }: PlayedEvent, several: boolean): Json {
  const told = Object.entries(played.fields).filter(([name, value]) => {
    if (!TOLD.includes(name) && !(several && name === "app_user_id")) return false;
    if (name === "store" && value !== "PROMOTIONAL") return false;
    if (value === null || USUAL[name] === value) return false;
    return JSON.stringify(recorded?.fields[name]) === JSON.stringify(value);
  });
  return told.length === 0 ? played.type : { type: played.type, ...Object.fromEntries(told) };
}
