/**
 * Who of a provider's people may come in, and which account is theirs.
 *
 * @module
 */

import { UsageError } from "../../errors.ts";
import type { Tx } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { addAccount, findAccount } from "./accounts.ts";
import { PageRefusal } from "./refusal.ts";

/** A person, as a provider describes them. */
export interface Person {
  /** The provider. */
  issuer: string;
  /** The provider's own id of the person; it never goes to another one. */
  subject: string;
  /** The e-mail address. */
  email: string | undefined;
  /** Whether the provider has made sure that the address is the person's. */
  verified: boolean;
  /** The name. */
  name: string | undefined;
}

/** E-mail addresses and domains that may come in. */
export interface Admission {
  /**
   * Whether an e-mail address may come in; undefined where only accounts that were added before may.
   */
  allows: ((email: string) => boolean) | undefined;
}

/**
 * Reads who may come in: `ada@example.com` for one person, `@example.com` for all of a domain.
 *
 * @throws {UsageError} when an entry is neither.
 */
export function readAdmission(entries: readonly string[]): Admission {
  const wrong = entries.find((entry) => !/^[^\s@]*@[^\s@]+$/.test(entry));
  if (wrong !== undefined) {
    throw new UsageError(
      `Cannot allow ${JSON.stringify(wrong)} to sign in: it is neither an e-mail address nor a ` +
        "domain such as @example.com",
    );
  }
  if (entries.length === 0) return { allows: undefined };
  const known = new Set(entries.map((entry) => entry.toLowerCase()));
  return {
    allows: (email) => known.has(email) || known.has(email.slice(email.lastIndexOf("@"))),
  };
}

/**
 * The account of a person. The first sign-in ties it to the provider's id of the person: later ones
 * go by that, so a new owner of the same e-mail address does not get the account.
 *
 * @throws {PageRefusal} when the person may not come in.
 */
export async function accountOf(
  tx: Tx,
  person: Person,
  { allows }: Admission,
  now: number,
): Promise<Row<"accounts">> {
  const { issuer, subject, verified, name } = person;
  const email = person.email?.toLowerCase();
  if (email === undefined) throw refused("The provider did not send your e-mail address.");
  if (!verified) throw refused("The provider has not verified this e-mail address:", email);
  if (allows && !allows(email)) throw refused("This e-mail address may not sign in here:", email);
  const tied = await tx.selectFrom("identities").select("account_id")
    .where("issuer", "=", issuer).where("subject", "=", subject).executeTakeFirst();
  if (tied) return await accountWithId(tx, tied.account_id);
  const known = await findAccount(tx, email);
  if (!known && !allows) {
    throw refused("This service has no account for the e-mail address:", email);
  }
  const account = known ?? await addAccount(tx, { email, name, now });
  const other = await tx.selectFrom("identities").select("subject")
    .where("issuer", "=", issuer).where("account_id", "=", account.id).executeTakeFirst();
  if (other) throw refused("Another person has signed in with this e-mail address before:", email);
  await tx.insertInto("identities")
    .values({ issuer, subject, account_id: account.id, created_at: now }).execute();
  return account;
}

async function accountWithId(tx: Tx, id: string): Promise<Row<"accounts">> {
  return await tx.selectFrom("accounts").selectAll().where("id", "=", id)
    .executeTakeFirstOrThrow();
}

function refused(message: string, value?: string): PageRefusal {
  return new PageRefusal({
    title: "You cannot sign in here",
    message,
    value,
    next: "No access was granted. Ask the administrator of this service to add your account.",
  }, { status: 403 });
}
