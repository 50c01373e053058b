/**
 * Progress as a bar of characters.
 *
 * @module
 */

/** The cells of a bar. */
const CELLS = 24;

/** A share of 1 as a bar, such as `[######------------------]`. */
export function bar(share: number): string {
  const full = Math.floor(Math.min(1, Math.max(0, share)) * CELLS);
  return `[${"#".repeat(full)}${"-".repeat(CELLS - full)}]`;
}
