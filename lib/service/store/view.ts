/**
 * What a process remembers of something that other processes may change as well, so that it need not
 * ask the database.
 *
 * @module
 */

import type { News, Others } from "./store.ts";

/** What is remembered. */
interface View<T> {
  /** What was read last. */
  value: T;
  /** Reads again. Resolves once something is remembered that was read after this call. */
  refresh(): Promise<void>;
  /** Reads again after a change of this process, and waits until all other processes have as well. */
  changed(): Promise<void>;
}

/** Opens a view. It is read again at news of other processes. */
export async function openView<T>(
  others: Others,
  news: News,
  read: () => Promise<T>,
): Promise<View<T>> {
  let stale = false;
  let reading: Promise<void> | undefined;
  const readWhileStale = async () => {
    while (stale) {
      stale = false;
      view.value = await read();
    }
  };
  const view: View<T> = {
    value: await read(),
    refresh: () => {
      stale = true;
      return reading ??= readWhileStale().finally(() => reading = undefined);
    },
    async changed() {
      await Promise.all([view.refresh(), others.agree(news)]);
    },
  };
  others.hear((one) => one === news ? view.refresh() : undefined);
  return view;
}
