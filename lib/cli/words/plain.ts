/**
 * Builders for plain commands: one operation of the API in, one answer out. Special commands have
 * files of their own, on top of these.
 *
 * @module
 */

// What the files below load, and a client: see lib/cli/main.ts.
import "../../address.ts";
import "../../answer.ts";
import "../../auth/credential.ts";
import "../../auth/preview.ts";
import "../../client.ts";
import "../../config/origin.ts";
import "../../config/paths.ts";
import "../../config/project.ts";
import "../../config/surroundings.ts";
import "../../connect.ts";
import "../../loopback.ts";
import "../../path.ts";
import "../../retry.ts";
import "../../signals.ts";
import type { Client } from "../../client.ts";
import { type ApiError, UsageError } from "../../errors.ts";
import { each, LARGEST_PAGE, type Page, type PageQuery } from "../../page.ts";
import { nameOf, showOne } from "../screen/card.ts";
import {
  type Argument,
  argument,
  type Arguments,
  type Command,
  command,
  type Flags,
  type Input,
  manyArguments,
  text,
  wire,
} from "./command.ts";
import { type ListOptions, showList } from "../screen/listing.ts";
import { listFlags, pageFlags } from "./list_flags.ts";
import type { Column } from "../screen/output.ts";
import type { Context } from "../context.ts";
import { askAbout, confirmFlags } from "./consent.ts";
import type { HintRule } from "./hints.ts";
import { cannot } from "../screen/command_lines.ts";

export { cardFields, showOne } from "../screen/card.ts";
export { askAbout, askFirst, confirmFlags } from "./consent.ts";
export { itemTexts, showList } from "../screen/listing.ts";
export { listFlags, type ListInput, pageFlags } from "./list_flags.ts";

/** The hint if archived products prevent a change. */
export async function hintOfArchived(refusal: ApiError): Promise<string | undefined> {
  return (await import("./hints.ts")).hintOfArchived(refusal);
}

/** The flag of a command with a JSON body. */
export const fileFlag = {
  file: text("A JSON file with the body, or - for standard input", {
    short: "f",
    placeholder: "path",
  }),
};

/** Makes a command that lists objects. It shows all pages, unless `onePage` is set. */
export function onList<T>(
  brief: string,
  list: (client: Client, query: PageQuery) => Promise<Page<T>>,
  columns: readonly Column<T>[],
  options: ListOptions = {},
): Command {
  return command({
    brief,
    flags: options.onePage ? pageFlags : listFlags,
    async run(context, input) {
      const client = await context.client();
      await showList(context, input, (query) => list(client, query), columns, options);
    },
  });
}

/** Makes a command that runs one operation on one object and shows the answer. */
export function onOne(
  brief: string,
  act: (client: Client, id: string) => Promise<object>,
  id: string,
  hint?: HintRule,
): Command {
  return command({
    brief,
    args: { id: argument(id) },
    hint,
    async run(context, input) {
      showOne(context, await act(await context.client(), input.id));
    },
  });
}

/** Makes a command that lists the parts of one object. */
export function onListOf<T>(
  brief: string,
  list: (client: Client, id: string, query: PageQuery) => Promise<Page<T>>,
  columns: readonly Column<T>[],
  id: string,
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

/** The options of a destructive command. */
interface GoodOptions {
  /** More details, for its help text. */
  readonly details?: string | undefined;
  /** The description of the id. Default: the noun's id. */
  readonly id?: string | undefined;
  /** The hint after a refusal. */
  readonly hint?: HintRule | undefined;
}

/** Makes a command that asks first, then runs a destructive operation on one object. */
export function onOneForGood(
  brief: string,
  noun: string,
  look: (client: Client, id: string) => Promise<object>,
  act: (client: Client, id: string) => Promise<object>,
  { id = `The ${noun}'s id`, hint, details }: GoodOptions = {},
): Command {
  const [verb = "Change"] = brief.split(" ");
  return command({
    brief,
    details,
    hint,
    args: { id: argument(id) },
    flags: confirmFlags,
    async run(context, input) {
      const client = await context.client();
      await askAbout(context, input, async () => {
        const name = nameOf(await look(client, input.id));
        const known = name === input.id ? "" : ` (${name})`;
        return `${verb} the ${noun} ${input.id}${known}`;
      });
      showOne(context, await act(client, input.id));
    },
  });
}

/** The products of an object: the function that lists them, and their columns. */
interface ProductsOf<T> {
  /** Lists them. */
  list(client: Client, id: string, query: PageQuery): Promise<Page<T>>;
  /** Their columns. */
  columns: readonly Column<T>[];
}

/**
 * Makes a command that attaches products to an object, or detaches them, and shows its products
 * afterwards.
 */
export function onProducts<T>(
  brief: string,
  act: (client: Client, id: string, productIds: string[]) => Promise<object>,
  id: string,
  products: ProductsOf<T>,
): Command {
  return command({
    brief,
    args: { id: argument(id), product_id: manyArguments("Ids of products") },
    async run(context, input) {
      const answer = await act(await context.client(), input.id, input.product_id);
      await showProducts(context, input.id, answer, products);
      if (context.out.format === "json") return;
      const done = brief.startsWith("Detach") ? "Detached" : "Attached";
      context.out.done(`${done} ${listed(input.product_id, "and")}`);
    },
  });
}

/** Shows an object with its products after a change, or the service's own JSON. */
export async function showProducts<T>(
  context: Context,
  id: string,
  answer: object,
  { list, columns }: ProductsOf<T>,
): Promise<void> {
  showOne(context, answer);
  if (context.out.format === "json") return;
  const client = await context.client();
  const all = each(client, list(client, id, { limit: LARGEST_PAGE }));
  // The change is done, so a failed read afterwards is no failure.
  const found = await Array.fromAsync(all).catch(() => undefined);
  if (!found) return context.out.note("Cannot read its products after the change.");
  context.out.table(found, columns, { title: `Products (${found.length})`, empty: "none" });
}

/** The options of a command that builds its request body from flags and a file. */
interface BodySpec<A, F, Body> {
  /** More details, for its help text. */
  details?: string;
  /** Example command lines, for its help text. */
  examples?: readonly string[];
  /** The arguments. */
  args?: A;
  /** The flags, besides `--file`. */
  flags: F;
  /** The fields of flags with another name. */
  fields?: Readonly<Record<string, string>>;
  /** Required fields of the body. */
  required?: readonly string[];
  /** Adds fields that the folder defines, if neither flags nor the file have them. */
  complete?(context: Context, body: Record<string, unknown>): Promise<void>;
  /** Converts the body to the service's form, if flags alone cannot. */
  shape?(body: Record<string, unknown>): void;
  /** Sends the body. */
  send(client: Client, body: Body, input: Input<A, F>): Promise<object>;
  /** The note below the answer. */
  note?: string;
  /** The hint after a refusal, if the object's own commands would not help. */
  hint?: HintRule;
}

/** Makes a command with a body from flags, from a file, or from both. Flags override the file. */
export function onBody<A extends Arguments, F extends Flags, Body>(
  brief: string,
  spec: BodySpec<A, F, Body>,
): Command {
  const { args = {}, fields = {}, details, examples } = spec;
  return command<Arguments, Flags>({
    brief,
    details,
    examples,
    args,
    flags: markedFlags(spec),
    hint: spec.hint,
    params: Object.fromEntries(
      Object.entries(fields).map(([flag, field]) => [field, `--${wire(flag)} (${field})`]),
    ),
    async run(context, input) {
      const { file } = input;
      const body = typeof file === "string" ? await bodyIn(context, file) : {};
      for (const flag of Object.keys(spec.flags)) {
        if (input[flag] !== undefined) body[fields[flag] ?? flag] = input[flag];
      }
      await spec.complete?.(context, body);
      checkBody(brief, body, spec, file !== undefined);
      spec.shape?.(body);
      // The service validates the body; the type only describes it.
      const answer = await spec.send(await context.client(), body as Body, input as Input<A, F>);
      showOne(context, answer);
      if (spec.note !== undefined) context.out.note(spec.note);
    },
  });
}

/** The body in a file. The code that reads it is loaded for those who pass one. */
async function bodyIn({ files }: Context, path: string): Promise<Record<string, unknown>> {
  const { readJsonFile } = await import("../input/json_file.ts");
  return await readJsonFile(files, path);
}

/**
 * The flags of a body, with required ones marked. The command checks them together with the file.
 */
function markedFlags(
  { flags, fields = {}, required = [] }: Pick<
    BodySpec<unknown, Flags, unknown>,
    "flags" | "fields" | "required"
  >,
): Flags {
  const names = Object.keys(flags).map((name) => fields[name] ?? name);
  const onlyInFile = required.some((field) => !names.includes(field));
  const marked = Object.entries(flags).map(([name, flag]) => [
    name,
    required.includes(fields[name] ?? name) && !onlyInFile
      ? { ...flag, required: "without --file" }
      : flag,
  ]);
  const file = onlyInFile ? { ...fileFlag.file, required: "by the command" } : fileFlag.file;
  return { ...Object.fromEntries(marked), file };
}

/** Makes a command that changes one object, with flags, a file, or both. */
export function onUpdate<F extends Flags, Body>(
  brief: string,
  update: (client: Client, id: string, changes: Body) => Promise<object>,
  flags: F,
  id: string,
  fields: Readonly<Record<string, string>> = {},
  hint?: HintRule,
): Command {
  return onBody<{ id: Argument<string> }, F, Body>(brief, {
    ...hint && { hint },
    args: { id: argument(id) },
    flags,
    fields,
    send: (client, changes, input) => update(client, input.id, changes),
  });
}

/** Refuses a body without a required field, and an empty body. */
function checkBody(
  brief: string,
  body: Record<string, unknown>,
  spec: Pick<BodySpec<unknown, Flags, unknown>, "flags" | "fields" | "required">,
  fromFile: boolean,
): void {
  const flags = Object.keys(spec.flags);
  const absent = (spec.required ?? []).filter((field) => body[field] === undefined);
  if (absent.length > 0) {
    const names = absent.map((field) => {
      const flag = flags.find((name) => (spec.fields?.[name] ?? name) === field);
      return flag === undefined ? JSON.stringify(field) : `--${wire(flag)}`;
    });
    const inFile = names.every((name) => name.startsWith("--")) ? "" : " in the body";
    const missing = inFile && !fromFile ? ["--file"] : names;
    const verb = missing.length > 1 ? "are" : "is";
    const where = fromFile ? inFile : "";
    throw new UsageError(`${cannot(brief)}: ${listed(missing, "and")} ${verb} missing${where}`, {
      hint: inFile
        ? `Pass --file PATH (or - for standard input) with ${listed(absent, "and")}.`
        : `Pass ${listed(names, "and")}, or a whole body with --file PATH.`,
    });
  }
  if (Object.keys(body).length > 0) return;
  const names = [...flags.map((name) => `--${wire(name)}`), "--file PATH"];
  throw new UsageError(`${cannot(brief)}: no changes are given`, {
    hint: `Pass ${listed(names, "or")}.`,
  });
}

/** Words as a list: "a, b and c". */
export function listed(words: readonly string[], last: string): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
