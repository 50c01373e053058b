/**
 * The roles of accounts in projects.
 *
 * @module
 */

/** The roles, the strongest first. */
export const ROLES = [
  "owner",
  "admin",
  "developer",
  "growth_specialist",
  "operations",
  "customer_support",
  "read_only",
] as const;

/** The role of an account in a project. */
export type Role = (typeof ROLES)[number];
