import { deepEqual, equal } from "node:assert/strict";
import { migrations } from "../../../lib/service/store/migrations/mod.ts";
import { connect } from "../../../lib/service/store/sqlite/connection.ts";
import { migrate } from "../../../lib/service/store/sqlite/migrate.ts";
import { createDatabase, dropDatabase, onDatabase, ONLY_POSTGRES } from "../../support/engine.ts";

/** What SQLite says of its tables: a line for each column, key and reference. */
function readSqlite(): Record<"columns" | "keys" | "references", string[]> {
  const file = connect(":memory:");
  migrate(file, migrations, { file: ":memory:", now: 0 });
  const own = file.rows(`
    select m.name || '.' || c.name || ' ' || lower(c.type) || ' ' || c."notnull" as line
    from sqlite_schema m join pragma_table_info(m.name) c where m.type = 'table'
      and m.name <> 'schema_migrations'`).map(({ line }) => String(line));
  const keys = file.rows(`
    select m.name || ' ' || i."unique" || ' ' || i.partial || ' ' || (
      select group_concat(name, ',') from pragma_index_info(i.name)) as line
    from sqlite_schema m join pragma_index_list(m.name) i where m.type = 'table'
      and m.name <> 'schema_migrations'`).map(({ line }) => String(line));
  const references = file.rows(`
    select m.name || ' ' || group_concat(f."from", ',') || ' ' || f."table" || ' ' ||
      lower(f.on_delete) as line
    from sqlite_schema m join pragma_foreign_key_list(m.name) f where m.type = 'table'
    group by m.name, f.id`).map(({ line }) => String(line));
  file.close();
  return { columns: own.sort(), keys: keys.sort(), references: references.sort() };
}

Deno.test("both engines have the same columns, keys and indexes", ONLY_POSTGRES, async () => {
  const own = readSqlite();
  const name = await createDatabase();
  try {
    const lines = (sql: string) =>
      onDatabase(
        name,
        async (client) => (await client.query(sql)).rows.map(({ line }) => String(line)).sort(),
      );
    const tables = "table_schema = 'public' and table_name <> 'schema_migrations'";
    deepEqual(
      await lines(`select table_name || '.' || column_name || ' ' ||
        case data_type when 'bigint' then 'integer' else data_type end || ' ' ||
        case is_nullable when 'NO' then 1 else 0 end as line
        from information_schema.columns where ${tables}`),
      own.columns,
    );
    deepEqual(
      await lines(`select owner.relname || ' ' || cast(indisunique as int) || ' ' ||
        cast(indpred is not null as int) || ' ' || (
          select string_agg(attname, ',' order by place)
          from unnest(indkey) with ordinality as part (number, place)
          join pg_attribute on attrelid = owner.oid and attnum = part.number) as line
        from pg_index join pg_class owner on owner.oid = indrelid
        join pg_namespace n on n.oid = owner.relnamespace
        where n.nspname = 'public' and owner.relname <> 'schema_migrations'`),
      own.keys,
    );
    deepEqual(
      await lines(`select owner.relname || ' ' || (
          select string_agg(attname, ',' order by place)
          from unnest(conkey) with ordinality as part (number, place)
          join pg_attribute on attrelid = owner.oid and attnum = part.number) || ' ' ||
        target.relname || ' ' || case confdeltype when 'c' then 'cascade'
          when 'n' then 'set null' else 'no action' end as line
        from pg_constraint join pg_class owner on owner.oid = conrelid
        join pg_class target on target.oid = confrelid where contype = 'f'`),
      own.references,
    );
    const checks = await lines(
      "select conname as line from pg_constraint " +
        "where contype = 'c' and conrelid <> 0",
    );
    const written = migrations.map(({ sql }) => sql.match(/\bCHECK \(/g)?.length ?? 0);
    equal(checks.length, written.reduce((sum, count) => sum + count, 0));
  } finally {
    await dropDatabase(name);
  }
});
