/**
 * A line on a terminal that changes in place, such as the seconds left of a wait.
 *
 * @module
 */

import { fit, visible, width } from "./display.ts";
import type { Terminal } from "./output.ts";

/**
 * The same terminal with a line that changes in place. Any other output removes the line first. A
 * pipe is returned unchanged: nothing can change in place there.
 */
export function withLiveLine(terminal: Terminal): Terminal {
  const { errColumns } = terminal;
  if (errColumns === undefined) return terminal;
  // A line as wide as the terminal would make it scroll.
  const room = (errColumns || Infinity) - 1;
  let shown = 0;
  const remove = () => {
    // Spaces instead of an escape sequence: they work on every terminal.
    if (shown > 0) terminal.writeErr(`\r${" ".repeat(shown)}\r`);
    shown = 0;
  };
  return {
    ...terminal,
    live: (text) => {
      const line = room === Infinity ? visible(text) : fit(visible(text), room);
      const next = width(line);
      if (next < shown) remove();
      if (line !== "") terminal.writeErr(`\r${line}`);
      shown = next;
    },
    writeErr: (text) => {
      remove();
      terminal.writeErr(text);
    },
    writeOut: (text) => {
      remove();
      terminal.writeOut(text);
    },
  };
}
