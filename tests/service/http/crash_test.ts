/**
 * Kills the service at random points while clients change everything they can, and checks the
 * result: no acknowledged change is lost, an interrupted one happens once when repeated with its
 * key, and every change has its entry in the audit log.
 *
 * `SERVICE_CRASH_ROUNDS` is the number of rounds, 4 without it.
 *
 * @module
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import { type Lasting, withLasting } from "../../support/lasting.ts";
import { type RunningService, startOn } from "../../support/running_service.ts";

const ROUNDS = Number(Deno.env.get("SERVICE_CRASH_ROUNDS") ?? 4);

/** A database is used for so many rounds before the next one. */
const ROUNDS_PER_DATABASE = 4;

/** The number of concurrent clients. */
const CLIENTS = 12;

/** A change: its request, and its effect on the test's model. */
interface Change {
  /** Its idempotency key. */
  key: string;
  /** The method. */
  method: string;
  /** The path below the project. */
  path: string;
  /** The body. */
  body: object | undefined;
  /** Records that it is done. */
  done(): void;
}

/** The acknowledged state that the service must have after a crash. */
interface Known {
  /** Entitlements by lookup key. */
  entitlements: Map<string, { display_name: string; products: string[] }>;
  /** Lookup keys of offerings. */
  offerings: Set<string>;
  /** The number of acknowledged changes. */
  changes: number;
  /** Changes that were sent and not answered. */
  open: Change[];
  /** Ids of products of the demonstration project. */
  products: string[];
}

Deno.test("no acknowledged change is lost or made twice when the service is killed", async () => {
  let changes = 0;
  for (let round = 0; round < ROUNDS; round += ROUNDS_PER_DATABASE) {
    await withLasting(async (lasting) => {
      const known = nothing();
      for (let i = round; i < Math.min(ROUNDS, round + ROUNDS_PER_DATABASE); i++) {
        const service = await startOn(lasting);
        await settle(service, known);
        await workUntilKilled(service, known);
        await checkDatabase(lasting, known);
      }
      const service = await startOn(lasting);
      await settle(service, known);
      await service.kill();
      changes += known.changes;
    });
  }
  ok(changes > ROUNDS * 10, `only ${changes} changes were acknowledged in ${ROUNDS} rounds`);
});

function nothing(): Known {
  return { entitlements: new Map(), offerings: new Set(), changes: 0, open: [], products: [] };
}

/** Repeats requests without an answer before the crash, then compares everything. */
async function settle(service: RunningService, known: Known): Promise<void> {
  for (const change of known.open.splice(0)) {
    const response = await send(service, change);
    const text = await response.text();
    ok(response.ok, `${change.method} ${change.path}, sent again: ${response.status} ${text}`);
    change.done();
    known.changes++;
  }
  known.products = (await listOf(service, "/products")).map(({ id }) => id);
  const entitlements = await listOf(service, "/entitlements?expand=items.product");
  const found = entitlements.filter(({ lookup_key }) => lookup_key.startsWith("made"))
    .map((item): [string, unknown] => [item.lookup_key, {
      display_name: item.display_name,
      products: item.products?.items.map(({ id }) => id),
    }]);
  deepEqual(new Map(found), known.entitlements);
  const offerings = await listOf(service, "/offerings");
  const made = offerings.filter(({ lookup_key }) => lookup_key.startsWith("made"));
  deepEqual(new Set(made.map(({ lookup_key }) => lookup_key)), known.offerings);
  equal(offerings.filter(({ is_current }) => is_current).length, 1);
  equal((await listOf(service, "/audit_logs")).length, known.changes, "one entry for each change");
}

/** Lets clients make changes until so many are acknowledged, then kills the service. */
async function workUntilKilled(service: RunningService, known: Known): Promise<void> {
  let left = 20 + Math.floor(Math.random() ** 2 * 180);
  let killed: Promise<void> | undefined;
  const work = async () => {
    while (!killed) {
      const change = anyChange(known);
      known.open.push(change);
      if (left-- <= 0) killed ??= service.kill();
      const response = await send(service, change).catch(() => undefined);
      const text = await response?.text().catch(() => undefined);
      if (!response || text === undefined) break;
      ok(response.ok, `${change.method} ${change.path}: ${response.status} ${text}`);
      known.open.splice(known.open.indexOf(change), 1);
      change.done();
      known.changes++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  await killed;
}

/** Entitlements and offerings in use by a client; no other client may change them. */
const busy = new Set<string>();

let made = 0;

/** A change that must succeed: no other client uses its object until it is answered. */
function anyChange(known: Known): Change {
  const free = [...known.entitlements.keys()].filter((key) => !busy.has(key));
  const chosen = free[Math.floor(Math.random() * free.length)];
  const dice = Math.random();
  if (dice < 0.15) return currentChange(known);
  if (dice < 0.3) return offeringChange(known);
  if (chosen === undefined || dice < 0.55) return createChange(known);
  if (dice < 0.65) return deleteChange(known, chosen);
  return dice < 0.85 ? renameChange(known, chosen) : attachChange(known, chosen);
}

function currentChange(known: Known): Change {
  const keys = ["default", "winter_sale", ...known.offerings];
  const key = keys[Math.floor(Math.random() * keys.length)];
  return changeOf("", "POST", `/offerings/${key}`, { is_current: true }, () => {});
}

function offeringChange(known: Known): Change {
  const lookup_key = `made${made++}`;
  const body = { lookup_key, display_name: "x" };
  return changeOf("", "POST", "/offerings", body, () => known.offerings.add(lookup_key));
}

function createChange(known: Known): Change {
  const lookup_key = `made${made++}`;
  const display_name = "x".repeat(Math.random() * 1500) + "y";
  return changeOf(lookup_key, "POST", "/entitlements", { lookup_key, display_name }, () => {
    known.entitlements.set(lookup_key, { display_name, products: [] });
  });
}

function deleteChange(known: Known, key: string): Change {
  return changeOf(key, "DELETE", `/entitlements/${key}`, undefined, () => {
    known.entitlements.delete(key);
  });
}

function renameChange(known: Known, key: string): Change {
  const display_name = `renamed ${made++}`;
  return changeOf(key, "POST", `/entitlements/${key}`, { display_name }, () => {
    const before = known.entitlements.get(key);
    known.entitlements.set(key, { products: [], ...before, display_name });
  });
}

function attachChange(known: Known, key: string): Change {
  const product = known.products[Math.floor(Math.random() * known.products.length)] ?? "";
  const before = known.entitlements.get(key) ?? { display_name: "", products: [] };
  const attached = before.products.includes(product);
  const path = `/entitlements/${key}/actions/${attached ? "detach" : "attach"}_products`;
  return changeOf(key, "POST", path, { product_ids: [product] }, () => {
    const others = before.products.filter((id) => id !== product);
    known.entitlements.set(key, { ...before, products: attached ? others : [...others, product] });
  });
}

/** A change of the object with this key, which is in use until the change is done. */
function changeOf(
  thing: string,
  method: string,
  path: string,
  body: object | undefined,
  note: () => void,
): Change {
  busy.add(thing);
  const done = () => {
    busy.delete(thing);
    note();
  };
  return { key: crypto.randomUUID(), method, path, body, done };
}

/** Sends a change. */
function send(service: RunningService, change: Change): Promise<Response> {
  return fetch(`${service.baseUrl}/v2/projects/${service.projectId}${change.path}`, {
    method: change.method,
    headers: {
      Authorization: `Bearer ${service.token}`,
      "Content-Type": "application/json",
      "Idempotency-Key": change.key,
    },
    body: change.body === undefined ? null : JSON.stringify(change.body),
  });
}

/** An item of a list, by the fields that are compared. */
interface Item {
  /** Its id. */
  id: string;
  /** The name that code uses. */
  lookup_key: string;
  /** The name that people read. */
  display_name: string;
  /** Whether an offering is the current one. */
  is_current: boolean;
  /** The products of an entitlement. */
  products?: { items: { id: string }[] };
}

/** All items of a list. */
async function listOf(service: RunningService, path: string): Promise<Item[]> {
  const items: Item[] = [];
  const first = `/v2/projects/${service.projectId}${path}${
    path.includes("?") ? "&" : "?"
  }limit=100`;
  for (let next: string | null = first; next !== null;) {
    const headers = { Authorization: `Bearer ${service.token}` };
    const page: { items: Item[]; next_page: string | null } =
      await (await fetch(service.baseUrl + next, { headers })).json();
    items.push(...page.items);
    next = page.next_page;
  }
  return items;
}

/** Checks the database left by the killed service, and the rules for its rows. */
async function checkDatabase(lasting: Lasting, known: Known): Promise<void> {
  await lasting.checkSound();
  const [moved] = await lasting.query(`SELECT target_identifier AS id FROM audit_logs
    WHERE action_type = 'offering_set_current' ORDER BY seq DESC LIMIT 1`);
  const [project] = await lasting.query("SELECT current_offering_id AS id FROM projects");
  if (moved) deepEqual(project, moved, "the mark is where it was moved last");
  const [{ entries, keys } = {}] = await lasting.query(`SELECT
    (SELECT count(*) FROM audit_logs) AS entries,
    (SELECT count(*) FROM idempotency_keys) AS keys`);
  equal(entries, keys, "each change has its entry and its remembered answer");
  const most = known.changes + known.open.length;
  ok(Number(entries) >= known.changes && Number(entries) <= most, `${entries} changes are there`);
}
