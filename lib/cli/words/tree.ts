/**
 * The tree of commands: groups, the commands in them, and what help and hints read of each.
 *
 * @module
 */

import type { HintRule } from "./hints.ts";
import type { Arguments, Flags } from "./parameters.ts";

/** A command. Only `command()` makes one, as the parser must know it. */
export interface Command {
  /** What it does. */
  readonly brief: string;
  /** More about it. */
  readonly details: string | undefined;
  /** Command lines to learn from. */
  readonly examples: readonly string[];
  /** Values given by position, in order. */
  readonly args: Readonly<Arguments>;
  /** Values given by name. */
  readonly flags: Readonly<Flags>;
  /** What to run next after a refusal, as far as the command knows. */
  readonly hint: HintRule | undefined;
  /** How a field of the request is given, where the flag has another name. */
  readonly params: Readonly<Record<string, string>>;
}

/** A group of commands. */
export interface Group {
  /** What its commands are about. */
  readonly brief: string;
  /** Other names of the group. */
  readonly aliases: readonly string[];
  /** Its commands by name, and groups inside it. */
  readonly commands: Readonly<Record<string, Command | Group>>;
  /** Command lines to learn from. */
  readonly examples?: readonly string[] | undefined;
}
