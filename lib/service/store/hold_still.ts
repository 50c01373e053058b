/**
 * Makes a copy of a database a place where only what is asked for happens.
 *
 * @module
 */

import { connect } from "./sqlite/connection.ts";

/**
 * Stops the clocks of all projects at a moment of wall time, and disables their webhooks: a copy has no
 * business with other programs.
 */
export function holdStill(file: string, wall: number): void {
  const connection = connect(file);
  try {
    connection.rows(
      "UPDATE projects SET clock_frozen_at = ? + clock_offset WHERE clock_frozen_at IS NULL",
      wall,
    );
    connection.rows(
      "UPDATE webhook_integrations SET disabled_at = ? WHERE disabled_at IS NULL",
      wall,
    );
  } finally {
    connection.close();
  }
}
