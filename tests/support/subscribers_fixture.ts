/**
 * A desk for tests of `cli subscribers`.
 *
 * @module
 */

import { type Desk, type DeskOptions, openDesk } from "./harness.ts";

/** The time at which these tests take place. */
export const NOW: number = Date.UTC(2026, 0, 31, 12, 30, 15);

/** A subscription to buy. */
export const MONTHLY = { product_id: "notes.pro.monthly", price: 9.99 };

/** A desk whose clock stands still. */
export function deskAt(options: DeskOptions = {}): Promise<Desk> {
  return openDesk({ clock: () => NOW, ...options });
}

/** The requests of a command that change something. */
export function writesOf({ sent }: Desk): string[] {
  return sent.filter(({ method, path }) => method !== "GET" && path.startsWith("/v2/"))
    .map(({ method, path }) => `${method} ${path.replace(/^\/v2\/projects\/\w+/, "")}`);
}

/** The items of a list in an answer. */
export function itemsIn(list: unknown): unknown[] {
  const { items } = fieldsIn(list);
  return Array.isArray(items) ? items : [];
}

/** The fields of an object in an answer. */
export function fieldsIn(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
