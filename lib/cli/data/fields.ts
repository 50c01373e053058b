/**
 * The fields of JSON texts by dotted names, such as `total_amount.currency`. Values keep the
 * service's text, so that numbers do not change.
 *
 * @module
 */

import { elementsOf, membersOf, valueText } from "../screen/json_text.ts";

/**
 * The value of a field. In an array it is the array of the elements' values. Undefined without such
 * a field; the field of a null is null.
 */
export function valueAt(text: string, field: string): string | undefined {
  if (field === "") return text;
  if (isArray(text)) {
    const found = elementsOf(text).map((element) => valueAt(element, field));
    if (found.length > 0 && found.every((value) => value === undefined)) return undefined;
    return `[${found.map((value) => value ?? "null").join(",")}]`;
  }
  if (text === "null") return text;
  const key = keyIn(text, field);
  const value = key === undefined ? undefined : valueText(text, key);
  return key === undefined || value === undefined
    ? undefined
    : valueAt(value, field.slice(key.length + 1));
}

/** The object with only some of its fields. Fields that it lacks are null. */
export function onlyFields(text: string, fields: readonly string[]): string {
  if (isArray(text)) {
    return `[${elementsOf(text).map((element) => onlyFields(element, fields)).join(",")}]`;
  }
  if (!isObject(text)) return "null";
  const inner = new Map<string, string[]>();
  for (const field of fields) {
    const key = keyIn(text, field) ?? field.split(".", 1)[0] ?? field;
    inner.set(key, [...inner.get(key) ?? [], field.slice(key.length + 1)]);
  }
  const members = [...inner].map(([key, rests]) => {
    const value = valueText(text, key) ?? "null";
    return `${JSON.stringify(key)}:${rests.includes("") ? value : onlyFields(value, rests)}`;
  });
  return `{${members.join(",")}}`;
}

/**
 * The fields of an object with their values. Inner objects are split into fields, arrays are not.
 */
export function leavesOf(text: string, prefix = ""): [field: string, value: string][] {
  return membersOf(text).flatMap(([key, value]): [string, string][] => {
    const isNested = isObject(value) && !isList(value) && membersOf(value).length > 0;
    return isNested ? leavesOf(value, `${prefix}${key}.`) : [[prefix + key, value]];
  });
}

/** The names of all fields of an object, with those of objects in its arrays. */
export function fieldNames(text: string, prefix = ""): string[] {
  if (isArray(text)) {
    const all = elementsOf(text).flatMap((element) => fieldNames(element, prefix));
    return [...new Set(all)];
  }
  return membersOf(text).flatMap(([key, value]) => {
    const name = prefix + key;
    return [name, ...fieldNames(value, `${name}.`)];
  });
}

/** Fields missing in all of the objects. */
export function absentFields(texts: readonly string[], fields: readonly string[]): string[] {
  return fields.filter((field) => texts.every((text) => valueAt(text, field) === undefined));
}

/** Fields that no such object has. An inner object without fields may have any. */
export function impossibleFields(text: string, fields: readonly string[]): string[] {
  const mayHave = (text: string, field: string): boolean => {
    if (field === "" || text === "{}") return true;
    if (isArray(text)) return elementsOf(text).some((element) => mayHave(element, field));
    const key = keyIn(text, field);
    const value = key === undefined ? undefined : valueText(text, key);
    return key !== undefined && value !== undefined && mayHave(value, field.slice(key.length + 1));
  };
  return fields.filter((field) => !mayHave(text, field));
}

/** The longest prefix of a dotted name that is a key of the object. */
function keyIn(text: string, field: string): string | undefined {
  for (let end = field.length; end > 0; end = field.lastIndexOf(".", end - 1)) {
    const key = field.slice(0, end);
    if (valueText(text, key) !== undefined) return key;
  }
  return undefined;
}

/** Whether a text is an array. */
export function isArray(text: string): boolean {
  return text.startsWith("[");
}

/** Whether a text is an object. */
export function isObject(text: string): boolean {
  return text.startsWith("{");
}

/** Whether a text is a list of the service. */
export function isList(text: string): boolean {
  return isObject(text) && valueText(text, "object") === '"list"' &&
    isArray(valueText(text, "items") ?? "");
}
