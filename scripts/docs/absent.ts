/**
 * What the API document says is not there. `tests/scripts/support_test.ts` asks the service for all of it.
 *
 * @module
 */

/** An operation that there is none of. */
export interface Absent {
  /** The method. */
  method: string;
  /** The path, below the project unless it begins with a version. */
  path: string;
  /** What the service answers. */
  status: 404 | 405;
  /** What to do instead, as a sentence of the page. */
  instead: string;
}

const NO_BALANCES = "Nothing: what a customer has of a currency is seen in the dashboard alone.";
const NO_MEMBERS = "Nothing: who has access is decided in the dashboard.";

/** All of them. */
export const ABSENT: readonly Absent[] = [
  {
    method: "POST",
    path: "/customers/{id}/actions/override_offering",
    status: 404,
    instead: "`offerings set-current` chooses the offering of everybody.",
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
    instead: "`subscribers revoke` grants it again, with an end in a few seconds.",
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
    instead: "`webhooks create` has events sent; `events list` shows those of the local service.",
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
