// deno-lint-ignore-file house/documented house/error-classes house/named-exports -- The shape of a package is not ours to choose.
/**
 * What is used of the driver. Its own types bring those of Node along, which differ from Deno's.
 *
 * @module
 */

/** How to connect. */
export interface ClientConfig {
  host?: string;
  port?: number;
  database?: string;
  user?: string;
  password?: string;
  ssl?: false | { ca?: string; rejectUnauthorized: boolean };
  connectionTimeoutMillis?: number;
  keepAlive?: boolean;
  application_name?: string;
  options?: string;
  types?: { getTypeParser(oid: number): (text: string) => unknown };
  pipeline?: boolean;
}

/** A pool's settings. */
export interface PoolConfig extends ClientConfig {
  max?: number;
  idleTimeoutMillis?: number;
  allowExitOnIdle?: boolean;
}

/** A statement. */
export interface QueryConfig {
  text: string;
  values?: unknown[];
  name?: string;
}

/** What a statement brought. */
export interface QueryResult {
  command: string;
  rowCount: number | null;
  rows: Record<string, unknown>[];
}

/** What connections and pools have in common. */
interface Emitter {
  on(event: "error" | "end", listener: () => void): unknown;
  on(event: "notification", listener: (message: { payload?: string }) => void): unknown;
  once(event: "end", listener: () => void): unknown;
  off(event: "error", listener: () => void): unknown;
}

/** The socket of a connection. */
interface Stream {
  cork(): void;
  uncork(): void;
  destroy(error?: Error): void;
}

/** A connection. */
export class Client {
  /** Its `stream` is another one before TLS begins. */
  readonly connection: { readonly stream: Stream };
  /** The number of the server's process, as it was told at the start. */
  readonly processID: number | null;
  constructor(config: string | ClientConfig);
  connect(): Promise<void>;
  query(statement: string | QueryConfig, values?: unknown[]): Promise<QueryResult>;
  end(): Promise<void>;
  on: Emitter["on"];
  once: Emitter["once"];
  off: Emitter["off"];
}

/** A connection of a pool. */
export interface PoolClient extends Client {
  release(broken?: boolean): void;
}

/** Connections that are used again and again. */
export class Pool {
  constructor(config: PoolConfig);
  connect(): Promise<PoolClient>;
  end(): Promise<void>;
  totalCount: number;
  idleCount: number;
  waitingCount: number;
  on(event: "error", listener: () => void): unknown;
  on(event: "remove", listener: (client: PoolClient) => void): unknown;
  once: Emitter["once"];
  off: Emitter["off"];
}

declare const pg: { Client: typeof Client; Pool: typeof Pool };
export default pg;
