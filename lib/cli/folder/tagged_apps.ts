/**
 * The apps that a folder is about, for commands that need one app and were given none.
 *
 * @module
 */

import { readCliToml } from "../../config/cli_toml.ts";
import type { Client } from "../../client.ts";
import type { Context } from "../context.ts";

/**
 * The ids of the apps tagged in the `cli.toml` that applies here. None where it is about another
 * project than the command: then its apps are not there either.
 *
 * @throws {ConfigError} when `cli.toml` is malformed.
 */
export async function taggedApps({ around }: Context, client: Client): Promise<string[]> {
  const toml = await readCliToml(around);
  if (!toml || toml.project_id !== client.projectId) return [];
  return toml.apps.map(({ id }) => id);
}
