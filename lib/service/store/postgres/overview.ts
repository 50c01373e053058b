/**
 * What runs on a database on a server: the processes, the schema, and what waits.
 *
 * @module
 */

import { freezePostgres } from "./frozen.ts";
import { ALIVE_ROW, HOLDER_OF_LOCK, HOLDERS_LOCK } from "./holders.ts";

/** A process of the service on a database. */
export interface Worker {
  /** Its name in leases. */
  holder: string;
  /** What it does. */
  role: string;
  /** Its version. */
  version: string;
  /** The name of its machine; null where the process may not read it. */
  host: string | null;
  /** Its number on that machine; null for a process of an older version. */
  pid: number | null;
  /** The address that it connects from; null for a socket on the server's machine, or a pooler. */
  client: string | null;
  /** When it connected, in milliseconds since 1970. */
  connected_at: number;
}

/** What runs on a database. */
export interface Overview {
  /** The address, without the password. */
  database: string;
  /** The number of the schema's last step. */
  schema: number;
  /** The processes, oldest first. */
  processes: Worker[];
  /** Deliveries that are pending. */
  pending_deliveries: number;
  /** Deliveries that somebody makes now. */
  deliveries_under_way: number;
  /** Projects whose clock catches up. */
  projects_behind: number;
}

/**
 * Looks at what runs on a database. Changes nothing.
 *
 * @throws {ConfigError} when it cannot be read, or is not one of the service.
 */
export async function readOverview(address: string): Promise<Overview> {
  const database = await freezePostgres(address);
  try {
    const [counts] = await database.rows(
      `select (select count(*) from deliveries where state = 'pending') as pending,
        (select count(*) from deliveries where lease is not null) as leased,
        (select count(*) from projects where clock_advancing_to is not null) as behind`,
    );
    const workers = await database.rows(
      `select ${HOLDER_OF_LOCK} as holder, application_name as name,
        cast(client_addr as text) as client,
        cast(extract(epoch from backend_start) * 1000 as bigint) as connected_at
      from pg_locks join pg_stat_activity using (pid) where ${HOLDERS_LOCK}
      union all select holder, name, null, connected_at from holders where ${ALIVE_ROW}
      order by connected_at`,
    );
    return {
      database: database.shown,
      schema: database.steps,
      processes: workers.map(workerOf),
      pending_deliveries: Number(counts?.pending),
      deliveries_under_way: Number(counts?.leased),
      projects_behind: Number(counts?.behind),
    };
  } finally {
    await database.close();
  }
}

function workerOf(row: Record<string, unknown>): Worker {
  // Another user's name is hidden from those who may not see it.
  const [, version = "unknown", role = "unknown", pid, host = null] = String(row.name ?? "")
    .split(" ");
  return {
    holder: String(row.holder),
    role,
    version,
    host,
    pid: pid === undefined ? null : Number(pid),
    client: typeof row.client === "string" ? row.client.replace(/\/\d+$/, "") : null,
    connected_at: Number(row.connected_at),
  };
}
