/**
 * The catalogue of the stories that `cli scenario init` writes.
 *
 * @module
 */

/** The file's text. */
export const CATALOGUE = `# What the stories sell. A scenario names this file under start.catalogue.
apps: { ios: app_store, android: play_store, web: svc_billing }
products:
  notes.pro.monthly: { app: ios, duration: P1M, trial: P1W, grace: P3D, price: 9.99, entitlements: [pro] }
  notes.pro.annual: { app: ios, duration: P1Y, grace: P3D, price: 79.99, entitlements: [pro, sync] }
  notes.pass: { app: ios, type: non_renewing_subscription, price: 4.99, entitlements: [pro] }
  notes.coins.100: { app: ios, type: consumable, price: 0.99 }
  notes_pro_monthly: { app: android, duration: P1M, price: 9.99, entitlements: [pro] }
  notes_web_monthly: { app: web, duration: P1M, price: 9.99, entitlements: [pro] }
coins:
  COIN: { name: Coins, products: { notes.coins.100: 100 } }
`;
