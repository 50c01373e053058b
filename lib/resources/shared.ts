/**
 * Types shared by several resources.
 *
 * @module
 */

/** Whether an object is in use or archived. */
export type State = "active" | "inactive" | (string & Record<never, never>);

/** The answer to a deletion. */
export interface DeletedObject {
  /** The kind of the deleted object, such as `offering`. */
  object: string;
  /** The id of the deleted object. */
  id: string;
  /** When it was deleted, in milliseconds since 1970. */
  deleted_at: number;
}
