/**
 * What processes on one database share besides the data: faults that the simulator injects, counts,
 * progress, and who is alive. Where only one process uses the database, it keeps them in memory, and
 * these tables are empty.
 *
 * @module
 */

/** The statements. */
export const sql = `
CREATE TABLE request_faults (
  seq INTEGER NOT NULL PRIMARY KEY,
  fault TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE delivery_faults (
  project_id TEXT NOT NULL,
  integration_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  fault TEXT NOT NULL CHECK (fault IN ('duplicate', 'drop', 'reorder')),
  count INTEGER NOT NULL CHECK (count > 0),
  PRIMARY KEY (project_id, integration_id, seq),
  FOREIGN KEY (project_id, integration_id) REFERENCES webhook_integrations (project_id, id)
    ON DELETE CASCADE
) STRICT;

CREATE TABLE catch_ups (
  project_id TEXT NOT NULL PRIMARY KEY REFERENCES projects (id),
  began_at INTEGER NOT NULL,
  now INTEGER NOT NULL,
  target INTEGER NOT NULL,
  done INTEGER NOT NULL CHECK (done >= 0)
) STRICT;

CREATE TABLE notes (
  number INTEGER NOT NULL PRIMARY KEY,
  holder TEXT NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE holders (
  holder TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  connected_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- In microseconds.
  asked_at INTEGER NOT NULL DEFAULT 0,
  looked_at INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE secret_checks (
  holder TEXT NOT NULL PRIMARY KEY,
  salt TEXT NOT NULL,
  digest TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE leader (
  place INTEGER NOT NULL PRIMARY KEY CHECK (place = 1),
  holder TEXT NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
