/**
 * Arguments and flags of commands. Their names are the API's fields.
 *
 * @module
 */

/** An argument. `T` is the type of its value. */
export interface Argument<T> {
  /** Its description, in a few words. */
  brief: string;
  /** Whether it is required, optional, or repeatable and required. */
  count: "one" | "optional" | "many";
  /** Carries `T`; never set. */
  readonly type?: T;
}

/** A flag. `T` is the type of its value. */
export interface Flag<T> {
  /** Its description, in a few words. */
  brief: string;
  /** Whether it has no value, one, or one per repetition. */
  kind: "switch" | "value" | "values";
  /** Its short form. */
  short?: string | undefined;
  /** Its choices. */
  choices?: readonly string[] | undefined;
  /** The placeholder of its value. */
  placeholder?: string | undefined;
  /**
   * Whether it is required. The parser checks `true`, the command the other two: a flag may be
   * required only when no file with the body is given.
   */
  required?: boolean | "by the command" | "without --file" | undefined;
  /** Whether it is hidden in help texts. */
  hidden?: boolean | undefined;
  /** Whether a switch is on unless `--no-…` turns it off. */
  on?: boolean | undefined;
  /** Parses the value; throws `UsageError`. */
  parse?: ((text: string) => unknown) | undefined;
  /** Carries `T`; never set. */
  readonly type?: T;
}

/** Arguments by name, in order. */
export type Arguments = Record<string, Argument<unknown>>;

/** Flags by name. */
export type Flags = Record<string, Flag<unknown>>;

/** The options of a flag. */
export interface FlagOptions {
  /** Its short form. */
  short?: string;
  /** The placeholder of its value. */
  placeholder?: string;
}

/** A required argument. */
export function argument(brief: string): Argument<string> {
  return { brief, count: "one" };
}

/** An optional argument. */
export function optionalArgument(brief: string): Argument<string | undefined> {
  return { brief, count: "optional" };
}

/** One or more arguments, after all others. */
export function manyArguments(brief: string): Argument<string[]> {
  return { brief, count: "many" };
}

/** A flag with a text. */
export function text(brief: string, options: FlagOptions = {}): Flag<string | undefined> {
  return { brief, kind: "value", ...options };
}

/** A required flag with a text. */
export function requiredText(brief: string, options: FlagOptions = {}): Flag<string> {
  return { brief, kind: "value", required: true, ...options };
}

/** A repeatable flag with a text. */
export function texts(brief: string, options: FlagOptions = {}): Flag<string[]> {
  return { brief, kind: "values", ...options };
}

/** A flag with a parsed value. */
export function parsed<T>(
  brief: string,
  parse: (text: string) => T,
  options: FlagOptions = {},
): Flag<T | undefined> {
  return { brief, kind: "value", parse, ...options };
}

/** A flag with the code of a currency or country, in any case. */
export function code(brief: string): Flag<string | undefined> {
  return parsed(brief, (text) => text.toUpperCase(), { placeholder: "code" });
}

/** A flag with choices. */
export function choice<const C extends string>(
  brief: string,
  choices: readonly C[],
  options: FlagOptions = {},
): Flag<C | undefined> {
  return { brief, kind: "value", choices, ...options };
}

/** A switch. `--no-…` turns it off if it is on by default. */
export function toggle(
  brief: string,
  options: FlagOptions & { hidden?: boolean; on?: boolean } = {},
): Flag<boolean | undefined> {
  return { brief, kind: "switch", ...options };
}

/** A field's name on the command line. */
export function wire(name: string): string {
  return name.replaceAll("_", "-");
}

/** The flag that turns off a switch. */
export function opposite(name: string): string {
  return `no-${wire(name)}`;
}
