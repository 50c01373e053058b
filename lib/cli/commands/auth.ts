/**
 * `cli auth …`
 *
 * @module
 */

import {
  activeProfile,
  DEFAULT_PROFILE,
  readProfile,
  readProfileNames,
  setActive,
} from "../../auth/store.ts";
import { resolveCredential } from "../../auth/credential.ts";
import { redactToken } from "../../debug.ts";
import { ConfigError } from "../../errors.ts";
import { argument, command, group } from "../words/command.ts";
import type { Context } from "../context.ts";
import type { Column } from "../screen/output.ts";
import { login } from "./auth/login.ts";
import { logout } from "./auth/logout.ts";
import { status } from "./auth/status.ts";
import { trust } from "./auth/trust.ts";
import { authDoctor } from "./doctor.ts";

/** The displayed fields of a profile. */
interface ListedProfile {
  /** Its name. */
  name: string;
  /** Whether it is the active profile. */
  active: boolean;
  /** Its service. */
  base_url: string | null;
  /** The access token's first and last four characters. */
  token: string | null;
  /** When the access token ends, in milliseconds since 1970. */
  expires_at: number | null;
  /** The permissions granted, separated by spaces. */
  scope: string | null;
  /** The reason why it cannot be used, if any. */
  problem: string | null;
}

const columns: Column<ListedProfile>[] = [
  { header: "name", value: ({ name }) => name, kind: "id" },
  { header: "active", value: ({ active }) => active ? "yes" : null },
  { header: "service", value: ({ base_url }) => base_url },
  { header: "token", value: ({ token }) => token },
  { header: "renews", value: ({ expires_at }) => expires_at, kind: "time" },
  { header: "problem", value: ({ problem }) => problem },
];

const list = command({
  brief: "List the stored sign-ins",
  async run(context) {
    const { around, out } = context;
    const names = await readProfileNames(around);
    const active = await activeProfile(around) ?? DEFAULT_PROFILE;
    const profiles = await Promise.all(names.map((name) => listed(context, name, active)));
    if (out.format === "json") return out.json(JSON.stringify({ profiles }), "profiles");
    const shown = profiles.some(({ problem }) => problem !== null)
      ? columns
      : columns.filter(({ header }) => header !== "problem");
    const given = Boolean(around.env("CLI_REFRESH_TOKEN")?.trim());
    out.table(profiles, shown, {
      empty: given
        ? "No sign-in is stored. CLI_REFRESH_TOKEN applies; see: cli auth status"
        : "Nobody is signed in. Run: cli auth login",
    });
  },
});

/** The displayed fields of one profile, even of a malformed one. */
async function listed(context: Context, name: string, active: string): Promise<ListedProfile> {
  const common = { name, active: name === active };
  try {
    const profile = await readProfile(context.around, name);
    return {
      ...common,
      base_url: profile?.base_url ?? null,
      token: profile ? redactToken(profile.access_token) : null,
      expires_at: profile?.expires_at_ms ?? null,
      scope: profile?.scope ?? null,
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const nothing = { base_url: null, token: null, expires_at: null, scope: null };
    return { ...common, ...nothing, problem: error.message };
  }
}

const use = command({
  brief: "Choose the active profile",
  args: { profile: argument("The profile's name") },
  async run({ around, out }, { profile }) {
    await setActive(around, profile);
    out.done(`The active profile is ${JSON.stringify(profile)}`);
    if (out.format === "json") out.json(JSON.stringify({ active: profile }));
    const used = await resolveCredential(around);
    if (!used || used.name === profile) return;
    const what = used.kind === "profile" ? "CLI_PROFILE" : used.source;
    out.warn(`${what} overrides it here.`);
  },
});

/** Sign-ins. */
export const auth = group("Sign in, sign out, and show the current sign-in", [], {
  login,
  status,
  list,
  use,
  trust,
  logout,
  doctor: authDoctor,
});
