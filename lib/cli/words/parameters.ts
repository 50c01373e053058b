/**
 * What commands are given: values by position and values by name. Their names are the API's fields.
 *
 * @module
 */

/** A value given by position. `T` is what the command gets. */
export interface Argument<T> {
  /** What it is, in a few words. */
  brief: string;
  /** Whether it must be given, may be left out, or may be given any number of times from one. */
  count: "one" | "optional" | "many";
  /** Carries `T`; never set. */
  readonly type?: T;
}

/** A value given by name. `T` is what the command gets. */
export interface Flag<T> {
  /** What it does, in a few words. */
  brief: string;
  /** Whether it takes no value, one, or one each time it is given. */
  kind: "switch" | "value" | "values";
  /** One letter that does the same. */
  short?: string | undefined;
  /** The values it takes, where they are few. */
  choices?: readonly string[] | undefined;
  /** What stands for the value in the help text. */
  placeholder?: string | undefined;
  /**
   * Whether it is required. The parser checks `true`, the command the other two: a flag may be
   * required only when no file with the body is given.
   */
  required?: boolean | "by the command" | "without --file" | undefined;
  /** Whether the help text leaves it out. */
  hidden?: boolean | undefined;
  /** Whether a switch is on unless `--no-…` turns it off. */
  on?: boolean | undefined;
  /** Makes the value out of the text; throws `UsageError`. */
  parse?: ((text: string) => unknown) | undefined;
  /** Carries `T`; never set. */
  readonly type?: T;
}

/** Values given by position, by name and in order. */
export type Arguments = Record<string, Argument<unknown>>;

/** Values given by name. */
export type Flags = Record<string, Flag<unknown>>;

/** What a flag may have besides its description. */
export interface FlagOptions {
  /** One letter that does the same. */
  short?: string;
  /** What stands for the value in the help text. */
  placeholder?: string;
}

/** A value that must be given by position. */
export function argument(brief: string): Argument<string> {
  return { brief, count: "one" };
}

/** A value that may be given by position. */
export function optionalArgument(brief: string): Argument<string | undefined> {
  return { brief, count: "optional" };
}

/** One or more values given by position, after all others. */
export function manyArguments(brief: string): Argument<string[]> {
  return { brief, count: "many" };
}

/** A flag that takes text. */
export function text(brief: string, options: FlagOptions = {}): Flag<string | undefined> {
  return { brief, kind: "value", ...options };
}

/** A flag that takes text and must be given. */
export function requiredText(brief: string, options: FlagOptions = {}): Flag<string> {
  return { brief, kind: "value", required: true, ...options };
}

/** A flag that takes text and may be given several times. */
export function texts(brief: string, options: FlagOptions = {}): Flag<string[]> {
  return { brief, kind: "values", ...options };
}

/** A flag that takes text which is made into something else. */
export function parsed<T>(
  brief: string,
  parse: (text: string) => T,
  options: FlagOptions = {},
): Flag<T | undefined> {
  return { brief, kind: "value", parse, ...options };
}

/** A flag that takes the code of a currency or country, in either case. */
export function code(brief: string): Flag<string | undefined> {
  return parsed(brief, (text) => text.toUpperCase(), { placeholder: "code" });
}

/** A flag that takes one of a few words. */
export function choice<const C extends string>(
  brief: string,
  choices: readonly C[],
  options: FlagOptions = {},
): Flag<C | undefined> {
  return { brief, kind: "value", choices, ...options };
}

/** A flag that is there or not; `--no-…` says no where that differs from leaving it out. */
export function toggle(
  brief: string,
  options: FlagOptions & { hidden?: boolean; on?: boolean } = {},
): Flag<boolean | undefined> {
  return { brief, kind: "switch", ...options };
}

/** A field's name as it stands on the command line. */
export function wire(name: string): string {
  return name.replaceAll("_", "-");
}

/** The flag that says no where a switch says yes. */
export function opposite(name: string): string {
  return `no-${wire(name)}`;
}
