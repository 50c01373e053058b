/**
 * The rules for values, in the service's own words. Texts of the schema library never reach a
 * caller.
 *
 * @module
 */

import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/**
 * The issue to report. For a union, it is the issue of the intended form, the one with the right
 * type and no unknown fields, unless the union has a message of its own.
 */
export function innermost(issue: Issue): Issue {
  if (issue.message.startsWith("must ")) return issue;
  if (issue.code === "invalid_union") {
    const meant = formsOf(issue).filter((issues) => !issues.some(isOtherForm));
    const [inner] = (meant.length === 1 ? meant[0] : undefined) ?? [];
    return inner ? innermost(below(issue, inner)) : issue;
  }
  if (issue.code === "invalid_key" || issue.code === "invalid_element") {
    const [inner] = issue.issues;
    return inner ? innermost(below(issue, inner)) : issue;
  }
  return issue;
}

/** An inner issue with the outer issue's path in front. */
function below(outer: Issue, inner: Issue): Issue {
  return { ...inner, path: [...outer.path, ...inner.path] };
}

/** The issues of each form of a union. */
function formsOf(issue: Extract<Issue, { code: "invalid_union" }>): readonly Issue[][] {
  return issue.errors;
}

/** Whether an issue shows that another form was intended. */
function isOtherForm(issue: Issue): boolean {
  return issue.code === "unrecognized_keys" ||
    issue.code === "invalid_type" && issue.path.length === 0;
}

/** The rule for a value, as the end of a sentence. Our own schemas have it as their message. */
export function ruleOf(issue: Issue): string {
  if (/^(must|is) /.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return oneOf(issue.values);
    case "invalid_union":
      return unionRule(issue);
    case "too_small":
      return limit(issue.origin, issue.minimum, issue.inclusive === false ? "above" : "least");
    case "too_big":
      return limit(issue.origin, issue.maximum, issue.inclusive === false ? "below" : "most");
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return FORMATS[issue.format] ?? "has the wrong format";
  }
  return "is invalid";
}

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const FORMATS: Readonly<Record<string, string>> = {
  url: "must be a URL",
  email: "must be an email address",
  date: "must be a date such as 2026-11-23",
};

/** The rule for a choice. */
function oneOf(values: readonly unknown[]): string {
  return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(", ")}`;
}

/** The rule for a value with none of its allowed forms. */
function unionRule(issue: Extract<Issue, { code: "invalid_union" }>): string {
  if ("options" in issue && issue.options) return oneOf(issue.options);
  const forms = formsOf(issue);
  const missing = forms.map(([first]) => first?.path.length === 1 ? String(first.path[0]) : "");
  if (missing.length > 0 && !missing.includes("")) {
    return `must have either ${missing.map((name) => `'${name}'`).join(" or ")}`;
  }
  const rules = forms.flatMap((issues) => issues.slice(0, 1)).map(ruleOf)
    .filter((rule) => rule.startsWith("must be ")).map((rule) => rule.slice("must be ".length));
  return rules.length > 0 ? `must be ${rules.join(" or ")}` : "is invalid";
}

/** The rule for a value outside of its range. */
function limit(
  origin: string,
  bound: number | bigint,
  side: "least" | "most" | "above" | "below",
): string {
  const units = UNITS[origin];
  if (units === undefined) {
    if (side === "above") return `must be more than ${bound}`;
    if (side === "below") return `must be less than ${bound}`;
    return `must be ${bound} or ${side === "least" ? "more" : "less"}`;
  }
  const [one, many] = units;
  const amount = `${bound} ${Number(bound) === 1 ? one : many}`;
  return side === "least" || side === "above"
    ? `must have ${amount} or more`
    : `must have at most ${amount}`;
}

const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  string: ["character", "characters"],
  array: ["item", "items"],
  set: ["item", "items"],
  object: ["field", "fields"],
  record: ["field", "fields"],
};
