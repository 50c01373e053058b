/**
 * Writes what the rows of each list look like, out of the service's own documents. The command line
 * needs it where a list is empty.
 *
 * @module
 */

import { openService } from "../../lib/service/mod.ts";

/** The file that is written. */
export const LIST_ROWS_FILE: URL = new URL("../../lib/cli/data/list_rows.ts", import.meta.url);

/** A schema of the documents, as far as rows need it. */
interface Schema {
  /** The name of another one that counts in its place. */
  $ref?: string;
  /** The schemas one of which holds. */
  oneOf?: Schema[];
  /** The schemas one of which holds. */
  anyOf?: Schema[];
  /** The fields of an object. */
  properties?: Record<string, Schema>;
  /** The fields that are always there. */
  required?: string[];
  /** What the elements of an array are. */
  items?: Schema;
  /** What else an object may hold. */
  additionalProperties?: Schema | false;
  /** The only value. */
  const?: unknown;
}

/** A document, as far as rows need it. */
interface Described {
  /** The operations, by path and method. */
  paths: Record<string, Record<string, Answering>>;
  /** The schemas with a name. */
  components: { schemas: Record<string, Schema> };
}

/** An operation with its answers. */
interface Answering {
  /** The answers by status. */
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

/** Reads both documents of the service. */
async function documents(): Promise<Described[]> {
  const service = await openService({ database: ":memory:", empty: true });
  try {
    const read = async (path: string): Promise<Described> => {
      const headers = { Authorization: `Bearer ${service.adminSecret}` };
      const request = new Request(`http://127.0.0.1${path}`, { headers });
      return await (await service.fetch(request)).json();
    };
    return [await read("/openapi.json"), await read("/_sim/openapi.json")];
  } finally {
    await service.close();
  }
}

/** The name that a reference leads to. */
function nameIn({ $ref }: Schema): string | undefined {
  return $ref?.split("/").at(-1);
}

/** The form of a schema: 0 for a value, the name of another form, or the forms of what is in it. */
function formOf(schema: Schema): unknown {
  const name = nameIn(schema);
  if (name !== undefined) return name;
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return merged(choices.map(formOf).filter((form) => form !== 0));
  const { properties, items, additionalProperties, required = [] } = schema;
  if (items) return [formOf(items)];
  if (properties?.["object"]?.const === "list") {
    return ["list", formOf(properties["items"]?.items ?? {})];
  }
  const isAnything = Object.keys(schema).length === 0;
  if (!properties) return additionalProperties || isAnything ? {} : 0;
  return Object.fromEntries(
    Object.entries(properties).map((
      [key, inner],
    ) => [required.includes(key) ? key : `${key}?`, formOf(inner)]),
  );
}

/** One form for what has one of several: the fields of all. */
function merged(forms: readonly unknown[]): unknown {
  const [first = 0, ...others] = forms;
  if (others.length === 0 || typeof first !== "object") return first;
  return Object.assign({}, ...forms);
}

/** The text of the file. */
export async function listRowsText(): Promise<string> {
  const forms: string[] = [];
  const lists: string[] = [];
  for (const { paths, components } of await documents()) {
    const used = new Set<string>();
    for (const [path, { get }] of Object.entries(paths)) {
      const schema = get?.responses["200"]?.content?.["application/json"]?.schema;
      const items = schema?.properties?.["items"]?.items;
      if (!items) continue;
      const form = formOf(items);
      lists.push(member(JSON.stringify(path), form));
      collect(form, components.schemas, used);
    }
    for (const name of [...used].sort()) {
      forms.push(member(name, formOf(components.schemas[name] ?? {})));
    }
  }
  return `/**
 * The rows of each list, by its path, and the forms that rows have in common. Written by
 * \`deno task docs\` from the service's own documents; do not edit.
 *
 * A form is JSON: 0 stands for a value, a text for the form of that name, ["list", FORM] for a list,
 * [FORM] for an array, and {} for an object with any fields. A name with a question mark is that of a
 * field that is not always there.
 *
 * @module
 */

/** Forms by name. */
export const FORMS: Readonly<Record<string, string>> = {
${[...new Set(forms)].join("\n")}
};

/** The form of a list's rows, by the list's path. */
export const LIST_ROWS: Readonly<Record<string, string>> = {
${lists.join("\n")}
};
`;
}

/** The longest line of the repository's format. */
const LONGEST_LINE = 100;

/** A form as a member of an object. The quotes of JSON are inside of others. */
function member(key: string, form: unknown): string {
  const value = `'${JSON.stringify(form)}',`;
  const line = `  ${key}: ${value}`;
  return line.length <= LONGEST_LINE ? line : `  ${key}:\n    ${value}`;
}

/** Collects the names of the forms that a form needs. */
function collect(form: unknown, schemas: Record<string, Schema>, used: Set<string>): void {
  if (typeof form === "object" && form !== null) {
    for (const inner of Object.values(form)) collect(inner, schemas, used);
  } else if (typeof form === "string" && form !== "list" && !used.has(form)) {
    used.add(form);
    collect(formOf(schemas[form] ?? {}), schemas, used);
  }
}
