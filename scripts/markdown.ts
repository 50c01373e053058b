/**
 * Markdown as `deno fmt` would write it.
 *
 * @module
 */

/** A table with columns of one width. The first row is its head. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const columns = rows[0] ?? [];
  const widths = columns.map((_, i) => Math.max(3, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  const [head = [], ...body] = rows;
  return [line(head), rule, ...body.map(line)];
}

/** A paragraph in lines of at most 100 characters. */
export function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > 100) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
