/**
 * Which programs under test may be reached: those on this machine, unless others are allowed.
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import { isLoopbackHost } from "../../loopback.ts";

/** Whether an address is one of this machine. */
export function isHere(url: string): boolean {
  const address = URL.parse(url);
  if (!address || !/^https?:$/.test(address.protocol)) return false;
  return isLoopbackHost(address.hostname);
}

/**
 * Makes sure that an address may be used.
 *
 * @throws {UsageError} when it is no address, or of another machine that is not allowed.
 */
export function checkHost(url: string, flag: string, allowHost: boolean): void {
  const address = URL.parse(url);
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw new UsageError(`Cannot use ${JSON.stringify(url)} for ${flag}: it is no http address`, {
      hint: `Pass an address such as ${flag} http://localhost:3000/hook`,
    });
  }
  if (allowHost || isHere(url)) return;
  throw new UsageError(
    `Cannot use ${JSON.stringify(url)} for ${flag}: ${address.hostname} is not this machine`,
    { hint: "Pass --allow-host to reach other machines." },
  );
}
