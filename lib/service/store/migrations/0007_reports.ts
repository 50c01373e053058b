/**
 * Finding what charts are made of besides the daily sums: customers by when they were seen, and
 * movements by the day on which what they belong to began. The conditions are repeated word for word
 * where the ledger is read.
 *
 * @module
 */

/** The statements of this step. */
export const sql = `
CREATE INDEX customers_by_first_seen ON customers (project_id, first_seen_at);
CREATE INDEX customers_by_last_seen ON customers (project_id, last_seen_at);
CREATE INDEX movements_by_refunded ON movements (project_id, transaction_at)
  WHERE refunds_delta <> 0;
CREATE INDEX movements_by_trial ON movements (project_id, started_at)
  WHERE trials_delta <> 0 OR kind = 'trial_conversion';
CREATE INDEX movements_by_buying ON movements (project_id, at, customer_id)
  WHERE kind IN ('trial_start', 'start', 'resubscription', 'purchase', 'upgrade', 'downgrade',
    'trial_change');
-- These hold all that is mostly asked for, since the movements of a cohort lie scattered in the table.
CREATE INDEX movements_by_paid_since ON movements (project_id, paid_since, at, actives_delta,
  environment, kind)
  WHERE actives_delta <> 0;
CREATE INDEX movements_by_customer_since ON movements (project_id, customer_since, customer_id, at,
  environment, payments_delta, gross_usd_micros, tax_usd_micros, commission_usd_micros)
  WHERE customer_id IS NOT NULL AND gross_usd_micros <> 0;
`;
