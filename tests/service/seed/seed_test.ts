import { acrossProjects } from "../../../lib/service/store/mod.ts";
import type { Tables } from "../../../lib/service/store/tables.ts";
import { openService } from "../../support/engine.ts";
import { matchGolden } from "../../support/golden.ts";
import { steadyBytes } from "../../support/steady_bytes.ts";

/** The tables in which the demonstration project has rows. */
const FILLED: readonly (keyof Tables)[] = [
  ...["accounts", "projects", "collaborators", "apps", "app_keys", "products"] as const,
  ...["entitlements", "entitlement_products", "offerings", "packages"] as const,
  ...["package_products", "virtual_currencies", "customers", "customer_aliases"] as const,
  ...["customer_attributes", "subscriptions", "transactions", "purchases", "invoices"] as const,
  ...["movements", "movements_daily", "movements_monthly", "movement_totals"] as const,
  ...["cohort_payments", "events"] as const,
  ...["currency_balances", "currency_entries", "deliveries", "audit_logs", "grants"] as const,
];

Deno.test("the demonstration project has the same rows as ever", async () => {
  const clock = () => Date.UTC(2026, 4, 17, 12, 34, 56);
  await using service = await openService({ clock, random: steadyBytes() });
  const lines: string[] = [];
  for (const table of FILLED) {
    const rows = await service.store.read((tx) =>
      acrossProjects(tx).selectFrom(table).selectAll().execute()
    );
    const texts = rows.map((row) => JSON.stringify(row, Object.keys(row).sort()));
    lines.push(`${table}: ${rows.length}`, ...texts.sort().map((text) => `  ${text}`));
  }
  await matchGolden("seed", `${lines.join("\n")}\n`);
});
