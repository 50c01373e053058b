/**
 * The characters of pictures.
 *
 * @module
 */

/** The character in one column of one row. */
export interface Glyph {
  /** One character, one column wide. */
  readonly text: string;
  /** The number of an ANSI foreground colour. Undefined for the terminal's own. */
  readonly color?: number | undefined;
}

/**
 * Colours of series: cyan, yellow, magenta, green, blue, red. Each is visible on black and white.
 */
export const COLORS: readonly number[] = [36, 33, 35, 32, 34, 31];

/** The textures of bars without colours. */
export const TEXTURES: readonly string[] = ["█", "░", "▓", "▒", "╬", "≡"];

/** An empty column. */
export const BLANK: Glyph = { text: " " };

/** A row as text: each run of one colour is set once. */
export function paint(row: readonly Glyph[], color: boolean): string {
  if (!color) return row.map(({ text }) => text).join("");
  let painted = "";
  let present: number | undefined;
  for (const { text, color: wanted } of row) {
    if (wanted !== present && text !== " ") {
      painted += wanted === undefined ? "\x1b[39m" : `\x1b[${wanted}m`;
      present = wanted;
    }
    painted += text;
  }
  return present === undefined ? painted : `${painted.trimEnd()}\x1b[39m`;
}
