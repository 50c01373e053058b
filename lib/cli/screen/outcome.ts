/**
 * How a command can end besides done and failed.
 *
 * @module
 */

import { ToolkitError } from "../../errors.ts";

/** Part of the work was done and part was not. */
export class PartlyDone extends ToolkitError {}

/** Something that was named is not there, as a list of what is has shown. */
export class NotThere extends ToolkitError {}
