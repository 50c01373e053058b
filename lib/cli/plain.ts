/**
 * Builders for plain commands: one operation of the API in, one answer out. What is special about a
 * command stands in its own file, on top of these.
 *
 * @module
 */

import { type Client, rawJson } from "../client.ts";
import { UsageError } from "../errors.ts";
import { LARGEST_PAGE, type Page, type PageQuery, pages } from "../page.ts";
import {
  type Argument,
  argument,
  type Command,
  command,
  type Flag,
  type Input,
  manyArguments,
  parsed,
  text,
  toggle,
} from "./command.ts";
import type { Context } from "./context.ts";
import { parseCount, readJsonFile } from "./input.ts";
import { joinPages } from "./json_text.ts";
import type { Cell, Column, Field } from "./output.ts";

type Arguments = Record<string, Argument<unknown>>;
type Flags = Record<string, Flag<unknown>>;

/** The flags of a command that changes something for good. */
export const confirmFlags = {
  confirm: toggle("Do it without asking", { short: "y" }),
  yes: toggle("Do it without asking", { hidden: true }),
};

/** The flag of a command that takes a JSON body. */
export const fileFlag = {
  file: text("A JSON file with the body, or - for standard input", {
    short: "f",
    placeholder: "path",
  }),
};

/** The flags of a command that lists. */
export const listFlags = {
  limit: parsed("Show at most this many", (value) => parseCount(value, "--limit", { min: 1 }), {
    placeholder: "n",
  }),
  starting_after: text("Start after the item with this id", { placeholder: "id" }),
  all: toggle("Show all there are"),
};

/** What the flags of a list say. */
export type ListInput = Input<Record<never, never>, typeof listFlags>;

/** Makes a command that lists. A catalogue is shown whole, unless `onePage` is set. */
export function onList<T>(
  brief: string,
  list: (client: Client, query: PageQuery) => Promise<Page<T>>,
  columns: readonly Column<T>[],
  options: { onePage?: boolean } = {},
): Command {
  return command({
    brief,
    flags: listFlags,
    async run(context, input) {
      const client = await context.client();
      await showList(context, input, (query) => list(client, query), columns, options);
    },
  });
}

/** Makes a command that does one thing to one object and shows what the service answers. */
export function onOne(
  brief: string,
  act: (client: Client, id: string) => Promise<object>,
  id: string = "The object's id",
): Command {
  return command({
    brief,
    args: { id: argument(id) },
    async run(context, input) {
      showOne(context, await act(await context.client(), input.id));
    },
  });
}

/** Makes a command that lists what belongs to one object. */
export function onListOf<T>(
  brief: string,
  list: (client: Client, id: string, query: PageQuery) => Promise<Page<T>>,
  columns: readonly Column<T>[],
  id: string = "The object's id",
): Command {
  return command({
    brief,
    args: { id: argument(id) },
    flags: listFlags,
    async run(context, input) {
      const client = await context.client();
      await showList(context, input, (query) => list(client, input.id, query), columns);
    },
  });
}

/** Makes a command that asks first, then does something to one object for good. */
export function onOneForGood(
  brief: string,
  noun: string,
  act: (client: Client, id: string) => Promise<object>,
): Command {
  const [verb = "Change"] = brief.split(" ");
  return command({
    brief,
    args: { id: argument(`The ${noun}'s id`) },
    flags: confirmFlags,
    async run(context, input) {
      await askFirst(context, input, `${verb} the ${noun} ${input.id}?`);
      showOne(context, await act(await context.client(), input.id));
    },
  });
}

/** Makes a command that attaches products to an object, or detaches them. */
export function onProducts(
  brief: string,
  act: (client: Client, id: string, productIds: string[]) => Promise<object>,
  id: string = "The object's id",
): Command {
  return command({
    brief,
    args: { id: argument(id), product_id: manyArguments("Ids of products") },
    async run(context, input) {
      showOne(context, await act(await context.client(), input.id, input.product_id));
    },
  });
}

/** How a command makes the body of its request out of flags and a file. */
export interface BodySpec<A, F, Body> {
  /** Values given by position. */
  args?: A;
  /** The flags, besides `--file`. */
  flags: F;
  /** Which field of the body a flag sets, where it is not of the same name. */
  fields?: Readonly<Record<string, string>>;
  /** Fields that the body must have. */
  required?: readonly string[];
  /** Sends the body. */
  send(client: Client, body: Body, input: Input<A, F>): Promise<object>;
}

/** Makes a command whose body comes from flags, from a file, or from both: then flags win. */
export function onBody<A extends Arguments, F extends Flags, Body>(
  brief: string,
  spec: BodySpec<A, F, Body>,
): Command {
  const { args = {}, fields = {}, required = [] } = spec;
  return command<Arguments, Flags>({
    brief,
    args,
    flags: { ...spec.flags, ...fileFlag },
    async run(context, input) {
      const { file } = input;
      const body = typeof file === "string" ? await readJsonFile(context.files, file) : {};
      for (const flag of Object.keys(spec.flags)) {
        if (input[flag] !== undefined) body[fields[flag] ?? flag] = input[flag];
      }
      checkBody(brief, body, spec.flags, fields, required);
      // The service judges the body; the type only says what it will accept.
      const answer = await spec.send(await context.client(), body as Body, input as Input<A, F>);
      showOne(context, answer);
    },
  });
}

/** Makes a command that changes one object, with flags, a file, or both. */
export function onUpdate<F extends Flags, Body>(
  brief: string,
  update: (client: Client, id: string, changes: Body) => Promise<object>,
  flags: F,
  id: string = "The object's id",
): Command {
  return onBody<{ id: Argument<string> }, F, Body>(brief, {
    args: { id: argument(id) },
    flags,
    send: (client, changes, input) => update(client, input.id, changes),
  });
}

/** Refuses a body that cannot do: one that lacks a field, or that says nothing at all. */
function checkBody(
  brief: string,
  body: Record<string, unknown>,
  flags: Flags,
  fields: Readonly<Record<string, string>>,
  required: readonly string[],
): void {
  const flagOf = (field: string) => {
    const flag = Object.keys(flags).find((name) => (fields[name] ?? name) === field);
    return flag === undefined ? undefined : `--${flag.replaceAll("_", "-")}`;
  };
  const what = brief[0]?.toLowerCase() + brief.slice(1);
  const absent = required.filter((field) => body[field] === undefined);
  const [first] = absent;
  if (first !== undefined) {
    const names = absent.map((field) => flagOf(field) ?? `"${field}" in --file`);
    throw new UsageError(`Cannot ${what}: ${names.join(", ")} missing`, {
      hint: `Pass ${names.join(" and ")}, or a whole body with --file PATH.`,
    });
  }
  if (Object.keys(body).length > 0) return;
  const names = [...Object.keys(flags).map((name) => `--${name.replaceAll("_", "-")}`), "--file"];
  throw new UsageError(`Cannot ${what}: nothing to send was given`, {
    hint: `Pass ${names.join(" or ")}.`,
  });
}

/** Asks whether to go on, unless `-y` is given. */
export async function askFirst(
  context: Context,
  input: { confirm?: boolean | undefined; yes?: boolean | undefined },
  question: string,
): Promise<void> {
  const yes = input.confirm === true || input.yes === true;
  await context.ask.confirm(question, { flag: "-y", yes });
}

/** Shows one answer: a card, or the service's own JSON. */
export function showOne(context: Context, answer: object): void {
  const { out } = context;
  if (out.format === "json") return out.json(rawJson(answer) ?? JSON.stringify(answer));
  out.card(answer, cardFields(answer));
}

/** Shows a list: a table, or one JSON envelope of all pages read. */
export async function showList<T>(
  context: Context,
  input: ListInput,
  list: (query: PageQuery) => Promise<Page<T>>,
  columns: readonly Column<T>[],
  options: { onePage?: boolean } = {},
): Promise<void> {
  const { out } = context;
  const walk = await readPages(context, input, list, options.onePage ?? false);
  if (out.format === "json") out.json(joinPages(walk.texts, input.limit));
  else out.table(walk.items, columns);
  if (walk.next !== null && input.limit === undefined) {
    out.note(`More follow; show them with --all, or go on with --starting-after ${walk.next}`);
  }
}

/** The pages that a list command has read. */
interface Walk<T> {
  /** All items, not more than asked for. */
  items: T[];
  /** The pages' JSON texts. */
  texts: string[];
  /** The id to go on after, or null at the end. */
  next: string | null;
}

/** Reads the pages that the flags ask for. */
async function readPages<T>(
  context: Context,
  input: ListInput,
  list: (query: PageQuery) => Promise<Page<T>>,
  onePage: boolean,
): Promise<Walk<T>> {
  const { starting_after, limit } = input;
  const single = onePage && !input.all && limit === undefined;
  const size = single ? undefined : Math.min(limit ?? LARGEST_PAGE, LARGEST_PAGE);
  const first = list({
    ...size !== undefined && { limit: size },
    ...starting_after !== undefined && { starting_after },
  });
  const walk: Walk<T> = { items: [], texts: [], next: null };
  for await (const page of pages(await context.client(), first, { limit })) {
    walk.items.push(...page.items);
    walk.texts.push(rawJson(page) ?? JSON.stringify(page));
    walk.next = page.next_page === null ? null : cursorOf(page.items.at(-1));
    if (single) break;
  }
  walk.items = walk.items.slice(0, limit);
  return walk;
}

/** What `--starting-after` takes to go on after an item. */
function cursorOf(item: unknown): string | null {
  const fields: Record<string, unknown> = typeof item === "object" && item !== null
    ? { ...item }
    : {};
  const cursor = fields.id ?? fields.code ?? fields.name;
  return typeof cursor === "string" ? cursor : null;
}

/** The lines of a card: every field of the answer under its own name, nested ones dotted. */
export function cardFields(answer: object): Field<object>[] {
  return Object.entries(flat(answer, "")).filter(([label]) => label !== "object")
    .map(([label, value]) => ({
      label,
      value: () => value,
      kind: label.endsWith("_at") ? "time" : "text",
    }));
}

/** The fields of an object and of the objects in it, by dotted name. */
function flat(value: object, prefix: string): Record<string, Cell> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, Cell][] => {
      const label = prefix + name;
      if (Array.isArray(inner)) return [[label, inner.map(wordFor).join(", ")]];
      if (typeof inner !== "object" || inner === null) return [[label, inner]];
      if ("object" in inner && inner.object === "list" && "items" in inner) {
        return [[label, listWord(inner.items)]];
      }
      const fields = Object.entries(flat(inner, `${label}.`));
      return fields.length === 0 ? [[label, null]] : fields;
    }),
  );
}

/** An element of an array on one line. */
function wordFor(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A nested list on one line: the names of its items. */
function listWord(items: unknown): string {
  if (!Array.isArray(items)) return "";
  return items.map((item) =>
    item?.lookup_key ?? item?.product?.store_identifier ??
      item?.store_identifier ?? item?.id ?? wordFor(item)
  ).join(", ");
}
