/**
 * Names of files that are not whole yet. A file gets its own name when all of it is on the disk; what a
 * process that was killed has left is recognized by its name.
 *
 * @module
 */

const LEFTOVER = /^(.+)\.[0-9a-f-]{36}\.tmp(?:-journal|-wal|-shm)?$/s;

/** A new name beside a file, for what is to become that file. */
export function temporaryName(path: string): string {
  return `${path}.${crypto.randomUUID()}.tmp`;
}

/**
 * The name that a leftover was to get; undefined for other files. SQLite's own files beside a database
 * with such a name are leftovers, too.
 */
export function nameOfLeftover(name: string): string | undefined {
  return LEFTOVER.exec(name)?.[1];
}
