/**
 * The project that applies, and its source.
 *
 * @module
 */

import { UsageError } from "../errors.ts";
import { findFirst, type Lookup, type Origin } from "./origin.ts";
import { setting, type Surroundings } from "./surroundings.ts";

/** A project's id and its source. */
export interface FoundProject extends Origin<"option" | "environment" | "local" | "toml"> {
  /** The project's id. */
  id: string;
}

/** The project that applies. */
export interface ResolvedProject extends FoundProject {
  /** The overridden projects, nearest first. Empty unless requested. */
  shadows: readonly FoundProject[];
}

/** The options of the search. */
interface ProjectOptions {
  /** The value of `--project-id`, which overrides everything else. */
  projectId?: string | undefined;
  /** Whether to find the overridden projects, too. Default: false. */
  withShadows?: boolean | undefined;
}

/**
 * Finds the project: `--project-id`, then `CLI_PROJECT_ID`, then `.cli/config.json`, then
 * `cli.toml`, both files in the working folder or the nearest one above. Undefined when none names
 * one.
 *
 * @throws {UsageError} when the given id is empty.
 * @throws {ConfigError} when a file is malformed or readable by others.
 */
export async function resolveProject(
  around: Surroundings,
  options: ProjectOptions = {},
): Promise<ResolvedProject | undefined> {
  const { projectId } = options;
  if (projectId !== undefined && projectId.trim() === "") {
    throw new UsageError("Cannot use an empty project id", {
      hint: "Pass the id as `cli projects list` shows it.",
    });
  }
  const lookups: Lookup<FoundProject>[] = [
    () => Promise.resolve(found("option", "--project-id", projectId)),
    () =>
      Promise.resolve(found("environment", "CLI_PROJECT_ID", setting(around, "CLI_PROJECT_ID"))),
    async () => {
      const { readLocal } = await import("./local.ts");
      const local = await readLocal(around);
      return local && found("local", local.path, local.project_id);
    },
    async () => {
      const { readCliToml } = await import("./cli_toml.ts");
      const toml = await readCliToml(around);
      return toml && found("toml", toml.path, toml.project_id);
    },
  ];
  const withShadowed = options.withShadows ?? false;
  const { first, shadowed } = await findFirst(lookups, { withShadowed });
  return first && { ...first, shadows: shadowed };
}

/** A result, if there is an id. */
function found(
  kind: FoundProject["kind"],
  source: string,
  id: string | undefined,
): FoundProject | undefined {
  return id === undefined ? undefined : { kind, source, id };
}
