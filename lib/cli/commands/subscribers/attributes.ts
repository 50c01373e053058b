/**
 * `cli subscribers attributes`: shows a subscriber's attributes, or sets some.
 *
 * @module
 */

import { ApiError, UsageError } from "../../../errors.ts";
import {
  type AttributeChange,
  type CustomerAttribute,
  listCustomerAttributes,
  setCustomerAttributes,
} from "../../../resources/customers.ts";
import { argument, command, text, texts } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { parsePairs } from "../../input/input.ts";
import { readJsonFile } from "../../input/json_file.ts";
import type { Column } from "../../screen/output.ts";
import { listFlags, showList } from "../../words/plain.ts";

const columns: Column<CustomerAttribute>[] = [
  { header: "name", value: (attribute) => attribute.name, kind: "id" },
  { header: "value", value: (attribute) => attribute.value },
  { header: "updated", value: (attribute) => attribute.updated_at, kind: "date" },
];

/** The most attributes that the service sets at once. */
const MOST_AT_ONCE = 50;

/** Shows attributes without `--set` and `--file`, and sets them with either. */
export const attributes = command({
  brief: "Show or set a subscriber's attributes",
  details: "Sets the attributes of --file, then those of --set, so that --set wins for a name in " +
    "both. An empty value, or null in the file, removes an attribute. All other attributes " +
    "stay.",
  examples: [
    "cli subscribers attributes ada",
    "cli subscribers attributes ada --set '$email=ada@acme.dev' --set plan=family",
    "cli subscribers attributes ada --set plan=",
    `echo '{"plan": "family", "old": null}' | cli subs attributes ada --file -`,
  ],
  args: { user_id: argument("The subscriber's app user id") },
  flags: {
    set: texts("Set an attribute", { placeholder: "name=value" }),
    file: text("A JSON file that maps names to values, or - for standard input", {
      short: "f",
      placeholder: "path",
    }),
    ...listFlags,
  },
  async run(context, { user_id, set, file, ...input }) {
    const changes = await readChanges(context, set, file);
    const client = await context.client();
    if (changes === undefined) {
      const list = listCustomerAttributes;
      return await showList(context, input, (query) => list(client, user_id, query), columns);
    }
    const first = await named(changes, setCustomerAttributes(client, user_id, changes));
    await showList(context, input, () => Promise.resolve(first), columns);
  },
});

/** The attributes to set, each name once; undefined without any. */
async function readChanges(
  context: Context,
  pairs: readonly string[],
  file: string | undefined,
): Promise<AttributeChange[] | undefined> {
  if (pairs.length === 0 && file === undefined) return undefined;
  const given = parsePairs(pairs, "--set");
  const map = file === undefined ? {} : await readJsonFile(context.files, file);
  const values = new Map([...Object.entries(map).map(readEntry), ...given]);
  if (values.size === 0 || values.size > MOST_AT_ONCE) {
    throw new UsageError(
      `Cannot set ${values.size} attributes: one request takes 1 to ${MOST_AT_ONCE}`,
      { hint: "Split them over several commands." },
    );
  }
  return [...values].map(([name, value]) => ({ name, value }));
}

/** One entry of a file. Only text is accepted, so that no number is reformatted. */
function readEntry([name, value]: [string, unknown]): [string, string | null] {
  if (typeof value === "string" || value === null) return [name, value];
  const text = JSON.stringify(value);
  throw new UsageError(`Cannot set ${JSON.stringify(name)}: its value ${text} is not text`, {
    hint: 'Write values in quotation marks, such as {"age": "36"}, or null to remove one.',
  });
}

/**
 * The result of a request. If a refusal has an attribute's index, the error has its name instead.
 */
async function named<T>(changes: readonly AttributeChange[], request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [param, place, field] = /^attributes\.(\d+)\.(name|value)$/.exec(error.param ?? "") ?? [];
    const change = changes[Number(place)];
    if (!change || field === undefined) throw error;
    const why = error.message.replace(`'${param}'`, `its ${field}`);
    const message = `${JSON.stringify(change.name)} is refused: ${why}`;
    throw new ApiError(message, { ...error, param: field });
  }
}
