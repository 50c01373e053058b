/**
 * The rows of the database, one interface per table. `migrations/` has the same in SQL, with the
 * rules that the database itself holds.
 *
 * Times are milliseconds since 1970, truth values 0 or 1, JSON is text. The project's id comes first
 * in every key. `seq` counts up within a project and is the order of every list.
 *
 * @module
 */

import type { Generated, Selectable } from "kysely";
import type { DeliveryTables } from "./delivery_tables.ts";
import type { HoldingTables } from "./holding_tables.ts";
import { type ProcessTables, SHARED_BY_PROCESSES } from "./process_tables.ts";
import type { SignInTables } from "./sign_in_tables.ts";

/** A person who can sign in. */
interface AccountRow {
  id: string;
  email: string;
  name: string | null;
  has_mfa: number;
  created_at: number;
}

/** What becomes of purchases that a second customer restores: they move, are shared, or stay. */
type RestoreBehavior = "transfer" | "share" | "keep";

/** A project, its place in time, and which offering is current. */
interface ProjectRow {
  id: string;
  seq: number;
  name: string;
  icon_url: string | null;
  icon_url_large: string | null;
  created_at: number;
  /** The highest `seq` given out in this project. */
  last_seq: Generated<number>;
  current_offering_id: string | null;
  /** Always `active`: with the id it forms the key that keeps an archived offering from being current. */
  current_offering_state: Generated<string>;
  /** Milliseconds that the project's time is ahead of the wall clock, while it runs. */
  clock_offset: Generated<number>;
  /** The project's time while it stands still, else null. */
  clock_frozen_at: number | null;
  /** Where an advance of the clock that is under way shall end, else null. */
  clock_advancing_to: Generated<number | null>;
  /** 1: the clock runs again once that advance is over. */
  clock_runs_after: Generated<number>;
  /** How old a payment may be for the API to refund it, in days. */
  refund_window_days: Generated<number>;
  /** What becomes of purchases that a second customer restores. */
  restore_behavior: Generated<RestoreBehavior>;
}

/** A person's seat in a project. Without `accepted_at` it is an invitation. */
interface CollaboratorRow {
  project_id: string;
  id: string;
  seq: number;
  account_id: string | null;
  name: string | null;
  email: string;
  role: string;
  accepted_at: number | null;
  has_mfa: number;
}

/** An app. `settings` is the storefront object that is shown, `secrets` the part that never is. */
interface AppRow {
  project_id: string;
  id: string;
  seq: number;
  name: string;
  type: string;
  settings: string;
  secrets: string;
  /** 1: it was created with the public name of its type, and shows that. */
  public_spelling: Generated<number>;
  created_at: number;
}

/** A public SDK key of an app. */
interface AppKeyRow {
  project_id: string;
  app_id: string;
  id: string;
  seq: number;
  key: string;
  environment: string;
  created_at: number;
}

/** A product of an app. */
interface ProductRow {
  project_id: string;
  id: string;
  seq: number;
  app_id: string;
  store_identifier: string;
  type: string;
  display_name: string | null;
  title: string | null;
  state: Generated<string>;
  duration: string | null;
  grace_period_duration: string | null;
  trial_duration: string | null;
  is_consumable: number | null;
  /** The store's price, which only the simulator can set, in millionths of its currency. */
  price_micros: Generated<number | null>;
  price_currency: Generated<string | null>;
  created_at: number;
}

/** An entitlement. */
interface EntitlementRow {
  project_id: string;
  id: string;
  seq: number;
  lookup_key: string;
  display_name: string;
  state: Generated<string>;
  created_at: number;
}

/** A product that gives an entitlement. */
interface EntitlementProductRow {
  project_id: string;
  entitlement_id: string;
  product_id: string;
  seq: number;
}

/** An offering. `metadata` is a JSON object or null. */
interface OfferingRow {
  project_id: string;
  id: string;
  seq: number;
  lookup_key: string;
  display_name: string;
  metadata: string | null;
  state: Generated<string>;
  created_at: number;
}

/** A package of an offering. */
interface PackageRow {
  project_id: string;
  id: string;
  seq: number;
  offering_id: string;
  lookup_key: string;
  display_name: string;
  position: number | null;
  created_at: number;
}

/** A product in a package, for some SDK versions. `app_id` repeats the product's, for the key. */
interface PackageProductRow {
  project_id: string;
  package_id: string;
  product_id: string;
  app_id: string;
  seq: number;
  eligibility_criteria: string;
}

/** One change to a project. */
interface AuditLogRow {
  project_id: string;
  id: string;
  seq: number;
  action_type: string;
  target_type: string;
  target_identifier: string;
  actor_type: string;
  actor_identifier: string;
  occurred_at: number;
  additional_data: string;
}

/** An end user. */
interface CustomerRow {
  project_id: string;
  id: string;
  seq: number;
  first_seen_at: number;
  last_seen_at: number | null;
  last_seen_app_version: string | null;
  last_seen_country: string | null;
  last_seen_platform: string | null;
  last_seen_platform_version: string | null;
  /** Where it has paid: 1 in production, 2 in the sandbox, 3 in both, 0 nowhere. */
  paid_in: Generated<number>;
}

/** One attribute of a customer. */
interface CustomerAttributeRow {
  project_id: string;
  customer_id: string;
  name: string;
  value: string;
  updated_at: number;
}

/** Where a deleted object stood, so that a list can be continued after it. */
interface TombstoneRow {
  project_id: string;
  object: string;
  id: string;
  seq: number;
  /** The place of a package in its offering. */
  position: Generated<number | null>;
  deleted_at: number;
}

/** What a person allowed a client to do. All tokens of one sign-in belong to one grant. */
interface GrantRow {
  id: string;
  account_id: string;
  client_id: string;
  /** Space-separated. */
  scope: string;
  /** 1: a refresh replaces the refresh token. 0: the refresh token stays, for CI. */
  rotates: number;
  created_at: number;
  revoked_at: number | null;
}

/** A refresh token. Only its SHA-256 is kept. */
interface RefreshTokenRow {
  hash: string;
  grant_id: string;
  created_at: number;
  expires_at: number;
  /** When it was exchanged for its successor, which is derived from it. */
  rotated_at: number | null;
}

/** An access token. Only its SHA-256 is kept. */
interface AccessTokenRow {
  hash: string;
  grant_id: string;
  created_at: number;
  expires_at: number;
  /** Space-separated, when it may do less than its grant; else null. */
  scope: string | null;
}

/** A program that people can sign in with. All are public: none has a secret. */
interface ClientRow {
  id: string;
  name: string;
  created_at: number;
}

/** Where a client may be sent back to. */
interface ClientRedirectUriRow {
  client_id: string;
  uri: string;
}

/** A page that asked a person for consent. Only the SHA-256 of its one-time id is kept. */
interface ConsentFormRow {
  hash: string;
  /** SHA-256 of the cookie that was set with the page. */
  cookie_hash: string;
  client_id: string;
  redirect_uri: string;
  scope: string;
  /** The PKCE challenge, method S256. */
  challenge: string;
  state: string | null;
  /** The address that the request came from. */
  sender: string;
  expires_at: number;
  answered_at: number | null;
  /** Who has signed in on this page, where the service asks for that. */
  account_id: string | null;
}

/** An authorization code. Only its SHA-256 is kept. */
interface AuthorizationCodeRow {
  hash: string;
  account_id: string;
  client_id: string;
  redirect_uri: string;
  scope: string;
  /** The PKCE challenge, method S256. */
  challenge: string;
  expires_at: number;
  used_at: number | null;
  /** What its use brought about. */
  grant_id: string | null;
}

/** What a request with an idempotency key was answered. */
interface IdempotencyKeyRow {
  account_id: string;
  key: string;
  /** SHA-256 of method, path and body. */
  request_hash: string;
  status: number;
  body: string;
  created_at: number;
}

/** A setting of this database, such as the key that successor tokens are derived with. */
interface SettingRow {
  name: string;
  value: string;
}

/** The paywall of an offering. `content` is JSON as it was put, null before that. */
interface PaywallRow {
  project_id: string;
  id: string;
  seq: number;
  offering_id: string;
  name: string | null;
  created_at: number;
  published_at: number | null;
  /** How often content was put. */
  revision: Generated<number>;
  content: string | null;
}

/** A virtual currency. `product_grants` is a JSON array or null. */
interface VirtualCurrencyRow {
  project_id: string;
  /** The code. */
  id: string;
  seq: number;
  name: string;
  description: string | null;
  product_grants: string | null;
  state: Generated<string>;
  created_at: number;
}

/** All tables. */
export interface Tables extends HoldingTables, DeliveryTables, SignInTables, ProcessTables {
  accounts: AccountRow;
  projects: ProjectRow;
  collaborators: CollaboratorRow;
  apps: AppRow;
  app_keys: AppKeyRow;
  products: ProductRow;
  entitlements: EntitlementRow;
  entitlement_products: EntitlementProductRow;
  offerings: OfferingRow;
  packages: PackageRow;
  package_products: PackageProductRow;
  audit_logs: AuditLogRow;
  customers: CustomerRow;
  customer_attributes: CustomerAttributeRow;
  tombstones: TombstoneRow;
  grants: GrantRow;
  refresh_tokens: RefreshTokenRow;
  access_tokens: AccessTokenRow;
  clients: ClientRow;
  client_redirect_uris: ClientRedirectUriRow;
  consent_forms: ConsentFormRow;
  authorization_codes: AuthorizationCodeRow;
  idempotency_keys: IdempotencyKeyRow;
  settings: SettingRow;
  paywalls: PaywallRow;
  virtual_currencies: VirtualCurrencyRow;
}

/** A row of a table, as a query returns it. */
export type Row<T extends keyof Tables> = Selectable<Tables[T]>;

/** The tables whose rows belong to no project. All others hold the rows of projects. */
export const SHARED_TABLES = [
  "accounts",
  "grants",
  "refresh_tokens",
  "access_tokens",
  "clients",
  "client_redirect_uris",
  "consent_forms",
  "authorization_codes",
  "passwords",
  "password_links",
  "sign_in_tries",
  "identities",
  "idempotency_keys",
  "settings",
  ...SHARED_BY_PROCESSES,
] as const satisfies readonly (keyof Tables)[];

/** A table whose rows belong to no project. */
export type SharedTable = typeof SHARED_TABLES[number];

/** A table whose rows belong to projects. In `projects` itself it is the id that tells. */
export type ProjectTable = Exclude<keyof Tables, SharedTable>;
