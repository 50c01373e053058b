/**
 * The operations that the API document excludes. `tests/scripts/support_test.ts` requests all of
 * them.
 *
 * @module
 */

/** An excluded operation. */
export interface Absent {
  /** The method. */
  method: string;
  /** The path, below the project unless it begins with a version. */
  path: string;
  /** The status of the answer. */
  status: 404 | 405;
  /** The alternative, as a sentence of the page. */
  instead: string;
}

const NO_BALANCES = "Nothing: only the dashboard shows a customer's balances.";
const NO_MEMBERS = "Nothing: access is managed in the dashboard.";

/** All of them. */
export const ABSENT: readonly Absent[] = [
  {
    method: "POST",
    path: "/customers/{id}/actions/override_offering",
    status: 404,
    instead: "`offerings set-current` sets the offering of all customers.",
  },
  {
    method: "POST",
    path: "/customers/{id}/actions/restore_google_play_purchase",
    status: 404,
    instead: "Nothing: the app restores purchases.",
  },
  {
    method: "POST",
    path: "/customers/{id}/actions/revoke_entitlement",
    status: 404,
    instead: "`subscribers revoke` replaces the grant with one that ends in a few seconds.",
  },
  {
    method: "GET",
    path: "/customers/{id}/virtual_currencies_balances",
    status: 404,
    instead: NO_BALANCES,
  },
  {
    method: "POST",
    path: "/customers/{id}/virtual_currencies_balances",
    status: 404,
    instead: NO_BALANCES,
  },
  {
    method: "POST",
    path: "/customers/{id}/virtual_currencies/transactions",
    status: 404,
    instead: NO_BALANCES,
  },
  {
    method: "GET",
    path: "/events",
    status: 404,
    instead:
      "`webhooks create` subscribes to events; `events list` shows those of the local service.",
  },
  {
    method: "POST",
    path: "/products/{id}/prices",
    status: 404,
    instead: "The dashboard; `simulate price` sets a price at the local service.",
  },
  {
    method: "POST",
    path: "/v2/projects/{project_id}",
    status: 405,
    instead: "Nothing: a project is changed in the dashboard.",
  },
  {
    method: "DELETE",
    path: "/v2/projects/{project_id}",
    status: 405,
    instead: "Nothing: a project cannot be deleted.",
  },
  {
    method: "POST",
    path: "/collaborators",
    status: 405,
    instead: NO_MEMBERS,
  },
  {
    method: "DELETE",
    path: "/collaborators/{id}",
    status: 404,
    instead: NO_MEMBERS,
  },
];
