/**
 * `cli version`
 *
 * @module
 */

import { VERSION } from "../../version.ts";
import { command } from "../words/command.ts";

/** Prints version and build. */
export const version = command({
  brief: "Show the version and build",
  async run({ out }) {
    const build = {
      name: "cli",
      version: VERSION,
      os: Deno.build.os,
      arch: Deno.build.arch,
      deno: Deno.version.deno,
      v8: Deno.version.v8,
      typescript: Deno.version.typescript,
      stand_alone: Deno.build.standalone,
    };
    if (out.format === "json") return out.json(JSON.stringify(build));
    out.text(`cli ${VERSION} (${build.os}/${build.arch}, Deno ${build.deno})`);
  },
});
