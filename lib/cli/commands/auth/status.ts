/**
 * `cli auth status`
 *
 * @module
 */

import { DEFAULT_BASE_URL, serviceAddress } from "../../../address.ts";
import {
  type FoundCredential,
  resolveCredential,
  type ResolvedCredential,
} from "../../../auth/credential.ts";
import { missingCredential } from "../../../auth/stored.ts";
import { DEFAULT_SCOPES, missingScopes } from "../../../auth/scopes.ts";
import { setting, type Surroundings } from "../../../config/surroundings.ts";
import { resolveConnection } from "../../../connect.ts";
import { ApiError, AuthError } from "../../../errors.ts";
import { listProjects } from "../../../resources/projects.ts";
import { HOW_TO_TRUST, untrustedSignIn, whyUntrusted } from "../../checks/trust.ts";
import { command, text, toggle } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import type { Field } from "../../screen/output.ts";

/** The displayed fields of a sign-in. */
interface ShownCredential {
  /** The kind of its source: `environment`, `local` or `global`. */
  origin: string;
  /** The source: a variable or a file. */
  source: string;
  /** The profile's name, if it is a profile. */
  profile: string | null;
  /** The choice of the profile. */
  chosen_by: string | null;
  /** The service that issued it; for a token from the environment, the one that commands use. */
  base_url: string;
  /** The token's first and last four characters. */
  token: string;
  /** When the access token ends, in milliseconds since 1970. It is renewed when it is needed. */
  expires_at: number | null;
  /** The permissions granted, separated by spaces. */
  scope: string | null;
}

/** Shows the current sign-in, its source and the sign-ins it overrides. */
export const status = command({
  brief: "Show the current sign-in and its source",
  flags: {
    name: text("The profile to show, if no .cli/config.json applies", {
      short: "n",
      placeholder: "name",
    }),
    validate: toggle("Ask the service whether it accepts the sign-in"),
  },
  async run(context, { name, validate }) {
    const credential = await credentialToShow(context, name);
    if (!credential) throw await missingCredential(context.around);
    const refusal = validate ? await refusalOf(context, credential) : undefined;
    const valid = validate ? refusal === undefined : null;
    show(context, credential, valid);
    warnOfOtherService(context, credential);
    await warnOfTrust(context, credential);
    if (refusal) throw refusal;
  },
});

/** Warns that the sign-in is for another service than the current one. */
function warnOfOtherService({ around, out }: Context, credential: ResolvedCredential): void {
  const variable = setting(around, "CLI_BASE_URL");
  const { baseUrl, signIn } = credential;
  if (variable === undefined || baseUrl === undefined) return;
  const [meant, own] = [serviceAddress(variable), serviceAddress(baseUrl)];
  if (meant === own) return;
  out.warn(`Commands fail: CLI_BASE_URL is ${meant}, and this sign-in is for ${own}`);
  out.note(`Unset CLI_BASE_URL, or sign in there with: ${signIn}`);
}

/** Warns that commands do not use the sign-in before it is trusted. */
async function warnOfTrust({ around, out }: Context, { kind }: ResolvedCredential): Promise<void> {
  const untrusted = kind === "local" && await untrustedSignIn(around);
  if (!untrusted) return;
  out.warn(`Commands do not use it yet: ${whyUntrusted(untrusted)}`);
  out.note(HOW_TO_TRUST);
}

/** The service of a sign-in. A token from the environment goes where all commands send requests. */
function serviceOf(around: Surroundings, { baseUrl }: FoundCredential): string {
  return serviceAddress(baseUrl ?? setting(around, "CLI_BASE_URL") ?? DEFAULT_BASE_URL);
}

/** A sign-in without secrets. */
function shownCredential(around: Surroundings, found: FoundCredential): ShownCredential {
  return {
    origin: found.kind === "profile" ? "global" : found.kind,
    source: found.source,
    profile: found.name ?? null,
    chosen_by: found.chosenBy ?? null,
    base_url: serviceOf(around, found),
    token: found.preview,
    expires_at: found.expiresAtMs ?? null,
    scope: found.scope ?? null,
  };
}

/** The current sign-in, or the requested profile if possible. */
async function credentialToShow(
  context: Context,
  name: string | undefined,
): Promise<ResolvedCredential | undefined> {
  const { around, globals, out } = context;
  const applying = await resolveCredential(around, { profile: globals.profile, withShadows: true });
  if (name === undefined) return applying;
  if (applying?.kind === "local") {
    out.warn(`${applying.source} applies here, so the profile ${JSON.stringify(name)} does not.`);
    return applying;
  }
  return await resolveCredential(around, { profile: name, withShadows: true });
}

/** The service's reason to refuse a sign-in, or undefined. */
async function refusalOf(
  { around, signal }: Context,
  credential: ResolvedCredential,
): Promise<Error | undefined> {
  const profile = credential.kind === "profile" ? credential.name : undefined;
  const { client } = await resolveConnection(around, { profile, signal });
  try {
    await listProjects(client, { limit: 1 });
    return undefined;
  } catch (error) {
    // The answer proves the sign-in even without the permission to list projects.
    if (error instanceof ApiError && error.status === 403) return undefined;
    if (error instanceof AuthError || error instanceof ApiError) return error;
    throw error;
  }
}

/** Shows a sign-in. */
function show(
  { out, around }: Context,
  credential: ResolvedCredential,
  valid: boolean | null,
): void {
  const shown = shownCredential(around, credential);
  const shadows = credential.shadows.map((shadow) => shownCredential(around, shadow));
  if (out.format === "json") return out.json(JSON.stringify({ ...shown, valid, shadows }));
  const expired = shown.expires_at !== null && shown.expires_at <= around.now();
  const fields: Field<ShownCredential>[] = [
    { label: "origin", value: ({ origin }) => origin },
    { label: "source", value: ({ source }) => source },
    { label: "profile", value: ({ profile }) => profile },
    { label: "chosen_by", value: ({ chosen_by }) => chosen_by },
    { label: "base_url", value: ({ base_url }) => base_url },
    { label: "token", value: ({ token }) => token },
    // The sign-in continues when its access token ends.
    { label: "renews", value: ({ expires_at }) => expires_at, kind: "time" },
    { label: "scope", value: ({ scope }) => scopeWords(scope) },
    ...valid === null ? [] : [{ label: "valid", value: () => valid }],
    ...shadows.map((shadow) => ({ label: "shadows", value: () => placeOf(shadow) })),
  ];
  out.card(shown, fields);
  if (expired) out.note("The access token has expired; the next command renews it.");
}

/** Permissions for display: the usual ones would fill the screen. */
function scopeWords(scope: string | null): string | null {
  if (scope === null || missingScopes(scope, DEFAULT_SCOPES).length > 0) return scope;
  return "all permissions that the commands need";
}

/** An overridden sign-in on one line. */
function placeOf({ source, profile, token }: ShownCredential): string {
  return `${source}${profile === null ? "" : ` (profile ${profile})`}: ${token}`;
}
