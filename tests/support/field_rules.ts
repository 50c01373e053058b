/**
 * What holds for every field of its kind, as requests: one that is missing, null, of another kind,
 * too short, as short as it may be, as long as it may be, too long.
 *
 * @module
 */

import { deepEqual, equal } from "node:assert/strict";
import { type Api, badField, checkRefusal } from "./api.ts";

/** What a field takes. */
export interface FieldRule {
  /** The field, dotted where nested. */
  field: string;
  /** Text of this length, in characters. */
  text?: [least: number, most: number];
  /** One of these. */
  oneOf?: readonly string[];
  /** A whole number in this range. */
  whole?: [least: number, most: number];
  /** True or false. */
  truth?: true;
  /** Whether it must be there. */
  required?: true;
  /** Whether it may be null. */
  nullable?: true;
  /** What null shows afterwards, where that is not null. */
  cleared?: unknown;
  /** Whether the answer keeps it to itself. */
  hidden?: true;
  /** Characters that it may consist of besides letters. Default: an emoji. */
  filler?: string;
}

/** One value in a field, and what must come of it. */
interface Case {
  /** The value; undefined leaves the field out. */
  value: unknown;
  /** What the message must say; undefined if the value is accepted. */
  refusal: RegExp | undefined;
}

/** The route whose fields are checked. */
export interface FieldTarget {
  /** The path to post to. */
  path: string;
  /** A body that is accepted. Called anew for each request, so that its names can be. */
  body(): Record<string, unknown>;
}

/** Posts a body for every case of every rule, and one with an unknown field at each level. */
export async function checkFields(
  api: Api,
  { path, body }: FieldTarget,
  rules: readonly FieldRule[],
): Promise<void> {
  for (const rule of rules) {
    for (const { value, refusal } of casesOf(rule)) {
      const sent = changed(body(), rule.field.split("."), value);
      const answer = await api.send("POST", path, sent);
      const what = `POST ${path} ${rule.field}=${String(JSON.stringify(value)).slice(0, 60)}`;
      if (refusal) {
        checkRefusal(answer, badField(rule.field, refusal), what);
        continue;
      }
      equal(answer.status < 300, true, `${what}: ${answer.status} ${answer.body.message}`);
      if (value !== undefined && !rule.hidden) {
        const shown = value === null ? rule.cleared ?? null : value;
        deepEqual(valueIn(answer.body, rule.field.split(".")), shown, what);
      }
    }
  }
  for (const prefix of new Set(rules.map(({ field }) => field.split(".").slice(0, -1).join(".")))) {
    for (const name of ["surprise", "id", "toString"]) {
      const field = prefix === "" ? name : `${prefix}.${name}`;
      const sent = changed(body(), field.split("."), 1);
      await api.refused(badField(field, /is not a known field$/), "POST", path, sent);
    }
  }
}

/** The cases of a rule. */
function casesOf(rule: FieldRule): Case[] {
  const { field, text, oneOf, whole } = rule;
  const absent = {
    value: undefined,
    refusal: rule.required && says(field, "is a required property"),
  };
  if (text) {
    return [absent, ...textCases(rule, text)];
  }
  if (oneOf) {
    const must = oneOf.length === 1 ? `must be ${oneOf[0]}` : `must be one of ${oneOf.join(", ")}`;
    return [
      absent,
      ...[...oneOf, ...nullIf(rule)].map((value) => ({ value, refusal: undefined })),
      ...[`${oneOf[0]} `, "", 1, [], ...nullUnless(rule)]
        .map((value) => ({ value, refusal: says(field, must) })),
    ];
  }
  if (whole) {
    const must = says(field, `must be a whole number from ${whole[0]} to ${whole[1]}`);
    return [
      absent,
      ...[...whole, ...nullIf(rule)].map((value) => ({ value, refusal: undefined })),
      ...[whole[0] - 1, whole[1] + 1, 1.5, "1", true, ...nullUnless(rule)]
        .map((value) => ({ value, refusal: must })),
    ];
  }
  const must = says(field, "must be true or false");
  return [
    absent,
    ...[true, false, ...nullIf(rule)].map((value) => ({ value, refusal: undefined })),
    ...["true", 1, {}, ...nullUnless(rule)].map((value) => ({ value, refusal: must })),
  ];
}

let made = 0;

/** The cases of a text. Each accepted value is a new one, as names have to be. */
function textCases(rule: FieldRule, [least, most]: [number, number]): Case[] {
  const { field, filler = "😀" } = rule;
  const size = least === most ? `exactly ${most}` : `${least} to ${most}`;
  const tooLong = says(field, `must have ${size} characters`);
  const noText = says(field, "must be text");
  const of = (length: number, fill: string) => {
    const unique = length < 4 ? "" : String(made++);
    return unique + fill.repeat(length - unique.length);
  };
  return [
    ...[of(most, "x"), of(most, filler), of(least, "y")]
      .map((value) => ({ value, refusal: undefined })),
    ...[of(most + 1, "x"), of(most + 1, filler), of(least - 1, "y")]
      .map((value) => ({ value, refusal: tooLong })),
    ...nullIf(rule).map((value) => ({ value, refusal: undefined })),
    ...[7, true, ["x"], { x: 1 }, ...nullUnless(rule)]
      .map((value) => ({ value, refusal: noText })),
  ];
}

function nullIf(rule: FieldRule): null[] {
  return rule.nullable ? [null] : [];
}

function nullUnless(rule: FieldRule): null[] {
  return rule.nullable ? [] : [null];
}

/** What a message about a field must be. */
function says(field: string, rule: string): RegExp {
  return new RegExp(`^'${RegExp.escape(field)}' ${RegExp.escape(rule)}$`);
}

/** A body with one value changed, or left out. */
function changed(
  body: Record<string, unknown>,
  [name = "", ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  if (rest.length > 0) {
    const inner = body[name];
    const object = typeof inner === "object" && inner !== null ? { ...inner } : {};
    return { ...body, [name]: changed(object, rest, value) };
  }
  const { [name]: _, ...others } = body;
  return value === undefined ? others : { ...others, [name]: value };
}

/** The value that a path leads to. */
function valueIn(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (object, name) =>
      Object.entries(typeof object === "object" && object !== null ? object : {})
        .find(([key]) => key === name)?.[1],
    value,
  );
}
