/**
 * References in the texts of a scenario file: `${NAME}` for a variable, `${s.id}` for a field of what
 * a step made. `$${` stands for `${` itself.
 *
 * @module
 */

import type { Json, Node } from "./tree.ts";

const REFERENCE = /\$\$\{|\$\{([^}]+)\}/g;

/** A text with its references replaced. Undefined keeps the reference as it is. */
export function replaceReferences(
  text: string,
  replacement: (reference: string) => string | undefined,
): string {
  return text.replace(
    REFERENCE,
    (whole, reference?: string) => reference === undefined ? "${" : replacement(reference) ?? whole,
  );
}

/** The references of a text, in order. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, reference]) => reference ?? []);
}

/** Whether a text is one reference and nothing else. Returns it. */
export function onlyReference(text: string): string | undefined {
  return /^\$\{([^}]+)\}$/.exec(text)?.[1];
}

/** Whether a reference is to a variable, not to a field. */
export function isVariable(reference: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(reference);
}

/** A text with the values of its variables. */
export function withVariables(text: string, vars: Readonly<Record<string, string>>): string {
  return replaceReferences(text, (name) => vars[name]);
}

/** The plain value of a node, with the values of its variables in keys and texts. */
export function plainWith(node: Node, vars: Readonly<Record<string, string>>): Json {
  if (node.kind === "scalar") {
    return typeof node.value === "string" ? withVariables(node.value, vars) : node.value;
  }
  if (node.kind === "list") return node.items.map((item) => plainWith(item, vars));
  return Object.fromEntries(
    node.entries.map(({ key, value }) => [withVariables(key, vars), plainWith(value, vars)]),
  );
}

/** A text as it is written in a file that must not refer to anything. */
export function withoutReferences(text: string): string {
  return text.replaceAll("${", () => "$${");
}
