/**
 * Starting another program, even if the environment has variables of the program loader.
 *
 * @module
 */

/**
 * Variables that change the libraries a program loads. Deno does not pass them on without a
 * permission.
 */
const LOADER_VARIABLE = /\b(?:LD|DYLD)_\w+/g;

/**
 * Starts a program. Deno refuses to pass on variables such as `LD_LIBRARY_PATH`, which many server
 * shells set, and then starts nothing. The program gets them empty instead.
 *
 * @throws {Deno.errors.NotFound} when there is no such program.
 * @throws {Deno.errors.NotCapable} when this program may not start it.
 */
export function spawn(program: string, options: Deno.CommandOptions): Deno.ChildProcess {
  try {
    return new Deno.Command(program, options).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    const names = error.message.match(LOADER_VARIABLE);
    if (!names) throw error;
    const emptied = Object.fromEntries(names.map((name) => [name, ""]));
    return new Deno.Command(program, { ...options, env: { ...options.env, ...emptied } }).spawn();
  }
}
