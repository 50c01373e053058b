/**
 * The people of a population: who they are, where they come from and when.
 *
 * @module
 */

import { DAY_MS } from "../../domain/calendar.ts";
import { derivedHex, reportedPlatform } from "../../domain/stores.ts";
import { nextSeqs, type ProjectTx, writeRows } from "../../store/mod.ts";
import { type Chance, chanceOf, partOf } from "./chance.ts";
import { COUNTRIES } from "./kinds.ts";
import type { Shop, World } from "./world.ts";

/** Somebody. */
export interface Person {
  /** The number, from 0 in the order of time. */
  readonly index: number;
  /** What their life is made of. */
  readonly key: number;
  /** The customer id, which stays the first one. */
  readonly id: string;
  /** The id that an anonymous customer signs in with later, if any. */
  readonly alias: string | undefined;
  /** When they come, in milliseconds since 1970. */
  readonly at: number;
  /** When they are seen last, in milliseconds since 1970. */
  readonly seen_at: number;
  /** The version of the app. */
  readonly version: string;
  /** Their country, ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Their currency, ISO 4217. */
  readonly currency: string;
  /** Where they buy. */
  readonly shop: Shop;
}

/** The customers that come without a name, and how many of them sign in later. */
const ANONYMOUS = 0.55;
const SIGNS_IN = 0.4;

/** A person of a population: the same one each time. */
export function personOf(world: World, index: number): Person {
  const { wanted, span: { from, to }, shops } = world;
  const key = partOf(world.key, index);
  const chance = chanceOf(key);
  const share = arrivalAt((index + chance.next()) / wanted.customers, world.habits.growth);
  const at = Math.floor(from + (to - from) * share);
  const shop = chance.pick(shops);
  const [country, currency] = chance.pick(COUNTRIES);
  const anonymous = chance.happens(ANONYMOUS);
  const signsIn = chance.happens(SIGNS_IN);
  const hex = derivedHex(`population/${wanted.seed}/${index}`, 64);
  const name = `user_${hex.slice(32, 48)}`;
  return {
    index,
    key,
    id: anonymous ? `$RCAnonymousID:${hex.slice(0, 32)}` : name,
    alias: anonymous && signsIn ? name : undefined,
    at,
    seen_at: Math.min(to, Math.floor(at + staysFor(chance))),
    version: versionAt(share),
    country,
    currency,
    shop,
  };
}

/** How far into the past somebody comes, 0 to 1, when more and more do. */
function arrivalAt(share: number, growth: number): number {
  const slope = growth - 1;
  if (slope === 0) return share;
  return (Math.sqrt(1 + 2 * slope * share * (1 + slope / 2)) - 1) / slope;
}

/** How long somebody uses the app, in milliseconds. Many leave on the first day. */
function staysFor(chance: Chance): number {
  if (chance.happens(0.35)) return chance.between(0, DAY_MS);
  return chance.next() ** 2 * 400 * DAY_MS;
}

/** The app's version: a new one every twelfth of the time. */
function versionAt(share: number): string {
  return `2.${Math.floor(share * 12)}.0`;
}

/** The first id of a seed's people, which shows that they were added before. */
export function firstId(world: World): string {
  return personOf(world, 0).id;
}

/** Writes people, their ids and what is known of them. */
export async function insertPeople(tx: ProjectTx, people: readonly Person[]): Promise<void> {
  if (people.length === 0) return;
  const extra = people.filter(({ alias }) => alias !== undefined).length;
  const count = people.length + extra;
  let seq = await nextSeqs(tx, count) - count;
  const customers = [];
  const aliases = [];
  const attributes = [];
  for (const person of people) {
    const { id, at, country, version, shop, alias } = person;
    customers.push({
      id,
      seq: ++seq,
      first_seen_at: at,
      last_seen_at: person.seen_at,
      last_seen_app_version: version,
      last_seen_country: country,
      last_seen_platform: reportedPlatform(shop.store),
      last_seen_platform_version: null,
    });
    aliases.push({ alias: id, customer_id: id, seq, created_at: at });
    if (alias !== undefined) {
      aliases.push({ alias, customer_id: id, seq: ++seq, created_at: at });
    }
    const name = alias ?? (id.startsWith("$") ? undefined : id);
    if (name === undefined) continue;
    const value = `${name}@example.com`;
    attributes.push({ customer_id: id, name: "$email", value, updated_at: at });
  }
  await writeRows(tx, "customers", customers);
  await writeRows(tx, "customer_aliases", aliases);
  await writeRows(tx, "customer_attributes", attributes);
}
