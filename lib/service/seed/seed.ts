/**
 * The demonstration project of a new database, so that the first command has something to show.
 *
 * @module
 */

import { insertCustomer } from "../records/changes.ts";
import { newId } from "../records/ids.ts";
import { addAccount } from "../oauth/accounts.ts";
import type { Actor } from "../contract/route.ts";
import { insertProject } from "../records/new_project.ts";
import { seedBuyers } from "./buyers.ts";
import { type SeedCall, writeCatalogue } from "./catalogue.ts";
import { NOTES, NOTES_COINS } from "./catalogues.ts";
import { inProject, nextSeq, type TextTx, writeRows } from "../store/mod.ts";

/** The account that owns everything in a new database. */
const OWNER = { email: "owner@example.com", name: "Olivia Owner" };

const CUSTOMERS = [
  ["ada", "GB", "iOS", { $email: "ada@example.com", plan: "family" }],
  ["grace", "US", "android", { $email: "grace@example.com" }],
  ["$RCAnonymousID:5d2f7c1e9ab04c3f8e6d1b2a3c4d5e6f", "JP", "iOS", {}],
] as const;

/** The result of the seed, for the caller that starts the service. */
interface Seeded {
  /** The owner's account. */
  account_id: string;
  /** The demonstration project; undefined in an empty database. */
  project_id: string | undefined;
}

/** The content of a new database. */
export interface SeedOptions {
  /** The time. */
  now: number;
  /** Whether there is no project. */
  empty: boolean;
  /** Whether the project sells coins and has buyers. */
  buyers: boolean;
}

/** Fills a new database with the owner's account and, unless it stays empty, the project. */
export async function seed(tx: TextTx, options: SeedOptions): Promise<Seeded> {
  const account = await addAccount(tx, { ...OWNER, now: options.now });
  if (options.empty) return { account_id: account.id, project_id: undefined };
  const owner = { ...account, account_id: account.id, has_mfa: account.has_mfa === 1 };
  const project_id = await seedProject(tx, owner, options);
  return { account_id: account.id, project_id };
}

/** Writes the demonstration project. */
async function seedProject(
  tx: TextTx,
  owner: Pick<Actor, "account_id" | "email" | "name" | "has_mfa">,
  { now, buyers }: SeedOptions,
): Promise<string> {
  const project = await insertProject(tx, "Notes", owner, now);
  const call = { tx: inProject(tx, project.id), project, now };
  const written = await writeCatalogue(call, NOTES);
  await seedPeople(call);
  if (buyers) {
    await writeCatalogue(call, NOTES_COINS);
    await seedBuyers(call, written);
  }
  return project.id;
}

/** Writes a pending collaborator and a few customers. */
async function seedPeople(call: SeedCall): Promise<void> {
  const { tx, now } = call;
  await writeRows(tx, "collaborators", [{
    id: newId("collaborator"),
    seq: await nextSeq(tx),
    account_id: null,
    name: null,
    email: "support@example.com",
    role: "customer_support",
    accepted_at: null,
    has_mfa: 0,
  }]);
  for (const [id, country, platform, attributes] of CUSTOMERS) {
    await insertCustomer(call, id, {
      last_seen_app_version: "2.1.0",
      last_seen_country: country,
      last_seen_platform: platform,
    });
    const rows = Object.entries(attributes)
      .map(([name, value]) => ({ customer_id: id, name, value, updated_at: now }));
    await writeRows(tx, "customer_attributes", rows);
  }
}
