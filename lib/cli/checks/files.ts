/**
 * Checks of the files that hold sign-ins.
 *
 * @module
 */

import { join } from "node:path";
import { DEFAULT_PROFILE, listProfiles, readActive, readProfileNames } from "../../auth/store.ts";
import { readCliToml } from "../../config/cli_toml.ts";
import { shellWord } from "../../config/shell_word.ts";
import { readLocal } from "../../config/local.ts";
import { homeFile, setting, type Surroundings } from "../../config/surroundings.ts";
import { gitState } from "../folder/git.ts";
import { doubtful, failed, type Finding, runCheck, type Verdict } from "./finding.ts";
import { HOW_TO_TRUST, untrustedSignIn, whyUntrusted } from "./trust.ts";

/** Checks the files with sign-ins, in the home folder and here. It sends nothing. */
export async function checkFiles(around: Surroundings): Promise<Finding[]> {
  return [
    await runCheck("profiles", () => profilesVerdict(around)),
    // Before any other check reads the active profile and repairs the mark.
    await runCheck("active profile", () => activeVerdict(around)),
    await runCheck("folder", () => folderVerdict(around)),
    await runCheck("cli.toml", () => tomlVerdict(around)),
    await runCheck("git", () => gitVerdict(around)),
    await runCheck("shared tokens", () => sharedVerdict(around)),
  ];
}

/** The file of profiles: its mode, its form, and each profile in it. */
async function profilesVerdict(around: Surroundings): Promise<Verdict> {
  const path = homeFile(around, "config.json");
  if (path === undefined) {
    return doubtful("no home folder is known", "Set HOME, or use CLI_REFRESH_TOKEN.");
  }
  const profiles = await listProfiles(around);
  if (profiles.length === 0) return `none in ${path}`;
  const names = profiles.map(({ name }) => JSON.stringify(name)).join(", ");
  return `${names} in ${path}`;
}

/** The mark of the active profile. */
async function activeVerdict(around: Surroundings): Promise<Verdict> {
  const active = await readActive(around);
  const names = await readProfileNames(around);
  const variable = setting(around, "CLI_PROFILE");
  if (variable !== undefined && !names.includes(variable)) {
    return failed(
      `CLI_PROFILE names ${JSON.stringify(variable)}, which is not stored`,
      "Unset CLI_PROFILE, or see the stored profiles with: cli auth list",
    );
  }
  if (active !== undefined && !names.includes(active)) {
    const path = homeFile(around, "active") ?? "";
    return doubtful(
      `${path} names ${JSON.stringify(active)}, which is not stored and is ignored`,
      "Choose a profile with: cli auth use NAME",
    );
  }
  if (variable !== undefined) return `${JSON.stringify(variable)}, from CLI_PROFILE`;
  if (active !== undefined) return JSON.stringify(active);
  return names.includes(DEFAULT_PROFILE)
    ? `"${DEFAULT_PROFILE}", because no profile is chosen`
    : "none";
}

/** The folder's own file: its mode and its form. */
async function folderVerdict(around: Surroundings): Promise<Verdict> {
  const local = await readLocal(around);
  if (!local) return "no .cli/config.json here or above";
  const untrusted = await untrustedSignIn(around);
  if (untrusted) return doubtful(whyUntrusted(untrusted), HOW_TO_TRUST);
  if (local.profile) return `the folder's own sign-in in ${local.path}`;
  return local.project_id === undefined
    ? doubtful(`${local.path} names neither a sign-in nor a project`, "Run: cli init --force")
    : `no sign-in, only a project in ${local.path}`;
}

/** The shared file: its form, even if another file overrides it. */
async function tomlVerdict(around: Surroundings): Promise<Verdict> {
  const toml = await readCliToml(around);
  if (!toml) return "none here or above";
  return toml.project_id === undefined
    ? doubtful(`${toml.path} names no project`, "Run: cli init --force")
    : `${toml.project_id} in ${toml.path}`;
}

/** Whether git could take the folder's sign-in. */
async function gitVerdict(around: Surroundings): Promise<Verdict> {
  const local = await readLocal(around).catch(() => undefined);
  if (!local?.profile) return "git sees no sign-in here";
  const { repository, ignored, tracked, why } = await gitState(local.path);
  if (repository === undefined) return "the folder is not in a repository";
  const file = shellWord(local.path);
  if (tracked) {
    return failed(
      `${local.path} is tracked in the repository ${repository}`,
      `Remove it from git and end the sign-in: git rm --cached ${file} && cli init --force`,
    );
  }
  if (tracked === false && ignored) return `ignores ${local.path}`;
  const rule = shellWord(join(local.path, "..", ".gitignore"));
  const fix = `Run: echo '*' >> ${rule}`;
  if (tracked === false && ignored === false) {
    return failed(`${local.path} is not ignored in ${repository}`, fix);
  }
  const asking = `git -C ${shellWord(repository)} ls-files ${file}`;
  return failed(
    `git may commit ${local.path} to ${repository}: ${why}`,
    tracked === false ? fix : `This command must list nothing: ${asking}`,
  );
}

/** Whether the folder's sign-in is a copy of a profile's: then each ends the other. */
async function sharedVerdict(around: Surroundings): Promise<Verdict> {
  const local = await readLocal(around).catch(() => undefined);
  const profiles = await listProfiles(around).catch(() => []);
  const tokens = [...profiles, ...local?.profile ? [{ ...local.profile, name: local.path }] : []];
  const twice = tokens.find(({ refresh_token }, i) =>
    tokens.findIndex((other) => other.refresh_token === refresh_token) < i
  );
  if (!twice) return "no two places hold the same sign-in";
  const first = tokens.find(({ refresh_token }) => refresh_token === twice.refresh_token);
  return failed(
    `${JSON.stringify(first?.name)} and ${JSON.stringify(twice.name)} hold the same sign-in; ` +
      "the first to renew it ends it for the other",
    twice.name === local?.path
      ? "Run: cli init --force"
      : `Run: cli auth login -n ${shellWord(twice.name)}`,
  );
}
