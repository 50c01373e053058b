/**
 * `cli version`
 *
 * @module
 */

import { Cancelled, ConfigError, NetworkError } from "../../errors.ts";
import { setting } from "../../config/surroundings.ts";
import { unreachable } from "../../retry.ts";
import { VERSION } from "../../version.ts";
import type { Context } from "../context.ts";
import { command, toggle } from "../words/command.ts";

/** Prints version and build. With `--check`, and never by itself, it asks for a newer version. */
export const version = command({
  brief: "Show the version and build",
  details:
    "With --check it asks the address in CLI_RELEASES_URL for the newest version. Nothing else " +
    "asks for one.",
  flags: { check: toggle("Ask whether there is a newer version") },
  async run(context, { check }) {
    const { out } = context;
    const latest = check ? await latestVersion(context) : undefined;
    const build = {
      name: "cli",
      version: VERSION,
      os: Deno.build.os,
      arch: Deno.build.arch,
      deno: Deno.version.deno,
      v8: Deno.version.v8,
      typescript: Deno.version.typescript,
      stand_alone: Deno.build.standalone,
      ...latest !== undefined && { latest, is_newest: !isNewer(latest, VERSION) },
    };
    if (out.format === "json") return out.json(JSON.stringify(build));
    out.text(`cli ${VERSION} (${build.os}/${build.arch}, Deno ${build.deno})`);
    if (latest === undefined) return;
    if (isNewer(latest, VERSION)) out.note(`Version ${latest} is out.`);
    else out.note("This is the newest version.");
  },
});

/** How long the releases' address may take, in milliseconds. */
const LONGEST_MS = 10_000;

/** The newest version, as the address of the releases names it in `tag_name`. */
async function latestVersion({ around, signal }: Context): Promise<string> {
  const address = setting(around, "CLI_RELEASES_URL");
  if (address === undefined) {
    throw new ConfigError("Cannot look for a newer version: no address of releases is set", {
      hint: "Set CLI_RELEASES_URL, such as https://api.github.com/repos/OWNER/NAME/releases/latest",
    });
  }
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`Cannot use ${JSON.stringify(address)} for CLI_RELEASES_URL`, {
      hint: "Give an address that begins with https://",
    });
  }
  const why = (reason: string, cause?: unknown) =>
    new NetworkError(`Cannot look for a newer version at ${url.origin}: ${reason}`, { cause });
  const request = new Request(url, {
    headers: { Accept: "application/json", "User-Agent": `cli/${VERSION}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]),
  });
  const send = around.fetch ?? ((request: Request) => fetch(request));
  const response = await send(request).catch((error) => {
    if (signal.aborted) throw new Cancelled("Stopped", { cause: error });
    throw why(reasonOf(error, url), error);
  });
  if (!response.ok) throw why(`it answered with status ${response.status}`);
  const release: unknown = await response.json().catch((error) => {
    throw why("its answer is not JSON", error);
  });
  const tag = typeof release === "object" && release !== null && "tag_name" in release
    ? release.tag_name
    : undefined;
  const [, found] = /^v?(\d+\.\d+\.\d+)$/.exec(String(tag)) ?? [];
  if (found === undefined) throw why("its answer names no version in tag_name");
  return found;
}

/** Why an address gave no answer, without the platform's own words. */
function reasonOf(error: unknown, { origin }: URL): string {
  return unreachable(error, origin).message.replace(`Cannot reach ${origin}: `, "");
}

/** Whether a version is newer than another one. */
function isNewer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((version) => version.split(".").map(Number));
  const at = a?.findIndex((part, i) => part !== b?.[i]) ?? -1;
  return at >= 0 && (a?.[at] ?? 0) > (b?.[at] ?? 0);
}
