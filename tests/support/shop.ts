/**
 * A service that listens, and programs that work with it: for the tests of the examples.
 *
 * @module
 */

import { equal } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type Client, createClient } from "../../lib/client.ts";
import { path } from "../../lib/path.ts";
import { startServer } from "./server.ts";
import { type Ended, ended } from "./ended.ts";

/** The repository. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url));

/** A listening service, with a signed-in client. */
export interface Shop {
  /** Signed in as the owner, in the demonstration project. */
  client: Client;
  /** May use the simulator, in the same project. */
  admin: Client;
  /** The variables that a program is given. */
  env: Record<string, string>;
}

/** Runs something against a service of its own. */
export async function withShop(use: (shop: Shop) => Promise<void>): Promise<void> {
  await using server = await startServer({ empty: false });
  const { baseUrl, projectId = "", adminSecret } = server;
  const admin = createClient({ baseUrl, projectId, credential: adminSecret });
  const pair = await admin.post<Record<"access_token" | "refresh_token", string>>(
    path`/_sim/tokens`,
  );
  await use({
    admin,
    client: createClient({ baseUrl, projectId, credential: pair.access_token }),
    env: {
      CLI_BASE_URL: baseUrl,
      CLI_PROJECT_ID: projectId,
      CLI_REFRESH_TOKEN: pair.refresh_token,
    },
  });
}

/** The command in the first comment of an example, without its redirections. */
export async function commandOf(example: string): Promise<string[]> {
  const source = await Deno.readTextFile(`${root}scripts/examples/${example}.ts`);
  const comment = source.slice(0, source.indexOf("*/"));
  const line = /^ \* ```sh\n \* (deno run .*)$/m.exec(comment)?.[1] ?? "";
  const words = line.replaceAll('"', "").split(" ");
  const stream = words.findIndex((word) => /^[<>]/.test(word));
  return words.slice(1, stream < 0 ? words.length : stream);
}

/** Runs Deno with arguments in the repository. */
export async function deno(
  args: string[],
  { env }: Pick<Shop, "env">,
  stdin = "",
): Promise<Ended> {
  const child = new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    env: { NO_COLOR: "1", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await new Blob([stdin]).stream().pipeTo(child.stdin);
  return await ended(child);
}

/** Runs an example like its comment, and returns its standard output. */
export async function runExample(example: string, shop: Shop, stdin?: string): Promise<string> {
  const { code, out, err } = await deno(await commandOf(example), shop, stdin);
  equal(code, 0, err);
  equal(err, "");
  return out;
}
