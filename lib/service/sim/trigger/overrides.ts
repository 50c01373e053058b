/**
 * The overrides of a recipe: values for the fields of its steps.
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

/** Values by `step.field`. A text is parsed as a date or JSON if its field accepts no text. */
export type Overrides = Readonly<Record<string, unknown>>;

/** The fields of the steps, by the step's name. */
const FIELDS: ReadonlyMap<string, Readonly<Record<string, z.ZodType>>> = new Map([
  ["purchase", fieldsOf(newPurchase)],
  ["transfer", fieldsOf(transferBody)],
  ...Object.entries<Deed>(DEEDS).map(([name, { body }]) => [name, fieldsOf(body)] as const),
]);

/** Refuses an override of a field that a recipe does not have. */
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

/** The overrides of a step, in the types of its fields. */
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

/** Runs a step. An error of an override names it in its original spelling. */
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

/** The JSON value of a text, for a field that accepts no text. */
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

/** Whether a field is a time. */
function isMoment(field: z.ZodType | undefined): boolean {
  return field === moment || field instanceof z.ZodOptional && field.unwrap() === moment;
}

const date = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** A time in milliseconds, from any spelling. A day starts in UTC. */
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
