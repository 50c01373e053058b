/**
 * Listeners: programs that fetch events instead of being sent them, and how far each has got.
 *
 * @module
 */

/** The statements of this step. */
export const sql = `
CREATE TABLE listeners (
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL CHECK (name <> ''),
  acknowledged INTEGER NOT NULL CHECK (acknowledged >= 0),
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, name)
) STRICT;
`;
