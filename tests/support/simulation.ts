/**
 * The simulator in the hands of a test.
 *
 * @module
 */

import { equal } from "node:assert/strict";
import { sql } from "kysely";
import type { Product } from "../../lib/resources/products.ts";
import type { Purchase } from "../../lib/resources/purchases.ts";
import type { Subscription } from "../../lib/resources/subscriptions.ts";
import type { Row } from "../../lib/service/store/tables.ts";
import { BASE_URL, type Desk } from "./harness.ts";
import { acrossProjects } from "../../lib/service/store/mod.ts";

/** A day in milliseconds. */
export const DAY = 86_400_000;

/** What is sent to buy something. */
export interface Wanted {
  /** Who buys. */
  customer_id?: string;
  /** What is bought, by the store's name. */
  product_id: string;
  /** Anything else. */
  [field: string]: unknown;
}

/** The simulator of a desk's project. */
export interface Simulation {
  /** Sends a request, with any status as its answer. */
  send(method: string, path: string, body?: unknown): Promise<Response>;
  /** Sends a request that must succeed. Returns its JSON. */
  post<T = unknown>(path: string, body?: unknown): Promise<T>;
  /** Buys a subscription. */
  subscribe(wanted: Wanted): Promise<Subscription>;
  /** Buys something once. */
  purchase(wanted: Wanted): Promise<Purchase>;
  /** Does something to a subscription. Returns it. */
  act(id: string, action: string, body?: unknown): Promise<Subscription>;
  /** Moves the clock ahead. */
  advance(by: string | number): Promise<void>;
  /** Moves the clock to a moment. */
  advanceTo(at: number): Promise<void>;
  /** The project's time. */
  now(): Promise<number>;
  /** The events of the project since the last call, oldest first, without their envelopes. */
  newEvents(): Promise<Record<string, unknown>[]>;
  /** Rows of a table of the project, in its order. */
  rows<T extends ProjectTable>(table: T): Promise<Row<T>[]>;
}

/** A table whose rows have a place in their project. */
export type ProjectTable =
  | "movements"
  | "events"
  | "subscriptions"
  | "transactions"
  | "purchases"
  | "invoices";

/** Takes a desk's simulator in hand. */
export function simulate(desk: Desk): Simulation {
  const { service, projectId } = desk;
  let lastEvent = 0;
  const send: Simulation["send"] = (method, path, body) => {
    const headers = new Headers({ Authorization: `Bearer ${service.adminSecret}` });
    if (body !== undefined) headers.set("Content-Type", "application/json");
    const text = body === undefined ? null : JSON.stringify(body);
    const address = `${BASE_URL}/_sim/projects/${projectId}${path}`;
    return service.fetch(new Request(address, { method, headers, body: text }));
  };
  const json = async (response: Response, what: string) => {
    const text = await response.text();
    equal(response.ok, true, `${what}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const post: Simulation["post"] = async (path, body) =>
    json(await send("POST", path, body ?? {}), `POST ${path}`);
  const clock = async (): Promise<{ now: number }> => json(await send("GET", "/clock"), "clock");
  return {
    send,
    post,
    subscribe: (wanted) => post("/purchases", { customer_id: "ada", ...wanted }),
    purchase: (wanted) => post("/purchases", { customer_id: "ada", ...wanted }),
    act: (id, action, body) => post(`/subscriptions/${id}/${action}`, body),
    advance: async (by) => void await post("/clock/advance", { by }),
    advanceTo: async (to) => void await post("/clock/advance", { to }),
    now: async () => (await clock()).now,
    async newEvents() {
      const rows = await service.store.read((tx) =>
        acrossProjects(tx).selectFrom("events").selectAll().where("project_id", "=", projectId)
          .where("seq", ">", lastEvent).orderBy("seq").execute()
      );
      lastEvent = rows.at(-1)?.seq ?? lastEvent;
      return rows.map(({ payload }) => JSON.parse(payload).event);
    },
    rows: <T extends ProjectTable>(table: T) =>
      service.store.read(async (tx) => {
        const { rows } = await sql<Row<T>>`
          select * from ${sql.table(table)} where project_id = ${projectId} order by seq`
          .execute(tx);
        return rows;
      }),
  };
}

/** The product that a store knows by a name. */
export async function productNamed(desk: Desk, name: string): Promise<Product> {
  const response = await desk.send("GET", `/v2/projects/${desk.projectId}/products?limit=100`);
  const { items }: { items: Product[] } = await response.json();
  const found = items.find((product) => product.store_identifier === name);
  if (!found) throw new Error(`The project has no product ${name}`);
  return found;
}
