/**
 * `cli init`
 *
 * @module
 */

import { dirname, join, relative, resolve } from "node:path";
import { DEFAULT_BASE_URL, serviceAddress } from "../../address.ts";
import { readCliToml } from "../../config/cli_toml.ts";
import { shellWord } from "../../config/shell_word.ts";
import { isKnownFolder } from "../../config/folders.ts";
import { LOCAL_FILE, readLocal, type TaggedApp } from "../../config/local.ts";
import { resolveProject } from "../../config/project.ts";
import type { StoredToken } from "../../config/stored_token.ts";
import type { Surroundings } from "../../config/surroundings.ts";
import type { Connection } from "../../connect.ts";
import { redactToken } from "../../debug.ts";
import {
  ApiError,
  AuthError,
  Cancelled,
  ConfigError,
  ToolkitError,
  UsageError,
} from "../../errors.ts";
import type { Client } from "../../client.ts";
import { each } from "../../page.ts";
import { listApps } from "../../resources/apps.ts";
import { getProject, listProjects, type Project } from "../../resources/projects.ts";
import { command, text, texts, toggle } from "../words/command.ts";
import type { Context } from "../context.ts";
import { bindFolder, type BoundFile, type BoundFolder, checkBindable } from "../folder/binding.ts";
import type { Column } from "../screen/output.ts";
import { ownSignIn } from "./auth/sign_in_for_folder.ts";
import { NotThere } from "../screen/outcome.ts";

/** Binds a folder to a project. */
export const init = command({
  brief: "Bind a folder to a project",
  details:
    "Writes cli.toml, which you commit, and .cli/config.json with the folder's own sign-in, " +
    "which git ignores. Asks for the project and its apps unless --project-id is given.",
  flags: {
    app_id: texts("An app to tag in cli.toml", { placeholder: "id" }),
    no_apps: toggle("Tag no apps"),
    no_local_creds: toggle("Write only cli.toml"),
    force: toggle("Overwrite existing files"),
    path: text("The folder (default: the current one)", { placeholder: "dir" }),
  },
  async run(context, { app_id, no_apps, no_local_creds, force, path }) {
    const { around } = context;
    if (no_apps && app_id.length > 0) {
      throw new UsageError("Cannot use --app-id with --no-apps: they exclude each other", {
        hint: "Leave out one of them.",
      });
    }
    const folder = targetFolder(around, path);
    const local = no_local_creds !== true;
    await checkBindable(around, folder, { local, force: force === true });
    const { connection, projects } = await findProjects(context, folder);
    const project = await chooseProject(context, projects);
    const client = connection.client.with({ projectId: project.id });
    const apps = no_apps ? [] : await chooseApps(context, client, folder, app_id);
    const keepsLocal = !local && await standsBefore(around, folder, project.id, force === true);
    const profile = local ? await ownSignIn(context, connection) : undefined;
    const bound = await bind(context, {
      folder,
      project_id: project.id,
      apps,
      profile,
      keepsLocal,
    });
    show(context, { folder, project, apps, profile }, bound);
    await tellNext(context, folder, project, bound);
  },
});

/**
 * Whether a local file in the folder overrides its `cli.toml` and has to change with it.
 *
 * @throws {ConfigError} when it names another project and must not be changed.
 */
async function standsBefore(
  around: Surroundings,
  folder: string,
  projectId: string,
  force: boolean,
): Promise<boolean> {
  const before = await readLocal({ ...around, home: around.home, cwd: folder });
  if (before?.project_id === undefined || before.project_id === projectId) return false;
  const own = before.path === join(folder, LOCAL_FILE);
  if (own && force) return true;
  const above = shellWord(dirname(dirname(before.path)));
  throw new ConfigError(
    `Cannot bind the folder to ${projectId}: ${JSON.stringify(before.path)} names ` +
      `${before.project_id} and overrides cli.toml`,
    {
      hint: own
        ? "Pass --force to change the project in that file as well."
        : `Leave out --no-local-creds, or bind that folder again: cli init --force --path ${above}`,
    },
  );
}

/** The folder to bind. */
function targetFolder({ cwd }: Surroundings, path: string | undefined): string {
  if (path?.trim() === "") {
    throw new UsageError("Cannot bind the folder: --path is empty", {
      hint: "Leave it out to bind the current folder.",
    });
  }
  if (cwd !== undefined) return resolve(cwd, path ?? ".");
  throw new ConfigError("Cannot bind the folder: the current folder no longer exists", {
    hint: "Change to an existing folder.",
  });
}

/** The projects to choose from: the named one, or all. */
async function findProjects(
  context: Context,
  folder: string,
): Promise<{ connection: Connection; projects: Project[] }> {
  const { around, globals, signal, out } = context;
  const wanted = globals.projectId;
  const look = async ({ client }: Connection) =>
    wanted === undefined ? await allProjects(client) : [await getProject(client, wanted)];
  const connection = await context.connection();
  try {
    return { connection, projects: await look(connection) };
  } catch (error) {
    // The sign-in to be replaced may be the reason for binding the folder again.
    const ended = error instanceof AuthError || (error instanceof ApiError && error.status === 401);
    if (!ended || connection.credential?.source !== join(folder, LOCAL_FILE)) throw error;
    out.note("The folder's own sign-in does not work; trying another one.");
    const { resolveConnection } = await import("../../connect.ts");
    const above = { ...around, home: around.home, cwd: dirname(folder) };
    const other = await resolveConnection(above, { profile: globals.profile, signal });
    return { connection: other, projects: await look(other) };
  }
}

async function allProjects(client: Client): Promise<Project[]> {
  return await Array.fromAsync(each(client, listProjects(client, { limit: 100 })));
}

/** Asks for the project if there are several. */
async function chooseProject({ ask, out }: Context, projects: Project[]): Promise<Project> {
  const [only, ...others] = projects;
  if (!only) {
    throw new ToolkitError("Cannot bind the folder: the sign-in sees no project", {
      hint: "Create one with: cli projects create --name NAME",
    });
  }
  if (others.length === 0) {
    out.note(`The project is ${only.id} ${JSON.stringify(only.name)}`);
    return only;
  }
  const choices = projects.map((project) => ({
    label: project.name,
    hint: project.id,
    value: project,
  }));
  return await ask.choose("Which project does this folder belong to?", choices, {
    flag: "--project-id",
  });
}

/** The apps to tag: the named ones, the tagged ones, or the person's choice. */
async function chooseApps(
  context: Context,
  client: Client,
  folder: string,
  named: readonly string[],
): Promise<readonly TaggedApp[]> {
  const given = context.globals.projectId !== undefined;
  if (named.length === 0 && given) return await taggedBefore(context, folder, client.projectId);
  const apps = await allApps(context, client);
  if (!apps) return named.map((id) => ({ id }));
  if (named.length > 0) return [...new Set(named)].map((id) => knownApp(apps, id));
  const choices = apps.map((app) => ({
    label: app.name,
    hint: `${app.type}, ${app.id}`,
    value: { id: app.id, name: app.name },
  }));
  return await context.ask.chooseMany("Which apps does it belong to?", choices, {
    flag: "--app-id or --no-apps",
    initial: choices.map(({ value }) => value),
  });
}

/** The relevant fields of an app. */
interface NamedApp {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
  /** Its storefront. */
  type: string;
}

/** The project's apps. Tagging them is optional, so a sign-in without that permission is enough. */
async function allApps({ out }: Context, client: Client): Promise<NamedApp[] | undefined> {
  try {
    return await Array.fromAsync(each(client, listApps(client, { limit: 100 })));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    out.warn(`The apps cannot be listed: ${error.message}`);
    return undefined;
  }
}

function knownApp(apps: readonly NamedApp[], id: string): TaggedApp {
  const app = apps.find((one) => one.id === id);
  if (app) return { id, name: app.name };
  throw new NotThere(`Cannot tag the app ${JSON.stringify(id)}: the project has no such app`, {
    hint: apps.length === 0
      ? "The project has no apps yet. Leave out --app-id."
      : `Its apps: ${apps.map((one) => one.id).join(" ")}`,
  });
}

/** The apps in the folder's `cli.toml`, if it names the same project. */
async function taggedBefore(
  { around }: Context,
  folder: string,
  projectId: string | undefined,
): Promise<readonly TaggedApp[]> {
  const toml = await readCliToml({ ...around, cwd: folder }).catch(() => undefined);
  const own = toml?.path === join(folder, "cli.toml") && toml.project_id === projectId;
  return own ? toml.apps : [];
}

/** The data to write. */
interface Bound {
  /** The folder. */
  folder: string;
  /** The project. */
  project_id: string;
  /** The apps. */
  apps: readonly TaggedApp[];
  /** The folder's own sign-in. */
  profile: StoredToken | undefined;
  /** Whether the folder's local file changes, and keeps its sign-in. */
  keepsLocal: boolean;
}

/** Writes the files. A sign-in that could not be stored, or is replaced, is revoked. */
async function bind(context: Context, binding: Bound): Promise<BoundFolder> {
  const { around, signal } = context;
  const { folder, profile } = binding;
  const before = await readLocal({ ...around, cwd: folder }).catch(() => undefined);
  // Nothing is sent to a service named by a file from elsewhere, not even its own token.
  const service = serviceAddress(before?.profile?.base_url ?? DEFAULT_BASE_URL);
  const known = before && await isKnownFolder(around, before, service).catch(() => false);
  try {
    if (signal.aborted) throw new Cancelled("Stopped", { cause: signal.reason });
    const bound = await bindFolder(around, binding);
    const own = before?.path === join(folder, LOCAL_FILE);
    if (profile && own && known && before?.profile) {
      await revoke(context, before.profile, "The previous sign-in was replaced");
    }
    return bound;
  } catch (error) {
    if (profile) await revoke(context, profile, "The new sign-in was dropped");
    throw error;
  }
}

/** Revokes a sign-in if possible, since its tokens are no longer stored. Warns otherwise. */
async function revoke({ around, out }: Context, token: StoredToken, what: string): Promise<void> {
  const { signOut } = await import("../../connect.ts");
  try {
    await signOut(token, { surroundings: around });
  } catch (error) {
    if (!(error instanceof ToolkitError)) throw error;
    out.warn(`${what}, but not revoked: ${error.message}`);
  }
}

/** Shows the written files. */
function show(
  { out }: Context,
  { folder, project, apps, profile }: Omit<Bound, "project_id" | "keepsLocal"> & {
    project: Project;
  },
  { files, git }: BoundFolder,
): void {
  out.done(`${folder} belongs to ${project.id} ${JSON.stringify(project.name)}`);
  if (out.format === "table") {
    out.table(files, columnsIn(folder));
    return;
  }
  out.json(JSON.stringify({
    folder,
    project: { id: project.id, name: project.name },
    apps,
    files,
    credential: profile === undefined ? null : {
      base_url: profile.base_url,
      token: redactToken(profile.access_token),
      expires_at: profile.expires_at_ms,
      scope: profile.scope ?? null,
    },
    git: git ? { repository: git.repository ?? null, ignored: git.ignored } : null,
  }));
}

/** The columns of the files in a folder. */
function columnsIn(folder: string): Column<BoundFile>[] {
  return [
    { header: "file", value: ({ path }) => relative(folder, path) },
    { header: "action", value: ({ action }) => action },
  ];
}

/** Warns of obstacles, and shows the next command. */
async function tellNext(
  { around, out }: Context,
  folder: string,
  project: Project,
  { git }: BoundFolder,
): Promise<void> {
  if (git && git.repository === undefined) {
    out.note("The folder is not in a git repository. Do not share its folder .cli with anyone.");
  }
  const counts = await resolveProject({ ...around, cwd: folder }).catch(() => undefined);
  if (counts && counts.id !== project.id) {
    out.warn(`${counts.source} names ${counts.id} and overrides cli.toml.`);
  }
  out.note("Commit cli.toml. Next: cli offerings list");
}
