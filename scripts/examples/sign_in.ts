/**
 * Signs in with the browser, stores the sign-in as the profile "script", and lists its projects.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*,HOME" --allow-read --allow-write scripts/examples/sign_in.ts
 * ```
 *
 * It shows an address to open; add `--allow-run=open,xdg-open,rundll32` to have the browser opened.
 * For a service elsewhere set `CLI_BASE_URL`, and name its host after `--allow-net=`, besides
 * 127.0.0.1, where the script listens for the browser's answer. Afterwards,
 * `connect({ profile: "script" })` and `cli --profile script` use the sign-in.
 *
 * @module
 */

import {
  each,
  listProjects,
  saveProfile,
  signIn,
  systemSurroundings,
  ToolkitError,
} from "../../mod.ts";

try {
  await signIn({
    onUrl: (url) => console.log(`Open ${url}`),
    // Runs before the browser shows success, so that the page is right.
    complete: async (token, client) => {
      await saveProfile(systemSurroundings(), { name: "script", ...token });
      for await (const project of each(client, listProjects(client))) {
        console.log(`You see ${project.name} (${project.id})`);
      }
    },
  });
  console.log('Stored as the profile "script"');
} catch (error) {
  if (!(error instanceof ToolkitError)) throw error;
  console.error(error.hint === undefined ? error.message : `${error.message}. ${error.hint}`);
  Deno.exitCode = 1;
}
