/**
 * The tree of commands: groups and commands, with the data for help and hints.
 *
 * @module
 */

import type { HintRule } from "./hints.ts";
import type { Arguments, Flags } from "./parameters.ts";

/** A command. Only `command()` makes one, since the parser must know it. */
export interface Command {
  /** Its description. */
  readonly brief: string;
  /** More details. */
  readonly details: string | undefined;
  /** Example command lines. */
  readonly examples: readonly string[];
  /** Its arguments, in order. */
  readonly args: Readonly<Arguments>;
  /** Its flags. */
  readonly flags: Readonly<Flags>;
  /** Its own hint after a refusal, if any. */
  readonly hint: HintRule | undefined;
  /** The flags of request fields, if they have other names. */
  readonly params: Readonly<Record<string, string>>;
}

/** A group of commands. */
export interface Group {
  /** Its description. */
  readonly brief: string;
  /** Other names of the group. */
  readonly aliases: readonly string[];
  /** Its commands by name, and groups inside it. */
  readonly commands: Readonly<Record<string, Command | Group>>;
  /** Example command lines. */
  readonly examples?: readonly string[] | undefined;
}
