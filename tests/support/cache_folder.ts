/**
 * Where Deno keeps what it has loaded. A process with another home folder would load all of it anew,
 * from the network.
 *
 * @module
 */

let folder: Promise<string> | undefined;

/** The value of `DENO_DIR` for processes that a test starts. */
export function cacheFolder(): Promise<string> {
  return folder ??= findFolder();
}

async function findFolder(): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] });
  const { stdout } = await command.output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
