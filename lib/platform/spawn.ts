/**
 * Starting another program, also where the environment has variables of the program loader.
 *
 * @module
 */

/** Variables that say which libraries a program loads. Deno passes none of them on unasked. */
const LOADER_VARIABLE = /\b(?:LD|DYLD)_\w+/g;

/**
 * Starts a program. Deno refuses to pass on variables such as `LD_LIBRARY_PATH`, which many shells
 * on servers set: with them it refuses to start anything. The program then gets them empty.
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
