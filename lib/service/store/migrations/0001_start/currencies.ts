/**
 * What customers have of virtual currencies.
 *
 * @module
 */

/** The statements. */
export const sql = `
CREATE TABLE currency_balances (
  project_id TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  currency_id TEXT NOT NULL,
  balance INTEGER NOT NULL CHECK (balance BETWEEN 0 AND 2000000000),
  PRIMARY KEY (project_id, customer_id, currency_id),
  FOREIGN KEY (project_id, customer_id) REFERENCES customers (project_id, id) ON DELETE CASCADE,
  FOREIGN KEY (project_id, currency_id) REFERENCES virtual_currencies (project_id, id)
    ON DELETE CASCADE
) STRICT;
CREATE INDEX currency_balances_by_currency ON currency_balances (project_id, currency_id);

-- One row for each currency that a transaction changes.
CREATE TABLE currency_entries (
  project_id TEXT NOT NULL,
  transaction_id TEXT NOT NULL,
  currency_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  customer_id TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0),
  source TEXT NOT NULL CHECK (source IN ('in_app_purchase', 'admin_api')),
  product_id TEXT,
  reference TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, transaction_id, currency_id),
  UNIQUE (project_id, seq),
  FOREIGN KEY (project_id, customer_id) REFERENCES customers (project_id, id) ON DELETE CASCADE,
  FOREIGN KEY (project_id, currency_id) REFERENCES virtual_currencies (project_id, id)
    ON DELETE CASCADE
) STRICT;
CREATE INDEX currency_entries_by_customer ON currency_entries (project_id, customer_id, seq);
CREATE INDEX currency_entries_by_currency ON currency_entries (project_id, currency_id);
`;
