/**
 * Confirmations of destructive changes.
 *
 * @module
 */

import type { Context } from "../context.ts";
import { toggle } from "./command.ts";

/** The flags of a destructive command. */
export const confirmFlags = {
  confirm: toggle("Skip the confirmation", { short: "y" }),
  yes: toggle("Skip the confirmation", { hidden: true }),
};

/** The values of {@linkcode confirmFlags}. */
export interface Consent {
  /** `-y`, or `--confirm`. */
  confirm?: boolean | undefined;
  /** `--yes`. */
  yes?: boolean | undefined;
}

/** Asks for a confirmation, unless `-y` is given. */
export async function askFirst(
  context: Context,
  { confirm, yes }: Consent,
  question: string,
): Promise<void> {
  await context.ask.confirm(question, { flag: "-y", yes: confirm === true || yes === true });
}

/**
 * Asks for the confirmation of a change to an object of a project, unless `-y` is given. `deed`
 * reads and names the object first, so there is no question about an unknown object.
 *
 * @example
 * ```ts ignore
 * await askAbout(context, input, async () => `Delete the app ${(await getApp(client, id)).name}`);
 * ```
 */
export async function askAbout(
  context: Context,
  consent: Consent,
  deed: () => string | Promise<string>,
  project?: string,
): Promise<void> {
  if (consent.confirm === true || consent.yes === true) return;
  const within = project ?? (await context.client()).projectId;
  const where = within === undefined ? "" : ` in the project ${within}`;
  await askFirst(context, consent, `${await deed()}${where}?`);
}
