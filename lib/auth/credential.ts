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
import { admitFolder } from "../config/folders.ts";
import { readLocal } from "../config/local.ts";
import { findFirst, type Lookup, type Origin } from "../config/origin.ts";
import type { StoredToken } from "../config/stored_token.ts";
import { homeFile, mayAccess, setting, type Surroundings } from "../config/surroundings.ts";
import { AuthError, UsageError } from "../errors.ts";
import { environmentCredential, rememberedScope } from "./environment.ts";
import { storedCredential } from "./renewal.ts";
import {
  activeProfile,
  DEFAULT_PROFILE,
  localPlace,
  missingProfile,
  profilePlace,
  readProfile,
  readProfileNames,
  type TokenPlace,
} from "./store.ts";
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
interface Usable extends FoundCredential {
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
  const lookups: Lookup<Usable>[] = [
    async () => given(around, "option", "refreshToken", options.refreshToken),
    async () =>
      given(around, "environment", "CLI_REFRESH_TOKEN", setting(around, "CLI_REFRESH_TOKEN")),
    async () => named && await namedProfile(around, named.name, named.chosenBy),
    async () => await localCredential(around),
    async () => named ? undefined : await standingProfile(around),
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

/** The error for a request without a sign-in. It lists the available ones. */
export async function missingCredential(around: Surroundings): Promise<AuthError> {
  const names = await readProfileNames(around);
  if (names.length > 0) {
    const list = names.map((name) => JSON.stringify(name)).join(", ");
    return new AuthError(`Cannot choose a sign-in: the profile "default" is not among ${list}`, {
      hint: `Choose one with: cli auth use ${names[0]}`,
    });
  }
  const path = homeFile(around, "config.json");
  const readable = path !== undefined && mayAccess("read", path);
  return new AuthError("Cannot send the request: nobody is signed in", {
    hint: readable
      ? "Run: cli auth login, or in CI set CLI_REFRESH_TOKEN"
      : "Set CLI_REFRESH_TOKEN, or let this program read the stored sign-in with: " +
        "--allow-env=CLI_*,HOME --allow-read --allow-write",
  });
}

/** The given token, if there is one. */
function given(
  around: Surroundings,
  kind: "option" | "environment",
  source: string,
  token: string | undefined,
): Usable | undefined {
  if (token === undefined) return undefined;
  return {
    kind,
    source,
    preview: preview(token),
    scopeAt: (baseUrl) => rememberedScope(around, { token, source }, baseUrl),
    open: (endpoint) => environmentCredential({ token, source }, endpoint),
  };
}

/** A sign-in from a file. */
function stored(
  kind: "local" | "profile",
  place: TokenPlace,
  token: StoredToken,
): Usable {
  return {
    kind,
    source: place.path,
    baseUrl: token.base_url,
    clientId: token.client_id,
    expiresAtMs: token.expires_at_ms,
    scope: token.scope,
    signIn: place.signIn,
    preview: preview(token.access_token),
    scopeAt: () => Promise.resolve(token.scope),
    open: (endpoint) => storedCredential(place, token, endpoint),
  };
}

/** The sign-in in the local file, if there is one. */
async function localCredential(around: Surroundings): Promise<Usable | undefined> {
  const local = await readLocal(around);
  if (!local?.profile) return undefined;
  const admit = (baseUrl: string) => admitFolder(around, local, baseUrl);
  return stored("local", { ...localPlace(local.path), admit }, local.profile);
}

/** The profile with a given name. */
async function namedProfile(
  around: Surroundings,
  name: string,
  chosenBy: string,
): Promise<Usable> {
  const found = await profileOf(around, name, chosenBy);
  if (!found) throw missingProfile(name, await readProfileNames(around));
  return found;
}

/** The active profile. */
async function standingProfile(around: Surroundings): Promise<Usable | undefined> {
  const active = await activeProfile(around);
  return active === undefined
    ? await profileOf(around, DEFAULT_PROFILE, "default")
    : await profileOf(around, active, "active");
}

/** The profile of a name, if there is one. */
async function profileOf(
  around: Surroundings,
  name: string,
  chosenBy: string,
): Promise<Usable | undefined> {
  const path = homeFile(around, "config.json");
  const token = await readProfile(around, name);
  if (path === undefined || !token) return undefined;
  return { ...stored("profile", profilePlace(path, name), token), name, chosenBy };
}

/** The first and last four characters of a token. A short one is not shown at all. */
function preview(token: string): string {
  return token.length < 16 ? "[hidden]" : `${token.slice(0, 4)}…${token.slice(-4)}`;
}
