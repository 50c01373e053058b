/**
 * Builds HTML so that a value cannot become markup.
 *
 * @module
 */

/** A piece of HTML that is safe to put into a page. */
export interface Markup {
  /** Its text. */
  readonly markup: string;
}

/** HTML from a template: strings in it are escaped, markup is not. */
export function html(
  strings: TemplateStringsArray,
  ...values: (string | Markup | readonly Markup[])[]
): Markup {
  const parts = strings.map((string, i) => string + textOf(values[i] ?? ""));
  return { markup: parts.join("") };
}

function textOf(value: string | Markup | readonly Markup[]): string {
  if (typeof value === "string") return escape(value);
  return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text; what nobody can see, such as marks that turn the writing direction, is shown. */
function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\ufffd");
}
