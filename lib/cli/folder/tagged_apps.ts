/**
 * The apps tagged in a folder, for commands that need an app and got none.
 *
 * @module
 */

import type { Client } from "../../client.ts";
import { readCliToml } from "../../config/cli_toml.ts";
import { UsageError } from "../../errors.ts";
import type { Context } from "../context.ts";

/**
 * The ids of the apps tagged in the applicable `cli.toml`. None if it is for another project than
 * the command's.
 *
 * @throws {ConfigError} when `cli.toml` is malformed.
 */
export async function taggedApps({ around }: Context, client: Client): Promise<string[]> {
  const toml = await readCliToml(around);
  if (!toml || toml.project_id !== client.projectId) return [];
  return toml.apps.map(({ id }) => id);
}

/**
 * The app for a command that needs exactly one and got none: the only one tagged in `cli.toml`.
 * Undefined if none is tagged.
 *
 * @param cannot The start of the error, such as `Cannot create a product`.
 * @throws {UsageError} when several are tagged.
 */
export async function onlyTaggedApp(
  context: Context,
  client: Client,
  cannot: string,
): Promise<string | undefined> {
  const [id, ...others] = await taggedApps(context, client);
  if (others.length === 0) return id;
  throw new UsageError(
    `${cannot}: "app_id" is missing in the body, and cli.toml tags ${others.length + 1} apps`,
    { hint: `Name one as "app_id" in the body: ${[id, ...others].join(", ")}` },
  );
}
