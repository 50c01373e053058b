/**
 * Words that were probably meant.
 *
 * @module
 */

/** The known words that are spelled most like a word, if any is spelled nearly like it. */
export function closest(word: string, known: readonly string[]): string[] {
  const same = normal(word);
  let least = word.length < 3 ? 0 : word.length <= 4 ? 1 : word.length <= 8 ? 2 : 3;
  let found: string[] = [];
  for (const candidate of known) {
    const distance = normal(candidate) === same ? 0 : distanceOf(same, normal(candidate));
    if (distance > least) continue;
    if (distance < least) found = [];
    least = distance;
    found.push(candidate);
  }
  return found;
}

/** `; did you mean "x"?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [meant] = closest(word, known);
  return meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
}

/** A word without case, hyphens and underscores. */
function normal(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, "");
}

/** How many letters must change, go or come, or be swapped with their neighbour. */
function distanceOf(a: string, b: string): number {
  let older: number[] = [];
  let before = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const cost = Math.min(
        (before[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (before[j - 1] ?? 0) + same,
      );
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(swapped ? Math.min(cost, (older[j - 2] ?? 0) + 1) : cost);
    }
    older = before;
    before = row;
  }
  return before[b.length] ?? 0;
}
