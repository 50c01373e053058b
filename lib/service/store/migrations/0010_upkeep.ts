/**
 * What keeps deliveries in good order: attempts that were cut off show, pings are tried once, what is
 * old can be removed, and of two listeners of one name one is told.
 *
 * @module
 */

/** The statements of this step. */
export const sql = `
ALTER TABLE deliveries ADD COLUMN leased_at INTEGER;
ALTER TABLE deliveries ADD COLUMN once INTEGER NOT NULL DEFAULT 0 CHECK (once IN (0, 1));
ALTER TABLE webhook_integrations ADD COLUMN pruned_seq INTEGER NOT NULL DEFAULT 0;
CREATE INDEX deliveries_delivered ON deliveries (finished_at) WHERE state = 'delivered';
CREATE INDEX attempts_with_body ON attempts (started_at) WHERE response_body IS NOT NULL;

ALTER TABLE listeners ADD COLUMN session TEXT;
`;
