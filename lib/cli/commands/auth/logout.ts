/**
 * `cli auth logout`
 *
 * @module
 */

import {
  activeProfile,
  checkRemovable,
  DEFAULT_PROFILE,
  missingProfile,
  readProfile,
  readProfileNames,
  removeProfile,
} from "../../../auth/store.ts";
import { shellWord } from "../../../config/shell_word.ts";
import { readLocal } from "../../../config/local.ts";
import { setting } from "../../../config/surroundings.ts";
import { ToolkitError, UsageError } from "../../../errors.ts";
import { command, optionalArgument, toggle } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import { PartlyDone } from "../../screen/outcome.ts";
import { askFirst } from "../../words/plain.ts";

/** The result for a profile. */
interface SignedOut {
  /** The profile's name. */
  profile: string;
  /** Whether the service has ended the sign-in. */
  revoked: boolean;
}

/** Revokes stored sign-ins and removes them. */
export const logout = command({
  brief: "Sign out",
  details:
    "Revokes the sign-in at the service, then removes the profile. If the service cannot be " +
    "reached, the profile is removed anyway, and the exit code is 9.",
  args: { profile: optionalArgument("The profile (default: the active one)") },
  flags: {
    all: toggle("Sign out of all profiles"),
    yes: toggle("Skip the confirmation", { short: "y" }),
    confirm: toggle("Skip the confirmation", { hidden: true }),
  },
  async run(context, { profile, all, ...input }) {
    const { around, out } = context;
    const names = await namesToRemove(context, profile, all === true);
    if (names.length > 0) {
      const what = names.map((name) => JSON.stringify(name)).join(", ");
      const noun = names.length === 1 ? "profile" : "profiles";
      await askFirst(context, input, `Sign out of the ${noun} ${what}?`);
      await checkRemovable(around);
    }
    const applied = await activeProfile(around) ?? DEFAULT_PROFILE;
    const done = await Promise.all(names.map((name) => signOutOf(context, name)));
    for (const { profile, revoked } of done) {
      const how = revoked ? "" : ", but not revoked";
      out.done(`Signed out of the profile ${JSON.stringify(profile)}${how}`);
    }
    if (done.length === 0) out.note("Nobody is signed in: there is nothing to do.");
    if (out.format === "json") out.json(JSON.stringify({ signed_out: done }));
    await tellRemaining(context, applied);
    refuseKept(done);
  },
});

/** Fails when a sign-in was removed here, and may go on at the service. */
function refuseKept(done: readonly SignedOut[]): void {
  const kept = done.filter(({ revoked }) => !revoked);
  if (kept.length === 0) return;
  const names = kept.map(({ profile }) => JSON.stringify(profile)).join(", ");
  const noun = kept.length === 1 ? "profile" : "profiles";
  throw new PartlyDone(`Cannot revoke the sign-in of the ${noun} ${names}: it was only removed`, {
    hint: "Copies of its tokens work until they expire, or until the service revokes them.",
  });
}

/** The profiles to sign out of. */
async function namesToRemove(
  context: Context,
  profile: string | undefined,
  all: boolean,
): Promise<string[]> {
  const { around, globals } = context;
  const names = await readProfileNames(around);
  if (all && profile !== undefined) {
    throw new UsageError("Cannot sign out: a profile's name and --all exclude each other", {
      hint: "Leave out one of them.",
    });
  }
  if (all) return names;
  const name = profile ?? globals.profile ?? setting(around, "CLI_PROFILE") ??
    await activeProfile(around) ?? DEFAULT_PROFILE;
  if (!names.includes(name)) throw missingProfile(name, names);
  return [name];
}

/** Revokes a sign-in if possible, and removes it in any case. */
async function signOutOf(context: Context, name: string): Promise<SignedOut> {
  const { around, signal, out } = context;
  let revoked = false;
  try {
    const profile = await readProfile(around, name);
    const { signOut } = await import("../../../connect.ts");
    if (profile) await signOut(profile, { surroundings: around, signal });
    revoked = profile !== undefined;
  } catch (error) {
    if (!(error instanceof ToolkitError)) throw error;
    out.warn(error.message);
  }
  await removeProfile(around, name);
  return { profile: name, revoked };
}

/** Shows the sign-ins that still apply here, and a changed active profile. */
async function tellRemaining({ around, out }: Context, applied: string): Promise<void> {
  const local = await readLocal(around).catch(() => undefined);
  if (setting(around, "CLI_REFRESH_TOKEN") !== undefined) {
    out.note("CLI_REFRESH_TOKEN is set and still applies.");
  } else if (local?.profile) {
    out.note(`${local.path} has its own sign-in, which still applies in its folder.`);
  }
  const left = await readProfileNames(around);
  if (left.length === 0 || left.includes(applied)) return;
  out.note(
    left.includes(DEFAULT_PROFILE)
      ? `The profile "${DEFAULT_PROFILE}" applies now.`
      : `No profile is active now. Choose one with: cli auth use ${
        left.length === 1 ? shellWord(left[0] ?? "") : "NAME"
      }`,
  );
}
