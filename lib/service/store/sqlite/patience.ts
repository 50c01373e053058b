/**
 * Waiting for other programs that have the database open. SQLite would wait on this thread, and
 * everybody with it; so the writer waits here, and reads go on.
 *
 * @module
 */

import type { Connection } from "./connection.ts";
import { StoreError } from "../failure.ts";
import { infoIfThere } from "../file_info.ts";
import type { Say } from "../work.ts";
import { LARGEST_LOG, USUAL_LOG } from "./log_size.ts";

/** How long SQLite may wait for a lock on the service's thread, in milliseconds. */
export const THREAD_WAIT_MS = 25;

/** How long a write waits for another program's write before it is refused, in milliseconds. */
export const WRITE_WAIT_MS = 2000;

/** The pauses between two tries, in milliseconds: short at first. */
const PAUSES = [5, 10, 20, 40];
const LONGEST_PAUSE_MS = 80;

/** Begins transactions, and waits for other programs. */
export interface Beginner {
  /**
   * Begins a transaction that writes.
   *
   * @throws {StoreError} `busy` when another program has been writing for too long.
   */
  begin(connection: Connection): Promise<void>;
}

/** Creates a beginner. It reports once when another program prevents transactions. */
export function createBeginner(say: Say): Beginner {
  let said = false;
  return {
    async begin(connection) {
      for (let waited = 0, tries = 0;; tries++) {
        try {
          connection.run("BEGIN IMMEDIATE");
          if (said) say("The other program stopped writing to the database; changes work again");
          said = false;
          return;
        } catch (error) {
          if (!isBusy(error)) throw error;
          if (waited >= WRITE_WAIT_MS) {
            if (!said) {
              say(
                "Another program keeps writing to the database; changes " +
                  "return 503 until it stops",
              );
            }
            said = true;
            throw error;
          }
        }
        const pause = PAUSES[tries] ?? LONGEST_PAUSE_MS;
        await new Promise((resolve) => setTimeout(resolve, pause));
        waited += pause + THREAD_WAIT_MS;
      }
    },
  };
}

/** Whether an error says that another program holds the database. */
export function isBusy(error: unknown): boolean {
  return error instanceof StoreError && error.failure === "busy";
}

/** Keeps the log short. */
interface LogKeeper {
  /** Empties the log if it has become long and nobody reads from it. Reports once that it cannot. */
  shrink(): void;
}

/** Creates the keeper of a database's log. `connection` is the one that writes. */
export function createLogKeeper(
  connection: Connection,
  file: string,
  say: Say,
  { usual = USUAL_LOG, largest = LARGEST_LOG }: { usual?: number; largest?: number } = {},
): LogKeeper {
  let said = false;
  return {
    shrink() {
      const log = `${file}-wal`;
      const size = () => infoIfThere(log)?.size ?? 0;
      if (size() <= usual || connection.inTransaction()) return;
      connection.rows("PRAGMA wal_checkpoint(TRUNCATE)");
      const left = size();
      if (left > largest && !said) {
        const megabytes = Math.round(left / 1024 / 1024);
        say(
          `Another program reads the database, so its log has grown to ${megabytes} MB: ` +
            `close the program that has ${JSON.stringify(file)} open`,
        );
      }
      said = left > largest;
    },
  };
}
