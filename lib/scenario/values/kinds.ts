/**
 * The kinds of values in a scenario file: how each is written, checked and described.
 *
 * @module
 */

import { didYouMean } from "../../spelling.ts";
import type { Searcher } from "../file/regular.ts";
import { isVariable, replaceReferences } from "./references.ts";
import { readMoment, readPeriod } from "./times.ts";
import {
  type Json,
  kindOf,
  type MapNode,
  type Node,
  type Position,
  type Problem,
  type ScalarNode,
} from "./tree.ts";

/** What the names in a file stand for. */
export type Made = "subscription" | "purchase";

/** What the rest of a file says, while one value of it is read. */
export interface Scope {
  /** The values of `${NAME}`. */
  readonly vars: Readonly<Record<string, string>>;
  /** What is wrong so far. */
  readonly problems: Problem[];
  /** The names that steps above gave. */
  readonly names: Map<string, Made | undefined>;
  /** What the catalogue holds; undefined where that is known only later. */
  catalogue: Readonly<Record<"product" | "entitlement" | "coins", readonly string[]>> | undefined;
  /** The products that are bought once; undefined where that is known only later. */
  once: readonly string[] | undefined;
  /** The time zone of moments without one. */
  zone: string;
  /** What searches with regular expressions. */
  readonly searcher: Searcher;
  /** Whether events wait at this place for a step `deliver`. */
  held: boolean;
}

/** A kind of value. */
export interface Kind {
  /** The kind in a few words, for messages: "a period such as P1M". */
  readonly what: string;
  /** The kind as JSON schema. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Reads a value. Undefined after a problem. */
  read(node: Node, scope: Scope): Json | undefined;
}

/** A field of a map. */
export interface Field {
  /** What it is, for editors. */
  readonly brief: string;
  /** What it holds. */
  readonly kind: Kind;
  /** Whether it must be there. */
  readonly required?: true;
}

/** The longest id of a customer, in bytes of UTF-8. */
const LONGEST_ID = 1500;

/** Says what is wrong with a value. */
export function complain(scope: Scope, at: Position, message: string, hint?: string): undefined {
  scope.problems.push({ line: at.line, column: at.column, message, hint });
}

/** A text with its variables filled in. */
export function filled(node: ScalarNode, scope: Scope): string | undefined {
  let whole = true;
  const text = replaceReferences(node.text, (name) => {
    const value = isVariable(name) ? scope.vars[name] : undefined;
    if (value !== undefined) return value;
    if (isVariable(name)) complainOfVariable(name, node.at, scope);
    else {
      const reference = JSON.stringify(`\${${name}}`);
      const what = name.includes(".")
        ? `${reference} is a field, and only "expect" can have fields`
        : `${reference} is not a variable such as \${PRICE}`;
      complain(scope, node.at, what, "For the text ${, write $${.");
    }
    whole = false;
    return "";
  });
  return whole ? text : undefined;
}

/** Says that a variable has no value. */
export function complainOfVariable(name: string, at: Position, scope: Scope): void {
  complain(scope, at, `the variable ${name} has no value`, `Pass --var ${name}=VALUE.`);
}

/** A kind that is written as one word, number or text. */
export function word(
  what: string,
  schema: Record<string, unknown>,
  take: (text: string, node: ScalarNode, scope: Scope) => Json | undefined,
): Kind {
  return {
    what,
    schema,
    read(node, scope) {
      if (node.kind !== "scalar" || node.value === null) {
        return complain(scope, node.at, `${what} is needed here, not ${kindOf(node)}`);
      }
      const text = filled(node, scope);
      if (text === undefined) return undefined;
      const before = scope.problems.length;
      const value = take(text, node, scope);
      // It may have said itself what is wrong.
      if (value !== undefined || scope.problems.length > before) return value;
      return complain(scope, node.at, `${JSON.stringify(text)} is not ${what}`);
    },
  };
}

/** A text of at most so many characters. */
export function text(most: number): Kind {
  const schema = { type: ["string", "number"], maxLength: most };
  return word(`a text of at most ${most} characters`, schema, (value, node, scope) => {
    if (!value.isWellFormed()) return complain(scope, node.at, "the text is not valid Unicode");
    const length = countCharacters(value);
    if (length <= most) return value;
    return complain(scope, node.at, `the text has ${length} characters; ${most} are allowed`);
  });
}

/** The number of characters of a text, as the service counts them: an emoji is one. */
function countCharacters(text: string): number {
  return [...text].length;
}

/** A number between two others. */
export function number(min: number, max: number): Kind {
  const schema = { type: "number", minimum: min, maximum: max };
  return word(`a number between ${min} and ${max}`, schema, (value) => {
    const count = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
    return count >= min && count <= max ? count : undefined;
  });
}

/** A whole number between two others. */
export function whole(min: number, max: number): Kind {
  const schema = { type: "integer", minimum: min, maximum: max };
  return word(`a whole number between ${min} and ${max}`, schema, (value) => {
    const count = /^-?\d+$/.test(value) ? Number(value) : NaN;
    return count >= min && count <= max ? count : undefined;
  });
}

/** One of a few words. */
export function oneOf(...words: readonly string[]): Kind {
  return word(`one of ${words.join(", ")}`, { enum: words }, (value, node, scope) => {
    if (words.includes(value)) return value;
    const what = `${JSON.stringify(value)} is not one of ${words.join(", ")}`;
    return complain(scope, node.at, what + didYouMean(value, words));
  });
}

/** `true` or `false`. */
export const truth: Kind = word(
  "true or false",
  { type: "boolean" },
  (value) => value === "true" ? true : value === "false" ? false : undefined,
);

/** A period, such as `P1M` or `30d`. */
export const period: Kind = word("a period such as P1M or 30d", { type: "string" }, periodIn);

/** A period, or `none`. */
export const periodOrNone: Kind = word(
  "a period such as P3D, or none",
  { type: "string" },
  (value) => value === "none" ? null : periodIn(value),
);

/** `true`, `false` or a period. */
export const trial: Kind = word(
  "true, false or a period such as P1W",
  { type: ["boolean", "string"] },
  (value) => value === "true" ? true : value === "false" ? false : periodIn(value),
);

function periodIn(value: string): string | undefined {
  const read = readPeriod(value);
  return "period" in read ? read.period : undefined;
}

/** A moment, such as `2027-01-31` or `2027-01-31T12:00:00Z`. */
export const moment: Kind = word(
  "a moment such as 2027-01-31 or 2027-01-31T12:00:00Z",
  { type: "string" },
  (value, _node, scope) => readMoment(value, scope.zone),
);

/** The id of a customer. */
export const customer: Kind = word(
  "the id of a customer",
  { type: ["string", "number"], minLength: 1, maxLength: LONGEST_ID },
  (value, node, scope) => {
    const why = value === ""
      ? "it is empty"
      : new TextEncoder().encode(value).length > LONGEST_ID
      ? `it has more than ${LONGEST_ID} bytes in UTF-8`
      : value === "." || value === ".."
      ? "it has a special meaning in paths"
      : value.includes("/")
      ? "it contains a slash"
      : hasControls(value)
      ? "it contains control characters"
      : !value.isWellFormed()
      ? "it is not valid Unicode"
      : undefined;
    if (why === undefined) return value;
    const shown = value.length > 60 ? `${value.slice(0, 60)}…` : value;
    return complain(
      scope,
      node.at,
      `${JSON.stringify(shown)} cannot be the id of a customer: ${why}`,
    );
  },
);

/** Whether a text has characters that drive a terminal. */
function hasControls(value: string): boolean {
  return [...value].some((one) => {
    const code = one.codePointAt(0) ?? 0;
    return code < 0x20 || code >= 0x7f && code <= 0x9f;
  });
}

/** A code of currencies or countries. */
export function code(letters: 2 | 3, what: string): Kind {
  const pattern = `^[A-Z]{${letters}}$`;
  return word(
    `${what} in ${letters} upper-case letters`,
    { type: "string", pattern },
    (value) => new RegExp(pattern).test(value) ? value : undefined,
  );
}

/** The form of a secret that signs deliveries. */
export const SECRET_FORM = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;

/** A secret that signs deliveries. It is never shown. */
export const secret: Kind = word("a signing secret", { type: "string" }, (value, node, scope) => {
  if (SECRET_FORM.test(value)) return value;
  return complain(scope, node.at, "a signing secret is whsec_ and 24 to 64 bytes in base64");
});

/** Any value. */
export const anything: Kind = {
  what: "a value",
  schema: {},
  read(node, scope) {
    if (node.kind === "scalar") {
      if (typeof node.value !== "string") return node.value;
      return filled(node, scope);
    }
    if (node.kind === "list") {
      return node.items.map((item) => anything.read(item, scope) ?? null);
    }
    return Object.fromEntries(
      node.entries.map(({ key, value }) => [key, anything.read(value, scope) ?? null]),
    );
  },
};

/** A map of names to values of one kind. */
export function mapOf(names: Kind, values: Kind, what: string): Kind {
  return {
    what,
    schema: { type: "object", additionalProperties: values.schema },
    read(node, scope) {
      if (node.kind !== "map") {
        return complain(scope, node.at, `${what} is needed here, not ${kindOf(node)}`);
      }
      const entries = node.entries.map(({ key, at, value }) => {
        const name: ScalarNode = { kind: "scalar", at, route: value.route, value: key, text: key };
        return [names.read(name, scope), values.read(value, scope)] as const;
      });
      return Object.fromEntries(
        entries.flatMap(([key, value]) =>
          typeof key === "string" && value !== undefined ? [[key, value]] : []
        ),
      );
    },
  };
}

/** Reads a map whose fields are known. Unknown fields and missing ones are problems. */
export function readFields(
  node: Node,
  fields: Readonly<Record<string, Field>>,
  scope: Scope,
  owner: string,
): Record<string, Json> {
  if (node.kind !== "map") {
    complain(scope, node.at, `${owner} takes a map of fields, not ${kindOf(node)}`);
    return {};
  }
  const values: Record<string, Json> = {};
  for (const { key, at, value } of node.entries) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (!field) {
      const names = Object.keys(fields);
      complain(
        scope,
        at,
        `${owner} has no field ${JSON.stringify(key)}${didYouMean(key, names)}`,
        names.length === 0 ? "It has no fields." : `Its fields: ${names.join(", ")}`,
      );
      continue;
    }
    const read = field.kind.read(value, scope);
    if (read !== undefined) values[key] = read;
  }
  for (const [name, { required }] of Object.entries(fields)) {
    if (!required || node.entries.some(({ key }) => key === name)) continue;
    complain(scope, node.at, `${owner} needs the field ${JSON.stringify(name)}`);
  }
  return values;
}

/** The JSON schema of a map whose fields are known. */
export function schemaOf(fields: Readonly<Record<string, Field>>): Record<string, unknown> {
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { brief, kind }]) => [
        name,
        { description: brief, ...kind.schema },
      ]),
    ),
    required: Object.entries(fields).filter(([, { required }]) => required).map(([name]) => name),
  };
}

/** Complains about keys that mean nothing. */
export function checkWords(
  node: MapNode,
  known: readonly string[],
  scope: Scope,
  owner: string,
): void {
  for (const { key, at } of node.entries) {
    if (known.includes(key)) continue;
    const like = didYouMean(key, known);
    complain(
      scope,
      at,
      `${owner} has no ${JSON.stringify(key)}${like}`,
      `It has: ${known.join(", ")}`,
    );
  }
}
