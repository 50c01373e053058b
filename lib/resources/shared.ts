/**
 * Shapes that several resources have in common.
 *
 * @module
 */

/** Whether an object is in use or archived. */
export type State = "active" | "inactive" | (string & Record<never, never>);

/** What the service answers when it has deleted an object. */
export interface DeletedObject {
  /** The kind of the deleted object, such as `offering`. */
  object: string;
  /** The id of the deleted object. */
  id: string;
  /** When it was deleted, in milliseconds since 1970. */
  deleted_at: number;
}
