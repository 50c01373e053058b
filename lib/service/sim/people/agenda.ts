/**
 * What is still to happen, in the order of time.
 *
 * @module
 */

/** Something that is to happen. */
export interface Entry {
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** Its number: of two at the same time the lower one comes first. */
  readonly number: number;
}

/** What is still to happen. */
export interface Agenda<T extends Entry> {
  /** How much there is. */
  readonly size: number;
  /** Adds something. */
  add(entry: T): void;
  /** The next thing, which stays. */
  peek(): T | undefined;
  /** Takes the next thing. */
  take(): T | undefined;
}

/** Makes an agenda: a binary heap. */
export function createAgenda<T extends Entry>(entries: readonly T[] = []): Agenda<T> {
  // Sorted entries are a heap.
  const heap = [...entries].sort(compare);
  return {
    get size() {
      return heap.length;
    },
    add(entry) {
      heap.push(entry);
      rise(heap);
    },
    peek: () => heap[0],
    take() {
      const [first] = heap;
      const last = heap.pop();
      if (last && heap.length > 0) {
        heap[0] = last;
        sink(heap);
      }
      return first;
    },
  };
}

function compare(one: Entry, other: Entry): number {
  return one.at - other.at || one.number - other.number;
}

/** Moves the last entry to its place. */
function rise<T extends Entry>(heap: T[]): void {
  for (let i = heap.length - 1; i > 0;) {
    const above = (i - 1) >> 1;
    if (!swapIfBefore(heap, i, above)) return;
    i = above;
  }
}

/** Moves the first entry to its place. */
function sink<T extends Entry>(heap: T[]): void {
  for (let i = 0;;) {
    const [left, right] = [2 * i + 1, 2 * i + 2];
    const [one, other] = [heap[left], heap[right]];
    if (!one) return;
    const below = other && compare(other, one) < 0 ? right : left;
    if (!swapIfBefore(heap, below, i)) return;
    i = below;
  }
}

/** Swaps two entries if the first comes before the second. Returns whether it does. */
function swapIfBefore<T extends Entry>(heap: T[], i: number, j: number): boolean {
  const [one, other] = [heap[i], heap[j]];
  if (!one || !other || compare(one, other) >= 0) return false;
  heap[i] = other;
  heap[j] = one;
  return true;
}
