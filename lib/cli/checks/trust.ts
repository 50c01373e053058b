/**
 * Checks whether the sign-in of the working folder may be used: one from another machine needs
 * trust first.
 *
 * @module
 */

import { DEFAULT_BASE_URL, serviceAddress } from "../../address.ts";
import { isKnownFolder } from "../../config/folders.ts";
import { readLocal } from "../../config/local.ts";
import type { Surroundings } from "../../config/surroundings.ts";

/** A sign-in in a folder that was neither made nor trusted on this machine. */
interface UntrustedSignIn {
  /** Its file. */
  path: string;
  /** The service that it is for. */
  baseUrl: string;
}

/** The sign-in of the working folder, if it has one that is not trusted. */
export async function untrustedSignIn(around: Surroundings): Promise<UntrustedSignIn | undefined> {
  const local = await readLocal(around);
  if (!local?.profile) return undefined;
  const baseUrl = serviceAddress(local.profile.base_url ?? DEFAULT_BASE_URL);
  return await isKnownFolder(around, local, baseUrl) ? undefined : { path: local.path, baseUrl };
}

/** The problem of such a sign-in, as a clause. */
export function whyUntrusted({ path, baseUrl }: UntrustedSignIn): string {
  return `the sign-in in ${path} was not made on this machine; it is for ${baseUrl}`;
}

/** The remedy. */
export const HOW_TO_TRUST = "If you trust that service, run in the folder: cli auth trust. Else " +
  "replace the sign-in with: cli init --force";
