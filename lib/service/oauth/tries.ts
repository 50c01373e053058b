/**
 * Tries to sign in, counted for each account and each network. They are in the database, so several
 * processes and a restart share them.
 *
 * @module
 */

import { sha256Hex } from "../records/ids.ts";
import type { Tx } from "../store/mod.ts";

/** How many wrong passwords are free, and what comes then. */
export const TRIES = {
  /** Wrong passwords for one account before it is locked. */
  account: 5,
  /** Wrong passwords from one network before it is locked. */
  address: 20,
  /** The first lock, in milliseconds. Each further wrong password doubles it. */
  first_lock_ms: 1000,
  /** The longest lock. */
  longest_lock_ms: 900_000,
  /** How long after the end of the last lock all is forgotten. */
  forget_ms: 3_600_000,
};

/** Who tries. */
interface Trier {
  /** The e-mail address that was typed, whether or not there is such an account. */
  email: string;
  /** The address that the request came from. */
  sender: string;
}

/** A try that was counted, or refused. */
interface Try {
  /** When the lock of the account or the network ends; undefined when the password may be checked. */
  lockedUntil: number | undefined;
  /** When the lock ends that this try put on its network. */
  networkLock: number;
}

/** Counts a try before its password is checked, so that tries at the same moment count each. */
export async function countTry(tx: Tx, trier: Trier, now: number): Promise<Try> {
  const subjects = subjectsOf(trier);
  const rows = await tx.selectFrom("sign_in_tries").selectAll()
    .where("subject", "in", subjects.map(({ subject }) => subject)).execute();
  const live = rows.filter((row) => row.expires_at > now);
  const locked = Math.max(...live.map((row) => row.locked_until), 0);
  if (locked > now) return { lockedUntil: locked, networkLock: now };
  let networkLock = now;
  for (const { subject, free } of subjects) {
    const before = live.find((row) => row.subject === subject)?.tries ?? 0;
    const tries = before + 1;
    const locked_until = tries < free ? now : now + lockOf(tries - free);
    const values = { tries, locked_until, expires_at: locked_until + TRIES.forget_ms };
    await tx.insertInto("sign_in_tries").values({ subject, ...values })
      .onConflict((conflict) => conflict.column("subject").doUpdateSet(values)).execute();
    if (subject === networkOf(trier.sender)) networkLock = locked_until;
  }
  return { lockedUntil: undefined, networkLock };
}

/**
 * Takes back a try whose password was right: the account's are forgotten, the network has one less.
 * A lock that a later try put on the network stays.
 */
export async function forgiveTry(
  tx: Tx,
  trier: Trier,
  { now, networkLock }: { now: number } & Pick<Try, "networkLock">,
): Promise<void> {
  await forgetTries(tx, trier.email);
  const subject = networkOf(trier.sender);
  await tx.deleteFrom("sign_in_tries").where("subject", "=", subject).where("tries", "<=", 1)
    .execute();
  await tx.updateTable("sign_in_tries").set({ locked_until: now })
    .where("subject", "=", subject).where("locked_until", "=", networkLock).execute();
  await tx.updateTable("sign_in_tries").set((eb) => ({ tries: eb("tries", "-", 1) }))
    .where("subject", "=", subject).execute();
}

/** Forgets the tries for an account. */
export async function forgetTries(tx: Tx, email: string): Promise<void> {
  await tx.deleteFrom("sign_in_tries").where("subject", "=", accountOf(email)).execute();
}

/** How long a lock lasts after so many wrong passwords more than are free. */
function lockOf(more: number): number {
  return Math.min(TRIES.first_lock_ms * 2 ** Math.min(more, 30), TRIES.longest_lock_ms);
}

function subjectsOf({ email, sender }: Trier): { subject: string; free: number }[] {
  return [
    { subject: accountOf(email), free: TRIES.account },
    { subject: networkOf(sender), free: TRIES.address },
  ];
}

/** Hashed, as people type passwords into the wrong field. */
function accountOf(email: string): string {
  return `account:${sha256Hex(email.toLowerCase())}`;
}

/** An IPv4 address, or the 64 bits of an IPv6 address that its owner cannot change at will. */
function networkOf(sender: string): string {
  const host = URL.parse(`http://[${sender}]/`)?.hostname.slice(1, -1);
  if (host === undefined) return `address:${sender}`;
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(host) ?? [];
  if (high !== undefined && low !== undefined) {
    const bytes = [high, low].flatMap((part) => {
      const value = parseInt(part, 16);
      return [value >> 8, value & 255];
    });
    return `address:${bytes.join(".")}`;
  }
  const [start = "", end] = host.split("::");
  const groups = start === "" ? [] : start.split(":");
  const last = end ? end.split(":") : [];
  const zeros = end === undefined ? 0 : 8 - groups.length - last.length;
  const all = [...groups, ...Array<string>(zeros).fill("0"), ...last];
  return `address:${all.slice(0, 4).join(":")}::/64`;
}
