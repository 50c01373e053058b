/**
 * `cli auth login`
 *
 * @module
 */

import { resolveCredential } from "../../../auth/credential.ts";
import { DEFAULT_SCOPES, missingScopes } from "../../../auth/scopes.ts";
import {
  activeProfile,
  checkStorable,
  DEFAULT_PROFILE,
  type Profile,
  readProfile,
  saveProfile,
  setActive,
} from "../../../auth/store.ts";
import type { Client } from "../../../client.ts";
import { resolveProject } from "../../../config/project.ts";
import type { StoredToken } from "../../../config/stored_token.ts";
import { setting } from "../../../config/surroundings.ts";
import { ApiError, ToolkitError } from "../../../errors.ts";
import { each, LARGEST_PAGE } from "../../../page.ts";
import { listProjects, type Project } from "../../../resources/projects.ts";
import { shellWord } from "../../../config/shell_word.ts";
import { parseCount } from "../../input/input.ts";
import { command, parsed, text, texts, toggle } from "../../words/command.ts";
import type { Context } from "../../context.ts";
import type { Column } from "../../screen/output.ts";
import { parseScopes, signInHere } from "./sign_in_here.ts";

/** Signs in with a browser and stores the sign-in as a profile. */
export const login = command({
  brief: "Sign in with a browser",
  details:
    "Stores the sign-in as a profile in ~/.cli/config.json and makes it the active profile. A " +
    "profile of the same name is replaced and its sign-in revoked. On a machine without a browser, " +
    "forward a port to it (ssh -L 8976:127.0.0.1:8976) and pass --callback-port 8976, or pass --paste.",
  flags: {
    name: text('The profile\'s name (default: "default")', { short: "n", placeholder: "name" }),
    client_id: text("The OAuth client (default: CLI_OAUTH_CLIENT_ID, else the built-in one)", {
      placeholder: "id",
    }),
    scope: texts("The permissions to request (default: all that the commands need)", {
      placeholder: "scope",
    }),
    callback_port: parsed(
      "The port of 127.0.0.1 for the browser's answer (default: any)",
      (value) => parseCount(value, "--callback-port", { min: 1, max: 65_535 }),
      { placeholder: "port" },
    ),
    paste: toggle("Paste the answer, if no browser can reach this machine"),
    no_verify: toggle("Store the sign-in without testing it"),
  },
  async run(context, { name, client_id, scope, no_verify, callback_port, paste }) {
    const { around, out } = context;
    const named = context.globals.profile ?? setting(around, "CLI_PROFILE");
    const profile = name ?? named ?? DEFAULT_PROFILE;
    const scopes = parseScopes(scope);
    await checkStorable(around, profile);
    const previous = await presentProfile(context, profile);
    let projects: Project[] | undefined;
    const complete = async (token: StoredToken, client: Client) => {
      if (!no_verify) projects = await visibleProjects(context, client);
      await saveProfile(around, { ...token, name: profile });
    };
    const baseUrl = setting(around, "CLI_BASE_URL") ?? previous?.base_url;
    const token = await signInHere(context, {
      baseUrl,
      clientId: client_id,
      scopes,
      complete,
      callbackPort: callback_port,
      paste,
    });
    out.done(`Signed in to ${token.base_url} as the profile ${JSON.stringify(profile)}`);
    if (previous) await revokeReplaced(context, previous);
    await makeActive(context, profile);
    tellMissing(context, token, scopes ?? DEFAULT_SCOPES);
    show(context, { ...token, name: profile }, projects);
    await tellNext(context, profile, projects);
  },
});

/** The profile to replace. A malformed one counts as missing. */
async function presentProfile(context: Context, name: string): Promise<Profile | undefined> {
  try {
    return await readProfile(context.around, name);
  } catch (error) {
    if (!(error instanceof ToolkitError)) throw error;
    context.out.warn(`${error.message}. It will be replaced.`);
    return undefined;
  }
}

/** The projects of the sign-in: the proof that the service accepts it. */
async function visibleProjects(context: Context, client: Client): Promise<Project[] | undefined> {
  try {
    const first = listProjects(client, { limit: LARGEST_PAGE });
    return await Array.fromAsync(each(client, first));
  } catch (error) {
    // Accepted, but without the permission to list projects.
    if (!(error instanceof ApiError && error.status === 403)) throw error;
    context.out.warn(`The sign-in works, but cannot list projects: ${error.message}`);
    return undefined;
  }
}

/** Ends the previous sign-in of this name, if possible. */
async function revokeReplaced(context: Context, previous: Profile): Promise<void> {
  const { around, signal, out } = context;
  const { signOut } = await import("../../../connect.ts");
  try {
    await signOut(previous, { surroundings: around, signal });
  } catch (error) {
    if (!(error instanceof ToolkitError)) throw error;
    out.warn(`The previous sign-in was replaced, but not revoked: ${error.message}`);
  }
}

/**
 * Makes the profile the active one, so that the next command uses it.
 *
 * Gap: the specification does not define the active profile after a sign-in. It is the new one; a
 * note shows how to switch back.
 */
async function makeActive({ around, out }: Context, name: string): Promise<void> {
  const active = await activeProfile(around);
  if (name === (active ?? DEFAULT_PROFILE)) return;
  await setActive(around, name);
  const before = active ?? (await readProfile(around, DEFAULT_PROFILE) && DEFAULT_PROFILE);
  if (before === undefined) return;
  out.note(`It is the active profile now. Switch back with: cli auth use ${shellWord(before)}`);
}

/** Warns of permissions that were requested and not granted. */
function tellMissing(context: Context, token: StoredToken, asked: readonly string[]): void {
  const missing = missingScopes(token.scope ?? "", asked);
  if (missing.length > 0) context.out.warn(`The service did not grant: ${missing.join(" ")}`);
}

const columns: Column<Project>[] = [
  { header: "project", value: ({ id }) => id, kind: "id" },
  { header: "name", value: ({ name }) => name },
];

/** Shows the sign-in's projects, or with `--output json` all its data. */
function show({ out }: Context, profile: Profile, projects: Project[] | undefined): void {
  if (out.format === "table") {
    if (projects) out.table(projects, columns, { empty: "It sees no project yet." });
    return;
  }
  out.json(JSON.stringify({
    profile: profile.name,
    base_url: profile.base_url,
    client_id: profile.client_id,
    scope: profile.scope ?? null,
    expires_at: profile.expires_at_ms,
    projects: projects?.map(({ id, name }) => ({ id, name })) ?? null,
  }));
}

/** Warns if the next command would use another sign-in, and shows the next command. */
async function tellNext(
  context: Context,
  profile: string,
  projects: Project[] | undefined,
): Promise<void> {
  const { around, out } = context;
  // The sign-in is done; the next command reports problems of other files.
  const used = await resolveCredential(around).catch(() => undefined);
  if (used?.kind === "environment") {
    out.warn(`${used.source} is set and overrides it. Unset it to use this sign-in.`);
  } else if (used && used.name !== profile) {
    const what = used.kind === "profile" ? "CLI_PROFILE" : used.source;
    out.warn(`${what} overrides it here. Pass --profile ${profile} to use this sign-in.`);
  }
  if (projects?.length === 0) return out.note("Next: cli projects create --name NAME");
  const project = await resolveProject(around).catch(() => undefined);
  out.note(project ? "Next: cli doctor" : "Next, bind a folder to a project: cli init");
}
