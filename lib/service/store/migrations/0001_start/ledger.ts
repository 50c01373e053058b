/**
 * The ledger of money with its sums. Some conditions of indexes are repeated word for word
 * where the ledger is read.
 *
 * @module
 */

/** The sums of movements. */
const SUMS = `
  movements INTEGER NOT NULL,
  gross_usd_micros INTEGER NOT NULL,
  commission_usd_micros INTEGER NOT NULL,
  tax_usd_micros INTEGER NOT NULL,
  payments_delta INTEGER NOT NULL,
  refunds_delta INTEGER NOT NULL,
  mrr_delta_micros INTEGER NOT NULL,
  actives_delta INTEGER NOT NULL,
  trials_delta INTEGER NOT NULL,
  renewing_delta INTEGER NOT NULL,
  billing_issues_delta INTEGER NOT NULL,`;

/** The statements. */
export const sql = `
-- Rows are only ever added. When a customer is deleted, its name is taken out of them. They lie in
-- the order of time, so that one index less is written.
CREATE TABLE movements (
  project_id TEXT NOT NULL REFERENCES projects (id),
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  customer_id TEXT,
  customer_since INTEGER NOT NULL,
  subscription_id TEXT,
  purchase_id TEXT,
  transaction_id TEXT,
  transaction_at INTEGER,
  started_at INTEGER NOT NULL,
  paid_since INTEGER,
  renewal_number INTEGER,
  period_type TEXT,
  environment TEXT NOT NULL,
  store TEXT NOT NULL,
  app_id TEXT NOT NULL,
  product_id TEXT NOT NULL,
  offering_id TEXT,
  country TEXT,
  platform TEXT NOT NULL,
  currency TEXT NOT NULL,
  gross_usd_micros INTEGER NOT NULL,
  commission_usd_micros INTEGER NOT NULL,
  tax_usd_micros INTEGER NOT NULL,
  payments_delta INTEGER NOT NULL,
  refunds_delta INTEGER NOT NULL,
  mrr_delta_micros INTEGER NOT NULL,
  actives_delta INTEGER NOT NULL,
  trials_delta INTEGER NOT NULL,
  renewing_delta INTEGER NOT NULL,
  billing_issues_delta INTEGER NOT NULL,
  product_duration TEXT,
  PRIMARY KEY (project_id, at, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX movements_by_buying ON movements (project_id, at, customer_id, customer_since, kind)
  WHERE kind IN ('trial_start', 'start', 'resubscription', 'purchase', 'upgrade', 'downgrade',
    'trial_change');
-- These hold all that is mostly asked for, since the movements of a cohort lie scattered in the table.
CREATE INDEX movements_by_refunded ON movements (project_id, transaction_at, refunds_delta,
  environment)
  WHERE refunds_delta <> 0;
CREATE INDEX movements_by_trial ON movements (project_id, started_at, trials_delta, actives_delta,
  environment, kind)
  WHERE trials_delta <> 0 OR kind = 'trial_conversion';
CREATE INDEX movements_by_paid_since ON movements (project_id, paid_since, at, actives_delta,
  environment, kind)
  WHERE actives_delta <> 0;
-- The last one also finds those of one customer, whose first day is known.
CREATE INDEX movements_by_customer_since ON movements (project_id, customer_since, customer_id, at,
  environment, gross_usd_micros, tax_usd_micros, commission_usd_micros)
  WHERE customer_id IS NOT NULL;

${sumsTable("movements_daily")}
${sumsTable("movements_monthly")}

-- The movements of a day, added up by kind and environment alone.
CREATE TABLE movement_totals (
  project_id TEXT NOT NULL REFERENCES projects (id),
  day INTEGER NOT NULL,
  kind TEXT NOT NULL,
  environment TEXT NOT NULL,${SUMS}
  PRIMARY KEY (project_id, day, kind, environment)
) STRICT, WITHOUT ROWID;

-- The payments of customers who are not deleted, added up by the day on which their customers were
-- first seen, and by the week of the payment within its month: a week in which a month begins is two,
-- so that sums of weeks and of months read the same rows. Both are first moments in UTC.
CREATE TABLE cohort_payments (
  project_id TEXT NOT NULL REFERENCES projects (id),
  day INTEGER NOT NULL,
  week INTEGER NOT NULL,
  environment TEXT NOT NULL,
  movements INTEGER NOT NULL,
  gross_usd_micros INTEGER NOT NULL,
  commission_usd_micros INTEGER NOT NULL,
  tax_usd_micros INTEGER NOT NULL,
  PRIMARY KEY (project_id, day, week, environment)
) STRICT, WITHOUT ROWID;
`;

/** A table of movements that are added up by day or by month; `day` is the first day of either. */
function sumsTable(name: string): string {
  return `
-- A missing duration, offering or country is the empty text, for the key.
CREATE TABLE ${name} (
  project_id TEXT NOT NULL REFERENCES projects (id),
  day INTEGER NOT NULL,
  kind TEXT NOT NULL,
  environment TEXT NOT NULL,
  store TEXT NOT NULL,
  app_id TEXT NOT NULL,
  product_id TEXT NOT NULL,
  product_duration TEXT NOT NULL,
  offering_id TEXT NOT NULL,
  country TEXT NOT NULL,
  platform TEXT NOT NULL,${SUMS}
  PRIMARY KEY (project_id, day, kind, environment, store, app_id, product_id, product_duration,
    offering_id, country, platform)
) STRICT, WITHOUT ROWID;`;
}
