/**
 * Several services on one database, as processes on several machines have it. For tests on PostgreSQL.
 *
 * @module
 */

import type { Service, ServiceOptions } from "../../lib/service/mod.ts";
import { addressOf, createDatabase, dropDatabase, openService } from "./engine.ts";

/** The admin secret of all of them. */
const SECRET = "adm_together";

/** Services that share a database. */
export interface Together extends AsyncDisposable {
  /** The services. */
  readonly services: Service[];
  /** The name of the database. */
  readonly database: string;
  /** The demonstration project. */
  readonly projectId: string;
  /** Opens one more. */
  open(options?: Partial<ServiceOptions>): Promise<Service>;
  /** Sends a request to one of them: with the admin secret under `/_sim`, else as the owner. */
  send(place: number, method: string, path: string, body?: unknown): Promise<Response>;
}

/** Opens so many services on a new database, or on one that is dropped at the end. */
export async function openTogether(
  count: number,
  usual: Partial<ServiceOptions> = {},
  known?: string,
): Promise<Together> {
  const database = known ?? await createDatabase();
  const services: Service[] = [];
  const open = async (options: Partial<ServiceOptions> = {}): Promise<Service> => {
    const file = addressOf(database);
    const shared = { database: file, buyers: false, adminSecret: SECRET };
    const service = await openService({ ...shared, ...usual, ...options });
    services.push(service);
    return service;
  };
  for (let i = 0; i < count; i++) await open();
  const [first] = services;
  const projectId = first?.projectId ?? "";
  const token = (await first?.oauth.issueToken({ rotates: false }))?.access_token ?? "";
  return {
    services,
    database,
    projectId,
    open,
    async send(place, method, path, body) {
      const service = services.at(place);
      if (!service) throw new Error(`there is no service ${place}`);
      const credential = path.startsWith("/_sim/") ? SECRET : token;
      const request = new Request(`http://127.0.0.1:4010${path}`, {
        method,
        headers: { Authorization: `Bearer ${credential}`, "Content-Type": "application/json" },
        ...body !== undefined && { body: JSON.stringify(body) },
      });
      return await service.fetch(request);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(services.map((service) => service.close()));
      await dropDatabase(database);
    },
  };
}

/** Asks again until the answer is as wanted, for some seconds. */
export async function until(
  ask: () => boolean | Promise<boolean>,
  what: string,
  patienceMs = 10_000,
): Promise<void> {
  for (const end = Date.now() + patienceMs; !await ask();) {
    if (Date.now() > end) throw new Error(`it took too long: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
