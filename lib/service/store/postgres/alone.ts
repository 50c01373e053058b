/**
 * One connection for one transaction, beside those of a service.
 *
 * @module
 */

import { type Address, readAddress } from "./address.ts";
import { connect } from "./connect.ts";
import type { Wire } from "./driver.ts";
import { unusable } from "./unusable.ts";

/** A connection that nobody shares. */
interface Alone {
  /** The connection. */
  wire: Wire;
  /** The database. */
  address: Address;
  /** Closes the connection, which ends its transaction unless it was committed. */
  close(): Promise<void>;
}

/**
 * Connects to a database and begins something there. After a failure the connection is closed.
 *
 * @throws {ConfigError} when the database cannot be used.
 */
export async function connectAlone<T>(
  text: string,
  begin: (alone: Alone) => Promise<T>,
): Promise<T> {
  const address = readAddress(text);
  try {
    const { pool, wire } = await connect(address, 1);
    const close = async () => {
      wire.release(true);
      await pool.close();
    };
    try {
      return await begin({ wire, address, close });
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    throw unusable(address, error);
  }
}
