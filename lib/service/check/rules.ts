/**
 * The invariants that the schema itself holds. A database breaks them when its file was damaged, or
 * when somebody changed it past the service.
 *
 * @module
 */

import { listOf, schemaAfter } from "../store/move/tables.ts";
import { migrations } from "../store/migrations/mod.ts";
import { readRules } from "../store/rules.ts";
import { type Invariant, type Moment, MOST_FOUND, rowsOf, type Violation } from "./invariant.ts";

type Rules = ReturnType<typeof readRules>;

/** The invariants. */
export const rules: readonly Invariant[] = [
  {
    name: "references",
    says: "Each reference points to an existing row",
    find: (moment) => findAll(moment, readRules().references, brokenReference),
  },
  {
    name: "keys",
    says: "No key is used twice",
    find: (moment) => findAll(moment, readRules().keys, doubleKey),
  },
  {
    name: "conditions",
    says: "Each row keeps the conditions of its table",
    find: (moment) => findAll(moment, readRules().conditions, brokenCondition),
  },
];

/** A rule with its query for the rows that break it. */
interface Look {
  /** What is added to each row. */
  about: Violation;
  /** The query. */
  text: string;
}

async function findAll<R>(
  moment: Moment,
  all: readonly R[],
  lookFor: (rule: R) => Look,
): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const rule of all) {
    const { about, text } = lookFor(rule);
    const rows = await rowsOf(moment, `${text} limit ${MOST_FOUND}`);
    found.push(...rows.map((row) => ({ ...about, ...row })));
    if (found.length >= MOST_FOUND) break;
  }
  return found.slice(0, MOST_FOUND);
}

function brokenReference(
  { table, target, columns }: Rules["references"][number],
): Look {
  const fits = columns.map(([from, to]) => `target."${to}" = owner."${from}"`).join(" and ");
  const isSet = columns.map(([from]) => `owner."${from}" is not null`).join(" and ");
  const names = new Set([...keyOf(table), ...columns.map(([from]) => from)]);
  const shown = [...names].map((name) => `owner."${name}"`).join(", ");
  return {
    about: { found_in: table, target },
    text: `select ${shown} from "${table}" as owner where ${isSet} and not exists (
      select 1 from "${target}" as target where ${fits})`,
  };
}

function doubleKey({ table, columns, where }: Rules["keys"][number]): Look {
  // What is null is equal to nothing.
  const conditions = [...where ? [where] : [], ...columns.map((name) => `"${name}" is not null`)];
  return {
    about: { found_in: table },
    text: `select ${listOf(columns)}, count(*) as times from "${table}"
      where ${conditions.map((one) => `(${one})`).join(" and ")}
      group by ${listOf(columns)} having count(*) > 1`,
  };
}

function brokenCondition(
  { table, text }: Rules["conditions"][number],
): Look {
  return {
    about: { found_in: table, condition: text },
    text: `select ${listOf(keyOf(table))} from "${table}" where not (${text})`,
  };
}

let keys: ReadonlyMap<string, readonly string[]> | undefined;

/** The columns of a table's primary key. */
function keyOf(table: string): readonly string[] {
  keys ??= new Map(schemaAfter(migrations).tables.map(({ name, key }) => [name, key]));
  return keys.get(table) ?? [];
}
