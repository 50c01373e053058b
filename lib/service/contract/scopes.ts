/**
 * Permissions, written `domain:resource:level`. Level `read_write` includes `read`.
 *
 * @module
 */

const DOMAINS = {
  project_configuration: [
    "projects",
    "collaborators",
    "apps",
    "audit_logs",
    "entitlements",
    "offerings",
    "discounts",
    "packages",
    "products",
    "integrations",
    "experiments",
    "virtual_currencies",
  ],
  customer_information: ["customers", "subscriptions", "purchases", "invoices"],
  charts_metrics: ["overview", "charts", "benchmarks", "experiment_results"],
} as const;

type Domains = typeof DOMAINS;

/** A permission that a route needs. */
export type Scope = {
  [D in keyof Domains]: `${D}:${Domains[D][number]}:${"read" | "read_write"}`;
}[keyof Domains];

/** All permissions. */
export const SCOPES: readonly string[] = Object.entries(DOMAINS).flatMap(([domain, resources]) =>
  resources.flatMap((resource) => ["read", "read_write"].map((l) => `${domain}:${resource}:${l}`))
);

/** The permission for everything. */
export const ALL_SCOPES = "*:*:read_write";

/** Whether a name is one of the permissions, `*` standing for any domain or resource. */
export function isScope(name: string): boolean {
  const [domain = "", resource = "", level = "", ...rest] = name.split(":");
  if (rest.length > 0) return false;
  return SCOPES.some((scope) => {
    const [d, r, l] = scope.split(":");
    return (domain === "*" || domain === d) && (resource === "*" || resource === r) && level === l;
  });
}

/** Whether granted permissions (space-separated) include another one, which may have a `*` itself. */
export function allows(granted: string, needed: string): boolean {
  const [domain, resource, level] = needed.split(":");
  return granted.split(" ").some((scope) => {
    const [d, r, l] = scope.split(":");
    return (d === "*" || d === domain) && (r === "*" || r === resource) &&
      (l === level || l === "read_write");
  });
}
