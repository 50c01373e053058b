/**
 * Repositories for tests: bare bones that need no git, and real ones where it is installed.
 *
 * @module
 */

import { join } from "node:path";

/** Whether git is installed and may be run. Tests that need it are shown as ignored elsewhere. */
export const hasGit: boolean = await isInstalled();

async function isInstalled(): Promise<boolean> {
  try {
    return (await new Deno.Command("git", { args: ["--version"], stdout: "null" }).output())
      .success;
  } catch {
    return false;
  }
}

/** Makes an empty repository without git. */
export async function makeRepository(folder: string): Promise<void> {
  for (const name of ["objects", "refs"]) {
    await Deno.mkdir(join(folder, ".git", name), { recursive: true });
  }
  await Deno.writeTextFile(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
}

/** Runs git in a folder, as somebody whose own settings play no part. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const set = ["user.name=Ada", "user.email=ada@example.com", "protocol.file.allow=always"];
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args: [...set.flatMap((one) => ["-c", one]), "-C", folder, ...args],
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  }).output();
  if (success) return new TextDecoder().decode(stdout);
  throw new Error(`git ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}
