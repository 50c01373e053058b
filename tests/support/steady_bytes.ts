/**
 * Random bytes that are the same in each run.
 *
 * @module
 */

/** A source of bytes that are the same each time. */
export function steadyBytes(): (count: number) => Uint8Array {
  let state = 1;
  return (count) =>
    Uint8Array.from({ length: count }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return state & 255;
    });
}
