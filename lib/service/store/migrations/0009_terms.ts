/**
 * The term that was sold, in each movement and its share of the day: products change theirs later, and
 * some have none of their own.
 *
 * @module
 */

/** The statements of this step. */
export const sql = `
ALTER TABLE movements ADD COLUMN product_duration TEXT;
-- What is known of what was sold before. A term that nobody named was a month.
UPDATE movements SET product_duration = coalesce(
  (SELECT s.duration FROM subscriptions AS s
    WHERE s.project_id = movements.project_id AND s.id = movements.subscription_id
      AND s.product_id = movements.product_id),
  (SELECT p.duration FROM products AS p
    WHERE p.project_id = movements.project_id AND p.id = movements.product_id),
  'P1M')
WHERE subscription_id IS NOT NULL;

DROP TABLE movements_daily;
-- A missing duration, offering or country is the empty text, for the key.
CREATE TABLE movements_daily (
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
  platform TEXT NOT NULL,
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
  billing_issues_delta INTEGER NOT NULL,
  PRIMARY KEY (project_id, day, kind, environment, store, app_id, product_id, product_duration,
    offering_id, country, platform)
) STRICT, WITHOUT ROWID;
INSERT INTO movements_daily
  SELECT project_id, at - at % 86400000, kind, environment, store, app_id, product_id,
    coalesce(product_duration, ''), coalesce(offering_id, ''), coalesce(country, ''), platform,
    count(*), sum(gross_usd_micros), sum(commission_usd_micros), sum(tax_usd_micros),
    sum(payments_delta), sum(refunds_delta), sum(mrr_delta_micros), sum(actives_delta),
    sum(trials_delta), sum(renewing_delta), sum(billing_issues_delta)
  FROM movements GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11;
`;
