/**
 * What the two engines say of their tables, in the same words: a line for each column, key, index,
 * reference and condition.
 *
 * @module
 */

import type { Client } from "../../lib/service/store/postgres/pg.d.ts";
import { migrations } from "../../lib/service/store/migrations/mod.ts";
import { conditionsIn } from "../../lib/service/store/rules.ts";
import { connect } from "../../lib/service/store/sqlite/connection.ts";
import { migrate } from "../../lib/service/store/sqlite/migrate.ts";

/** A schema as sorted lines. */
export type Lines = Record<
  "columns" | "keys" | "indexes" | "references" | "conditions" | "predicates",
  string[]
>;

/** A condition of rows, with its table. */
interface Condition {
  /** The table. */
  table: string;
  /** The condition, in SQL. */
  text: string;
}

/** What SQLite says of its tables. Conditions are as they were written. */
export function readSqlite(): Lines & { checks: Condition[]; wheres: Condition[] } {
  const file = connect(":memory:");
  migrate(file, migrations, { file: ":memory:", now: 0 });
  const lines = (sql: string) => file.rows(sql).map(({ line }) => String(line)).sort();
  const columns = lines(`
    select m.name || '.' || c.name || ' ' || lower(c.type) || ' ' || c."notnull" || ' ' ||
      coalesce(replace(c.dflt_value, '''', ''), '-') as line
    from sqlite_schema m join pragma_table_info(m.name) c where m.type = 'table'`);
  const keys = lines(`
    select m.name || ' ' || i."unique" || ' ' || (i.origin = 'pk') || ' ' || i.partial || ' ' || (
      select group_concat(name, ',') from pragma_index_info(i.name)) as line
    from sqlite_schema m join pragma_index_list(m.name) i where m.type = 'table'
    union all select m.name || ' 1 1 0 ' || c.name from sqlite_schema m
      join pragma_table_info(m.name) c where m.type = 'table' and m.name = 'schema_migrations'
      and c.pk = 1`);
  const indexes = lines(`
    select tbl_name || ' ' || name as line from sqlite_schema
    where type = 'index' and sql is not null`);
  const references = lines(`
    select m.name || ' ' || group_concat(f."from", ',') || ' ' || f."table" || ' ' ||
      group_concat(f."to", ',') || ' ' || lower(f.on_delete) as line
    from sqlite_schema m join pragma_foreign_key_list(m.name) f where m.type = 'table'
    group by m.name, f.id`);
  const made = file.rows("select tbl_name, type, sql from sqlite_schema where sql is not null");
  file.close();
  const checks = made.flatMap(({ tbl_name, sql }) =>
    conditionsIn(String(sql)).map((text) => ({ table: String(tbl_name), text }))
  );
  const wheres = made.flatMap(({ tbl_name, type, sql }) => {
    const [, text] = type === "index" ? /\sWHERE\s([^]+)$/.exec(String(sql)) ?? [] : [];
    return text === undefined ? [] : [{ table: String(tbl_name), text }];
  });
  const unread = { conditions: [], predicates: [] };
  return { columns, keys, indexes, references, ...unread, checks, wheres };
}

/** What PostgreSQL says of its tables. */
export async function readPostgres(client: Client): Promise<Lines> {
  const lines = async (sql: string) =>
    (await client.query(sql)).rows.map(({ line }) => String(line)).sort();
  const own = "nspname = 'public'";
  const named = (list: string) =>
    `(
    select string_agg(attname, ',' order by place)
    from unnest(${list}) with ordinality as part (number, place)
    join pg_attribute on attrelid = owner.oid and attnum = part.number)`;
  return {
    columns: await lines(`select table_name || '.' || column_name || ' ' ||
      case when data_type = 'bigint' then 'integer'
        when data_type = 'text' and collation_name = 'C' then 'text'
        else data_type || ' of another kind' end || ' ' ||
      case is_nullable when 'NO' then 1 else 0 end || ' ' ||
      coalesce(replace(replace(column_default, '::text', ''), '''', ''), '-') as line
      from information_schema.columns where table_schema = 'public'`),
    keys: await lines(`select owner.relname || ' ' || indisunique::int || ' ' ||
      indisprimary::int || ' ' || (indpred is not null)::int || ' ' || ${named("indkey")} as line
      from pg_index join pg_class owner on owner.oid = indrelid
      join pg_namespace n on n.oid = owner.relnamespace where ${own}`),
    indexes: await lines(`select owner.relname || ' ' || index.relname as line
      from pg_index join pg_class owner on owner.oid = indrelid
      join pg_class index on index.oid = indexrelid
      join pg_namespace n on n.oid = owner.relnamespace
      where ${own} and not exists (select from pg_constraint where conindid = indexrelid
        and contype in ('p', 'u'))`),
    references: await lines(`select owner.relname || ' ' || ${named("conkey")} || ' ' ||
      target.relname || ' ' || (
        select string_agg(attname, ',' order by place)
        from unnest(confkey) with ordinality as part (number, place)
        join pg_attribute on attrelid = target.oid and attnum = part.number) || ' ' ||
      case confdeltype when 'c' then 'cascade' when 'n' then 'set null' else 'no action' end as line
      from pg_constraint join pg_class owner on owner.oid = conrelid
      join pg_class target on target.oid = confrelid
      join pg_namespace n on n.oid = owner.relnamespace where contype = 'f' and ${own}`),
    conditions: await lines(`select owner.relname || ' ' || pg_get_expr(conbin, conrelid) as line
      from pg_constraint join pg_class owner on owner.oid = conrelid
      join pg_namespace n on n.oid = owner.relnamespace where contype = 'c' and ${own}`),
    predicates: await lines(`select owner.relname || ' ' || pg_get_expr(indpred, indrelid) as line
      from pg_index join pg_class owner on owner.oid = indrelid
      join pg_namespace n on n.oid = owner.relnamespace where indpred is not null and ${own}`),
  };
}

/** Conditions in PostgreSQL's own words: it rewrites each one as it would rewrite it in a table. */
export async function inPostgresWords(
  client: Client,
  conditions: readonly Condition[],
): Promise<string[]> {
  const lines: string[] = [];
  await client.query("begin");
  for (const { table, text } of conditions) {
    await client.query(`create temporary table probe (like public."${table}")`);
    await client.query(`alter table probe add constraint said check (${text})`);
    const { rows } = await client.query(
      "select pg_get_expr(conbin, conrelid) as said from pg_constraint where conname = 'said'",
    );
    lines.push(`${table} ${rows[0]?.said}`);
    await client.query("drop table probe");
  }
  await client.query("rollback");
  return lines.sort();
}
