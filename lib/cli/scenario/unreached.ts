/**
 * Programs under test that take no connection.
 *
 * @module
 */

import { deepestMessage, unreachable } from "../../retry.ts";

/** Why no connection to an address was made; undefined when a request failed in another way. */
export function whyUnreached(error: unknown, url: string): string | undefined {
  if (!/client error \(Connect\)|connection refused/i.test(deepestMessage(error))) return undefined;
  return unreachable(error, url).message.replace(/^C/, "c");
}
