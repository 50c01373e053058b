/**
 * A step that cannot be done, though its file is right.
 *
 * @module
 */

import { ToolkitError } from "../../errors.ts";

/** A step cannot be done: what it needs is not there when it runs. */
export class CannotDo extends ToolkitError {}

/** The program under test answered a step otherwise than it must. */
export class WrongAnswer extends ToolkitError {}
