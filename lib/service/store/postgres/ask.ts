/**
 * One statement on any connection of the pool.
 *
 * @module
 */

import type { Answer, Pool } from "./driver.ts";
import { toStoreError } from "./errors.ts";

/** Runs one statement on its own. */
export async function ask(
  pool: Pool,
  sql: string,
  parameters?: readonly unknown[],
): Promise<Answer> {
  const wire = await pool.take();
  let broken = true;
  try {
    const answer = await wire.send(sql, parameters);
    broken = false;
    return answer;
  } catch (error) {
    throw toStoreError(error);
  } finally {
    wire.release(broken);
  }
}
