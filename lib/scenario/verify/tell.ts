/**
 * Telling a fault of a handler: in sentences, and as a scenario file that reproduces it.
 *
 * @module
 */

import { flow } from "../file/update.ts";
import type { Json } from "../values/tree.ts";
import { CATALOGUE } from "../stories/catalogue.ts";
import { PLAIN } from "../deeds/made_up.ts";
import { NAMES } from "./play.ts";
import { type Parcel, roundsOf } from "./rounds.ts";
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
    const about = name === undefined ? "" : `${ofProduct(body)} for ${name}${tests}`;
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
  const plain = parcels.filter(({ trick }) => trick === undefined);
  // Products make the sentence long; they are left out where all events are of one.
  const several = new Set(plain.map(({ body }) => ofProduct(body))).size > 1;
  const events = plain.map(({ type, body }) => several ? type + ofProduct(body) : type);
  return `${events.join(", then ")}: the handler ${effect}${tests}`;
}

/** ` of notes.pro.monthly`, where an event is about a product. */
function ofProduct(body: string): string {
  const { event } = JSON.parse(body);
  return typeof event?.product_id === "string" ? ` of ${event.product_id}` : "";
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
  const { played, complaint } = found;
  const checks = played.customers.map((customer, i) => {
    const entitlements = played.truth.get(customer) ?? [];
    const id = (played.told[i] === customer ? played.names : played.signed)[i] ?? "";
    const get = flow(state.replaceAll("{customer}", encodeURIComponent(id)));
    const has = entitlements.includes(path.split(".").at(-1) ?? "");
    // A handler need not know somebody who has no access.
    const more = has ? "" : "or_missing: true, ";
    return `        - { get: ${get}, json: ${
      flow(nested(path, has))
    }, ${more}within_s: ${WITHIN_S} }`;
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
    "  - hold:",
    ...played.steps.map((step) => `  - ${step}`),
    ...deliveriesOf(found).map((step) => `  - deliver: ${step}`),
    "  - expect:",
    "      handler:",
    ...checks,
    "",
  ].join("\n");
}

/** How long a handler may take to get to its state in a file, in seconds. */
const WITHIN_S = 1;

/** What the steps of a file deliver: the same deliveries in the same order as those of the life. */
function deliveriesOf({ played, life: { tricks } }: Found): string[] {
  const steps: string[] = [];
  let inOrder: number[] = [];
  const end = () => {
    if (inOrder.length > 0) steps.push(flow(inOrder));
    inOrder = [];
  };
  for (const lanes of roundsOf(played, tricks)) {
    const [first = []] = lanes;
    if (lanes.length > 1) {
      end();
      steps.push(flow(lanes.map((lane) => lane.map(({ number }) => number))));
    } else {
      for (const { number, made } of first) {
        if (made === PLAIN) inOrder.push(number);
        else {
          end();
          const { signed, type, fields, body } = made;
          const more: Json = { ...type && { type }, ...fields && { fields }, ...body && { body } };
          steps.push(
            flow({ event: number, ...more, ...signed !== "right" && { signature: signed } }),
          );
        }
      }
    }
  }
  end();
  return steps;
}

/** A map in which a path leads to a value. */
function nested(path: string, value: boolean): Json {
  const keys = path.split(".").filter((key) => key !== "");
  return keys.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
