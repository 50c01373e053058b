/**
 * What of a recipe can be had otherwise: the fields of what its steps send.
 *
 * @module
 */

import { z } from "zod";
import { invalid, Refusal } from "../../contract/errors.ts";
import { moment } from "../fields.ts";
import { newPurchase } from "../purchases.ts";
import { type Deed, DEEDS } from "../subscriptions.ts";
import type { Recipe } from "./recipes.ts";
import { transferBody } from "./steps.ts";

/** Values by `step.field`. A text is read as a date or JSON where its field takes that and no text. */
export type Overrides = Readonly<Record<string, unknown>>;

/** The fields of what a step sends, by its name. */
const FIELDS: ReadonlyMap<string, Readonly<Record<string, z.ZodType>>> = new Map([
  ["purchase", fieldsOf(newPurchase)],
  ["transfer", fieldsOf(transferBody)],
  ...Object.entries<Deed>(DEEDS).map(([name, { body }]) => [name, fieldsOf(body)] as const),
]);

/** Refuses an override of what a recipe does not send. */
export function checkOverrides(type: string, recipe: Recipe, overrides: Overrides): void {
  const steps = [
    ...recipe.product === "none" ? [] : ["purchase"],
    ...recipe.transfers ? ["transfer"] : [],
    ...recipe.steps.map(({ name }) => name),
  ];
  const known = steps.flatMap((step) =>
    Object.keys(FIELDS.get(step) ?? {}).map((field) => `${step}.${field}`)
  ).filter((path) => path !== "purchase.customer_id");
  const wrong = Object.keys(overrides).find((path) => !known.includes(path));
  if (wrong === undefined) return;
  const choice = known.length > 0 ? `there are ${known.join(", ")}` : "there are none";
  throw invalid(
    "overrides",
    `Unknown override ${JSON.stringify(wrong)} of ${type} (an event's fields follow from ` +
      `the steps); ${choice}`,
  );
}

/** What of the overrides is for a step, as its fields take it. */
export function overridesOf(overrides: Overrides, step: string): Record<string, unknown> {
  const prefix = `${step}.`;
  const fields = FIELDS.get(step) ?? {};
  return Object.fromEntries(
    Object.entries(overrides).filter(([path]) => path.startsWith(prefix)).map(([path, value]) => {
      const field = path.slice(prefix.length);
      return [
        field,
        isMoment(fields[field]) ? readMoment(path, value) : readValue(fields[field], value),
      ];
    }),
  );
}

/** Does a step. What is wrong with an override is said of it, as it was written. */
export async function blaming<T>(
  step: string,
  sent: object,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, type, message, details } = error;
    const field = details.param?.split(".")[0] ?? "";
    if (!Object.hasOwn(sent, field)) throw error;
    const param = `${step}.${details.param}`;
    const said = message.replace(`'${details.param}'`, `'${param}'`);
    throw new Refusal(status, type, said, { ...details, param });
  }
}

/** A text that a field does not take as it is, as the JSON that it may be. */
function readValue(field: z.ZodType | undefined, value: unknown): unknown {
  if (typeof value !== "string" || field === undefined || field.safeParse(value).success) {
    return value;
  }
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Whether a field takes a moment. */
function isMoment(field: z.ZodType | undefined): boolean {
  return field === moment || field instanceof z.ZodOptional && field.unwrap() === moment;
}

const date = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** A moment in milliseconds, whichever way it is written. A day begins in UTC. */
function readMoment(path: string, value: unknown): unknown {
  if (typeof value !== "string" || /^\d+$/.test(value)) return readValue(moment, value);
  if (date.safeParse(value).success) return Date.parse(value);
  const rule = "must be a date such as 2030-01-31, a time such as 2030-01-31T12:00:00Z, or " +
    "milliseconds since 1970";
  throw invalid(path, `'${path}' ${rule}`);
}

function fieldsOf(body: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> {
  return body instanceof z.ZodObject ? body.shape : {};
}
