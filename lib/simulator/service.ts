/**
 * The local service as a whole: tokens, accounts, clients, and the progress of projects.
 *
 * @module
 */

import type { Client } from "../client.ts";
import { path } from "../path.ts";
import type { Project } from "../resources/projects.ts";
import type { Role } from "../roles.ts";
import type { Left } from "./clock.ts";
import type { Items } from "./simulator.ts";

/** A project to create. */
export interface ProjectStart {
  /** Its name, 1 to 255 characters. */
  name: string;
  /** Its time, in milliseconds since 1970. */
  now: number;
}

/** The tokens to issue. */
export interface NewTokens {
  /** The account's e-mail address. Default: the seeded owner's. */
  account_email?: string | undefined;
  /** The permissions, separated by spaces. Default: all. */
  scope?: string | undefined;
  /** Whether a refresh replaces the refresh token. Default false. */
  rotates?: boolean | undefined;
  /** The lifetime of the refresh token, in milliseconds. */
  lifetime_ms?: number | undefined;
}

/** Issued tokens. */
export interface IssuedTokens {
  /** The access token. */
  access_token: string;
  /** Always `Bearer`. */
  token_type: "Bearer";
  /** The lifetime of the access token, in seconds. */
  expires_in: number;
  /** The refresh token. */
  refresh_token: string;
  /** The permissions, separated by spaces. */
  scope: string;
}

/** An account that can sign in. */
export interface Account {
  /** Always `account`. */
  object: "account";
  /** Generated id, `acct…`. */
  id: string;
  /** Its e-mail address, in lower case. */
  email: string;
  /** The person's name. */
  name: string | null;
  /** Its projects. */
  projects: {
    /** The project. */
    id: string;
    /** The role in it. */
    role: string;
  }[];
  /** Whether the person has set a password. */
  has_password: boolean;
  /** The one-time link to set a password, shown only once. */
  password_link?: PasswordLink | undefined;
}

/** A one-time link on which a person sets a password. */
export interface PasswordLink {
  /** Its address. */
  url: string;
  /** When it ends, in milliseconds since 1970. */
  expires_at: number;
}

/** A removed account. */
export interface DeletedAccount {
  /** Always `account`. */
  object: "account";
  /** Its id. */
  id: string;
  /** Its e-mail address. */
  email: string;
  /** When it was removed, in milliseconds since 1970. */
  deleted_at: number;
}

/** An account to add, also to a project. */
export interface NewAccount {
  /** Its e-mail address. */
  email: string;
  /** The person's name. */
  name?: string | undefined;
  /** A project to add it to. */
  project_id?: string | undefined;
  /** Its role there. Default: developer. */
  role?: Role | undefined;
}

/** An OAuth client. */
export interface RegisteredClient {
  /** Always `client`. */
  object: "client";
  /** Its OAuth client id. */
  id: string;
  /** Its name on the consent page. */
  name: string;
  /** The redirect URIs. */
  redirect_uris: readonly string[];
}

/** A client to register. */
export interface NewClient {
  /** Its OAuth client id. */
  id: string;
  /** Its name. Default: the id. */
  name?: string | undefined;
  /** The redirect URIs. */
  redirect_uris: readonly string[];
}

/** A removed client. */
export interface DeletedClient {
  /** Always `client`. */
  object: "client";
  /** Its OAuth client id. */
  id: string;
  /** When it was removed, in milliseconds since 1970. */
  deleted_at: number;
}

/** The progress of a project that is catching up. */
export interface ProjectProgress extends Left {
  /** The project. */
  project_id: string;
  /** The time reached so far, in milliseconds since 1970. */
  now: number;
  /** The target time. */
  to: number;
  /** The number of steps so far. */
  done: number;
  /** Their duration, in milliseconds. */
  took_ms: number;
}

/**
 * Creates a project of the first account. Its clock stands at the given time. `POST /_sim/projects`
 */
export function beginProject(client: Client, body: ProjectStart): Promise<Project> {
  return client.post(path`/_sim/projects`, body);
}

/** Issues tokens without a browser. `POST /_sim/tokens` */
export function issueTokens(client: Client, body: NewTokens = {}): Promise<IssuedTokens> {
  return client.post(path`/_sim/tokens`, body);
}

/** Adds an account, also to a project. `POST /_sim/accounts` */
export function createAccount(client: Client, body: NewAccount): Promise<Account> {
  return client.post(path`/_sim/accounts`, body);
}

/** Lists the accounts, the seeded owner first. `GET /_sim/accounts` */
export function listAccounts(client: Client): Promise<Items<Account>> {
  return client.get(path`/_sim/accounts`);
}

/**
 * Makes a new one-time link for a password. Earlier links of the account end.
 * `POST /_sim/accounts/{email}/password_link`
 */
export function createPasswordLink(client: Client, email: string): Promise<Account> {
  return client.post(path`/_sim/accounts/${email}/password_link`);
}

/** Removes an account with its roles and sign-ins. `DELETE /_sim/accounts/{email}` */
export function deleteAccount(client: Client, email: string): Promise<DeletedAccount> {
  return client.delete(path`/_sim/accounts/${email}`);
}

/** Registers a client. `POST /_sim/clients` */
export function registerClient(client: Client, body: NewClient): Promise<RegisteredClient> {
  return client.post(path`/_sim/clients`, body);
}

/** Lists the clients, the built-in one first. `GET /_sim/clients` */
export function listClients(client: Client): Promise<Items<RegisteredClient>> {
  return client.get(path`/_sim/clients`);
}

/** Removes a client, and ends every sign-in with it. `DELETE /_sim/clients/{id}` */
export function deleteClient(client: Client, id: string): Promise<DeletedClient> {
  return client.delete(path`/_sim/clients/${id}`);
}

/** Lists the projects that are catching up. `GET /_sim/progress` */
export function listProgress(client: Client): Promise<Items<ProjectProgress>> {
  return client.get(path`/_sim/progress`);
}
