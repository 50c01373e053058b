/**
 * Opens the writer of a command's data.
 *
 * @module
 */

import type { World } from "./context.ts";
import { visible } from "./screen/display.ts";
import { createOutput } from "./screen/output.ts";
import { readsOnly } from "./words/effect.ts";
import type { FoundEntry } from "./words/find_entry.ts";
import { commandLine } from "./screen/command_lines.ts";
import { cellOf, kindOf } from "./data/cells.ts";
import { valueAt } from "./data/fields.ts";
import type { Shape } from "./data/shape.ts";
import { createDataWriter, type DataWriter } from "./data/writer.ts";
import { UsageError } from "../errors.ts";

/**
 * Opens the writer for the shape that the flags ask for.
 *
 * @throws {UsageError} for an invalid jq program, or for listing the fields of a command that
 * writes.
 */
export async function openData(
  shape: Shape,
  { terminal, stoppable }: World,
  found: FoundEntry,
): Promise<DataWriter> {
  const reads = readsOnly(found);
  if (shape.fields === "list" && !reads) {
    const line = commandLine(...found.names);
    throw new UsageError(`Cannot list the fields of ${line}: it changes something`, {
      hint: "Name the fields: --fields id,name. Lists and views of the same objects show them.",
    });
  }
  const out = createOutput(terminal, "table");
  const isTerminal = terminal.outColumns !== undefined;
  return await createDataWriter(shape, {
    write: (text) => {
      if (text !== "") terminal.writeOut(text);
    },
    warn: out.warn,
    safe: (text) => isTerminal ? visible(text) : text,
    stoppable: stoppable ?? ((work) => work()),
    reads,
    show: (texts, fields, isOne) => {
      const columns = fields.map((field) => {
        const kind = kindOf(field, texts.map((text) => valueAt(text, field)));
        const value = (text: string) => cellOf(valueAt(text, field), kind);
        return { header: field, label: field, value, kind };
      });
      const [only = "{}"] = texts;
      if (isOne) out.card(only, columns);
      else out.table(texts, columns);
    },
  });
}
