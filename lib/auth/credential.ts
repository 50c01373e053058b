/**
 * The current sign-in, its source and the sources it overrides.
 *
 * Gap: the specification orders the environment, the local file and the profiles, and lets
 * `--profile` choose among the profiles. It does not cover `--profile work` where a local file
 * applies. The person names the wanted sign-in, so the profile overrides the local file.
 * `CLI_PROFILE` has the same effect as `--profile`. `CLI_REFRESH_TOKEN` replaces all files, so it
 * overrides both, with a warning that the option has no effect.
 *
 * @module
 */

import type { Credential } from "../client.ts";
import { findFirst, type Lookup, type Origin } from "../config/origin.ts";
import { setting, type Surroundings } from "../config/surroundings.ts";
import { UsageError } from "../errors.ts";
import { preview } from "./preview.ts";
import type { TokenEndpoint } from "./token.ts";

/** A sign-in that was found. It is safe to show: it does not contain the tokens. */
export interface FoundCredential extends Origin<"option" | "environment" | "local" | "profile"> {
  /** The profile's name, for a profile. */
  name?: string | undefined;
  /** The choice of the profile: `--profile`, `CLI_PROFILE`, `active` or `default`. */
  chosenBy?: string | undefined;
  /** The service that issued a sign-in from a file. It is used nowhere else. */
  baseUrl?: string | undefined;
  /** The OAuth client of a sign-in from a file. */
  clientId?: string | undefined;
  /** When the access token of a sign-in from a file ends, in milliseconds since 1970. */
  expiresAtMs?: number | undefined;
  /** The granted scopes, separated by spaces, if known. */
  scope?: string | undefined;
  /** The command that replaces a sign-in from a file. */
  signIn?: string | undefined;
  /** The first and last four characters of the access token in a file, or of the given token. */
  preview: string;
}

/** The current sign-in. */
export interface ResolvedCredential extends FoundCredential {
  /** The sign-ins that it overrides. Empty unless requested. */
  shadows: readonly FoundCredential[];
}

/** A usable sign-in. */
export interface Usable extends FoundCredential {
  /** The scopes that it had at a service when last checked, if known. */
  scopeAt(baseUrl: string): Promise<string | undefined>;
  /** Makes the credential that requests carry. */
  open(endpoint: TokenEndpoint): Credential;
}

/** The current sign-in, ready for use. */
interface UsableCredential extends ResolvedCredential, Usable {}

/** The options of the search. */
interface CredentialOptions {
  /** The value of `--profile`. */
  profile?: string | undefined;
  /** A refresh token from the caller. It overrides everything else. */
  refreshToken?: string | undefined;
  /** Whether to find the overridden sign-ins, too. Default: false. */
  withShadows?: boolean | undefined;
}

/**
 * Finds the sign-in: `CLI_REFRESH_TOKEN`, a profile named by `--profile` or `CLI_PROFILE`, the
 * local `.cli/config.json`, then the profile named by `~/.cli/active`, or `default`.
 *
 * @throws {AuthError} when the named profile does not exist. It lists the existing ones.
 * @throws {UsageError} when the given token is empty.
 * @throws {ConfigError} when a file is malformed or readable by others.
 */
export async function resolveCredential(
  around: Surroundings,
  options: CredentialOptions = {},
): Promise<UsableCredential | undefined> {
  const { profile } = options;
  if (options.refreshToken?.trim() === "") {
    throw new UsageError("Cannot sign in with an empty refresh token", {
      hint: "Leave refreshToken out to use CLI_REFRESH_TOKEN or the stored sign-in.",
    });
  }
  const named = chosenProfile(around, profile);
  // A command loads the code of one kind of sign-in.
  const stored = () => import("./stored.ts");
  const lookups: Lookup<Usable>[] = [
    async () => await given(around, "option", "refreshToken", options.refreshToken),
    async () =>
      await given(around, "environment", "CLI_REFRESH_TOKEN", setting(around, "CLI_REFRESH_TOKEN")),
    async () => named && await (await stored()).namedProfile(around, named.name, named.chosenBy),
    async () => await (await stored()).localCredential(around),
    async () => named ? undefined : await (await stored()).standingProfile(around),
  ];
  const withShadowed = options.withShadows ?? false;
  const { first, shadowed } = await findFirst(lookups, { withShadowed });
  if (first && first.kind !== "profile" && profile !== undefined) {
    const name = JSON.stringify(profile);
    around.warn(`${first.source} is set, so the profile ${name} is not used.`);
  }
  return first && { ...first, shadows: shadowed };
}

/** The profile named by an option or the environment, and that source. */
function chosenProfile(
  around: Surroundings,
  option: string | undefined,
): { name: string; chosenBy: string } | undefined {
  if (option !== undefined) return { name: option, chosenBy: "--profile" };
  const variable = setting(around, "CLI_PROFILE");
  return variable === undefined ? undefined : { name: variable, chosenBy: "CLI_PROFILE" };
}

/** The given token, if there is one. */
async function given(
  around: Surroundings,
  kind: "option" | "environment",
  source: string,
  token: string | undefined,
): Promise<Usable | undefined> {
  if (token === undefined) return undefined;
  const { environmentCredential, rememberedScope } = await import("./environment.ts");
  return {
    kind,
    source,
    preview: preview(token),
    scopeAt: (baseUrl) => rememberedScope(around, { token, source }, baseUrl),
    open: (endpoint) => environmentCredential({ token, source }, endpoint),
  };
}
