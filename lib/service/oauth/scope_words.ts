/**
 * Permissions in people's words, for the page that asks for consent.
 *
 * @module
 */

import { allows, SCOPES } from "../contract/scopes.ts";

/** What a client may do with one part of the service. */
export interface Permission {
  /** The part of the service. */
  area: string;
  /** What may be seen, changed and deleted. */
  change: readonly string[];
  /** What may only be seen. */
  see: readonly string[];
  /** Whether that is all that the area has, and the same for all of it. */
  everything: "change" | "see" | undefined;
}

const AREAS: Readonly<Record<string, string>> = {
  project_configuration: "Project setup",
  customer_information: "Customers",
  charts_metrics: "Charts and metrics",
};

/** Resources whose name is not simply their words. */
const WORDS: Readonly<Record<string, string>> = {
  offerings: "offerings and paywalls",
  integrations: "webhooks",
  customers: "customer records",
  overview: "the overview",
};

/** What a scope permits, area by area; areas with nothing are left out. */
export function describeScope(scope: string): Permission[] {
  return Object.entries(AREAS).map(([domain, area]) => {
    const resources = resourcesOf(domain);
    const change = resources.filter((r) => allows(scope, `${domain}:${r}:read_write`));
    const see = resources.filter((r) =>
      !change.includes(r) && allows(scope, `${domain}:${r}:read`)
    );
    const everything = change.length === resources.length
      ? "change" as const
      : see.length === resources.length
      ? "see" as const
      : undefined;
    return { area, change: change.map(wordFor), see: see.map(wordFor), everything };
  }).filter(({ change, see }) => change.length + see.length > 0);
}

function resourcesOf(domain: string): string[] {
  const names = SCOPES.filter((scope) => scope.startsWith(`${domain}:`))
    .map((scope) => scope.split(":")[1] ?? "");
  return [...new Set(names)];
}

function wordFor(resource: string): string {
  return WORDS[resource] ?? resource.replaceAll("_", " ");
}
