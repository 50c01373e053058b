/**
 * The default permissions of a sign-in.
 *
 * @module
 */

const CHANGED = [
  "project_configuration:projects",
  "project_configuration:apps",
  "project_configuration:entitlements",
  "project_configuration:offerings",
  "project_configuration:packages",
  "project_configuration:products",
  "project_configuration:integrations",
  "project_configuration:virtual_currencies",
  "customer_information:customers",
  "customer_information:subscriptions",
  "customer_information:purchases",
];

const READ = [
  "project_configuration:collaborators",
  "project_configuration:audit_logs",
  "customer_information:invoices",
  "charts_metrics:overview",
  "charts_metrics:charts",
];

/** The permissions for all operations: write where possible, read for the rest. */
export const DEFAULT_SCOPES: readonly string[] = [
  ...CHANGED.map((resource) => `${resource}:read_write`),
  ...READ.map((resource) => `${resource}:read`),
];

/** The permissions that a grant (separated by spaces) does not include. */
export function missingScopes(granted: string, needed: readonly string[]): string[] {
  const held = granted.split(/\s+/).map((scope) => scope.split(":"));
  return needed.filter((scope) => {
    const [domain, resource, level] = scope.split(":");
    return !held.some(([d, r, l]) =>
      (d === "*" || d === domain) && (r === "*" || r === resource) &&
      (l === level || l === "read_write")
    );
  });
}
