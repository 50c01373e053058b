/**
 * The results of a command besides success and failure.
 *
 * @module
 */

import { ToolkitError } from "../../errors.ts";

/** Part of the work was done and part was not. */
export class PartlyDone extends ToolkitError {}

/** A named object does not exist, as a list has shown. */
export class NotThere extends ToolkitError {}
