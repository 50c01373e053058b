/**
 * Modes of files, as Unix has them.
 *
 * @module
 */

/** A mode in words, such as `mode 0644`. */
export function modeText(bits: number): string {
  return `mode ${bits.toString(8).padStart(4, "0")}`;
}

/** The mode of a file in words when it gives others than its owner any right; else undefined. */
export function sharedMode(mode: number | null): string | undefined {
  const bits = (mode ?? 0) & 0o777;
  return (bits & 0o077) === 0 ? undefined : modeText(bits);
}
