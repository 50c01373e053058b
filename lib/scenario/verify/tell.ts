/**
 * Telling a fault of a handler: in sentences, and as a scenario file that reproduces it.
 *
 * @module
 */

import { flow } from "../file/update.ts";
import type { Json } from "../file/tree.ts";
import { CATALOGUE } from "../stories/catalogue.ts";
import type { Trick } from "./life.ts";
import { type LifeEvent, NAMES } from "./play.ts";
import { forgedType, NEW_FIELDS, NEW_TYPE, type Parcel } from "./rounds.ts";
import type { Found } from "./search.ts";

/** What is special about a delivery, for people. */
const SPECIAL: Readonly<Record<NonNullable<Parcel["trick"]>, string>> = {
  again: "delivered again",
  unknown_type: "a type that is not known",
  unknown_field: "with fields that are not known",
  wrong_signature: "with a wrong signature",
  old_signature: "with a signature of an hour ago",
  swapped: "before an earlier event of the other customer",
  pause: "after a pause, side by side with the other customer's",
};

/** The deliveries, one line each. */
export function tellParcels({ complaint, played }: Found): string[] {
  return complaint.parcels.map(({ type, trick, body }, i) => {
    const who = played.customers.findIndex((id) => body.includes(JSON.stringify(id)));
    const name = NAMES[who];
    const tests = body.includes('"SANDBOX"') ? " in the sandbox" : "";
    const about = name === undefined ? "" : ` for ${name}${tests}`;
    return `${i + 1}. ${type}${about}${trick === undefined ? "" : `, ${SPECIAL[trick]}`}`;
  });
}

/** The fault in one sentence. */
export function tellFault(found: Found): string {
  const { complaint, played } = found;
  const { kind, parcels, customer = "", expected } = complaint;
  if (kind !== "state") return capital(complaint.message);
  const name = NAMES[played.customers.indexOf(customer)] ?? customer;
  const effect = expected ? `takes ${name}'s access away` : `leaves ${name} with access`;
  const last = parcels.findLast(({ trick }) => trick !== undefined && trick !== "unknown_type");
  if (last?.trick === "again") {
    const before = parcels[parcels.indexOf(last) - 1]?.type ?? "";
    const after = before === last.type ? "twice" : `again after ${before}`;
    return `${last.type} delivered ${after} ${effect}`;
  }
  if (last?.trick) return `${last.type} ${SPECIAL[last.trick]} ${effect}`;
  const tests = parcels.some(({ body }) => body.includes('"SANDBOX"')) ? ", in the sandbox" : "";
  const types = parcels.filter(({ trick }) => trick === undefined).map(({ type }) => type);
  return `${types.join(", ")}, delivered in order, ${effect}${tests}`;
}

/** What a scenario file needs to know of the handler. */
interface Reproduction {
  /** The address of the state, with `{customer}` in it. */
  readonly state: string;
  /** The path of the answer's field, such as `.pro`. */
  readonly path: string;
  /** The command that found the fault. */
  readonly command: string;
}

/** A scenario file that reproduces a fault. */
export function scenarioOf(found: Found, { state, path, command }: Reproduction): string {
  const { played, life: { tricks }, complaint } = found;
  const count = Math.max(1, played.events.length);
  let done = 0;
  const steps = played.steps.flatMap(({ text, events }) => {
    const lines = [`  - ${text}`];
    for (; done < events; done++) {
      const here = tricks.filter(({ after }) => after % count === done);
      lines.push(...here.map((trick) => stepOf(trick, done, played.events)));
    }
    return lines;
  });
  const checks = played.customers.map((customer, i) => {
    const entitlements = played.truth.get(customer) ?? [];
    const id = (played.told[i] === customer ? played.names : played.signed)[i] ?? "";
    const url = state.replaceAll("{customer}", encodeURIComponent(id));
    const value = nested(path, entitlements.includes(path.split(".").at(-1) ?? ""));
    return `        - { get: ${flow(url)}, json: ${flow(value)} }`;
  });
  const inline = CATALOGUE.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return [
    `# Found with: ${command}`,
    `name: ${flow(complaint.kind === "state" ? tellFault(found) : capital(complaint.message))}`,
    "start:",
    "  at: 2026-01-31",
    "  catalogue:",
    ...inline.map((line) => `    ${line}`),
    "steps:",
    ...played.names.map((name) => `  - customer: ${flow(name)}`),
    ...steps,
    "  - expect:",
    "      handler:",
    ...checks,
    "",
  ].join("\n");
}

/** The step of a file that makes a delivery. */
function stepOf({ what, of }: Trick, done: number, events: readonly LifeEvent[]): string {
  const number = of % (done + 1) + 1;
  const type = forgedType(events[number - 1]?.type ?? "");
  switch (what) {
    case "again":
      return `  - resend: ${number}`;
    case "unknown_type":
      return `  - deliver: { event: ${number}, type: ${NEW_TYPE} }`;
    case "unknown_field":
      return `  - deliver: { event: ${done + 1}, fields: ${flow(NEW_FIELDS)} }`;
    case "wrong_signature":
      return `  - deliver: { event: ${number}, type: ${type}, signature: wrong }`;
    case "old_signature":
      return `  - deliver: { event: ${number}, type: ${type}, signature: old }`;
    default:
      // A file has no word for an order of deliveries.
      return `  # Here: a delivery ${SPECIAL[what]}.`;
  }
}

/** A map in which a path leads to a value. */
function nested(path: string, value: boolean): Json {
  const keys = path.split(".").filter((key) => key !== "");
  return keys.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
