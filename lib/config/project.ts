/**
 * Which project is meant.
 *
 * @module
 */

import { UsageError } from "../errors.ts";
import { readCliToml } from "./cli_toml.ts";
import { readLocal } from "./local.ts";
import { findFirst, type Lookup, type Origin } from "./origin.ts";
import { setting, type Surroundings } from "./surroundings.ts";

/** A project's id and where it was found. */
export interface FoundProject extends Origin<"option" | "environment" | "local" | "toml"> {
  /** The project's id. */
  id: string;
}

/** The project that is meant. */
export interface ResolvedProject extends FoundProject {
  /** What would count without it, nearest first. Empty unless it was asked for. */
  shadows: readonly FoundProject[];
}

/** How to look for the project. */
interface ProjectOptions {
  /** The value of `--project-id`, which counts before anything else. */
  projectId?: string | undefined;
  /** Whether to look at what is shadowed, too. Default: false. */
  withShadows?: boolean | undefined;
}

/**
 * Finds the project: `--project-id`, then `CLI_PROJECT_ID`, then `.cli/config.json`, then `cli.toml`,
 * both files in the working folder or the nearest one above. Undefined when none names one.
 *
 * @throws {UsageError} when the id given is empty.
 * @throws {ConfigError} when a file that is looked at is malformed or exposed to others.
 */
export async function resolveProject(
  around: Surroundings,
  options: ProjectOptions = {},
): Promise<ResolvedProject | undefined> {
  const { projectId } = options;
  if (projectId !== undefined && projectId.trim() === "") {
    throw new UsageError("Cannot use an empty project id", {
      hint: "Give the id as `cli projects list` shows it.",
    });
  }
  const lookups: Lookup<FoundProject>[] = [
    () => Promise.resolve(found("option", "--project-id", projectId)),
    () =>
      Promise.resolve(found("environment", "CLI_PROJECT_ID", setting(around, "CLI_PROJECT_ID"))),
    async () => {
      const local = await readLocal(around);
      return local && found("local", local.path, local.project_id);
    },
    async () => {
      const toml = await readCliToml(around);
      return toml && found("toml", toml.path, toml.project_id);
    },
  ];
  const withShadowed = options.withShadows ?? false;
  const { first, shadowed } = await findFirst(lookups, { withShadowed });
  return first && { ...first, shadows: shadowed };
}

/** A find, if there is an id. */
function found(
  kind: FoundProject["kind"],
  source: string,
  id: string | undefined,
): FoundProject | undefined {
  return id === undefined ? undefined : { kind, source, id };
}
