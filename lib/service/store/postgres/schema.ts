/**
 * The schema in PostgreSQL's words. Each step of the schema is written once; what differs between the
 * engines is turned here: the names of types, how text is compared, and the order of tables.
 *
 * @module
 */

/** The statements of a step of the schema, in PostgreSQL's words and in an order that it takes. */
export function statementsOf(sql: string): string[] {
  const statements = sql.replace(/--[^\n]*/g, "").split(";").map((one) => one.trim())
    .filter((one) => one !== "");
  const made = new Set<string>();
  const later: string[] = [];
  const now = statements.map((statement) => {
    const table = /^CREATE TABLE (\w+) \(/.exec(statement)?.[1];
    if (table === undefined) return withColumnType(statement);
    made.add(table);
    const { text, references } = withoutForward(withTypes(statement), made);
    later.push(...references.map((reference) => `ALTER TABLE ${table} ADD ${reference}`));
    return text;
  });
  return [...now, ...later];
}

/** The types of columns. Text is compared by its bytes, and integers have 64 bits, as on SQLite. */
function withTypes(statement: string): string {
  return statement.replace(/^(\s+\w+) INTEGER\b/gm, "$1 BIGINT")
    .replace(/^(\s+\w+) TEXT\b/gm, '$1 TEXT COLLATE "C"')
    .replace(/^(CREATE TABLE \w+ \()(\w+) TEXT\b/, '$1$2 TEXT COLLATE "C"')
    .replace(/, value TEXT\b/, ', value TEXT COLLATE "C"')
    .replace(/\)\s*STRICT(?:, WITHOUT ROWID)?$/, ")");
}

/** The type of a column that a later step adds to a table. */
function withColumnType(statement: string): string {
  return statement.replace(/^(ALTER TABLE \w+ ADD COLUMN \w+) INTEGER\b/, "$1 BIGINT")
    .replace(/^(ALTER TABLE \w+ ADD COLUMN \w+) TEXT\b/, '$1 TEXT COLLATE "C"');
}

/** Takes out references to tables that are made later. */
function withoutForward(
  statement: string,
  made: ReadonlySet<string>,
): { text: string; references: string[] } {
  const references: string[] = [];
  const text = statement
    .replace(
      /,?\s*(FOREIGN KEY \([^)]*\)\s+REFERENCES (\w+) \([^)]*\)(?:\s+ON DELETE (?:CASCADE|SET NULL))?(?:\s+DEFERRABLE INITIALLY DEFERRED)?)/g,
      (whole, reference: string, target: string) => {
        if (made.has(target)) return whole;
        references.push(reference);
        return "";
      },
    )
    .replace(
      /^(\s+(\w+) [^,\n]*?) (REFERENCES (\w+) \([^)]*\)(?: ON DELETE (?:CASCADE|SET NULL))?)/gm,
      (whole, column: string, name: string, reference: string, target: string) => {
        if (made.has(target)) return whole;
        references.push(`FOREIGN KEY (${name}) ${reference}`);
        return column;
      },
    );
  return { text, references };
}
