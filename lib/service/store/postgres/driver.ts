/**
 * Connections to a PostgreSQL server. Only this file imports its driver.
 *
 * @module
 */

import { nextTick } from "node:process";
// @ts-types="./pg.d.ts"
import pg, { type Client, type ClientConfig, type PoolClient } from "pg";
import type { ConnectionCounts } from "../store.ts";
import type { Address } from "./address.ts";
import { isOfServer, isOutdated, isReadOnly, toConnectError, unanswered } from "./errors.ts";
import { silenceOf, waitAwake, watchAnswers, type Watched } from "./silence.ts";

/** A row as the driver gives it, by the names of its columns. */
type RawRow = Record<string, unknown>;

/** What a statement brought. */
export interface Answer {
  /** What was done, such as `UPDATE`. */
  command: string;
  /** How many rows were changed or returned. */
  count: number;
  /** The rows that were returned. */
  rows: RawRow[];
}

/** One connection. Statements that are sent together are run in order, without waiting for answers. */
export interface Wire {
  /** The number of the server's process, as the connection was told when it was made. */
  readonly process: number | null;
  /**
   * Runs a statement. It is prepared once for each connection when it has parameters, except through a
   * pooler: there the next transaction may be on another connection of the server.
   */
  send(sql: string, parameters?: readonly unknown[]): Promise<Answer>;
  /** Gives the connection back; a broken one is closed. */
  release(broken: boolean): void;
  /**
   * Says that the server may have other settings now than when this connection was made. It, and all
   * that its pool made before now, are closed once they are given back; one of its own at once.
   */
  outdate(): void;
}

/** Connections that are used again and again. */
export interface Pool {
  /**
   * Takes a connection, once one is free. A patient one waits for answers for as long as it takes, if
   * the server answers others meanwhile.
   */
  take(patience?: "patient"): Promise<Wire>;
  /** Its connections now. */
  size(): ConnectionCounts;
  /** Closes all connections, once they are given back. */
  close(): Promise<void>;
}

/** A connection of its own, which hears what others tell. */
export interface Ear extends Wire {
  /** Told of each notification. */
  onNews(listener: (text: string) => void): void;
  /** Told once when the connection is lost. */
  onLost(listener: () => void): void;
}

/**
 * How long to wait for an answer before the connection is given up, in milliseconds, although the server
 * answers others.
 */
const ANSWER_MS = 120_000;

/** How long a statement may wait for a lock, and a transaction for its next statement. */
const WAITS = { lock_timeout: "10000", idle_in_transaction_session_timeout: "15000" };

/**
 * When the server takes a host for gone that says nothing: after 5 s of silence it asks three times, and
 * gives up after 11 s. Until then the locks of its processes are held: that of a project, and the one
 * that shows that a process is alive. The system's own limit is two hours.
 */
const SILENT_HOST = {
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "11000",
};

/** The settings of a connection. */
const SETTINGS = Object.entries({
  ...WAITS,
  ...SILENT_HOST,
  // A plan that was made for one value serves all: conditions are always on keys.
  plan_cache_mode: "force_generic_plan",
  timezone: "UTC",
  client_min_messages: "warning",
}).map(([name, value]) => `-c ${name}=${value}`).join(" ");

/** The settings of a transaction. Through a pooler, those of a connection reach nobody or everybody. */
const LOCAL_SETTINGS = Object.entries(WAITS)
  .map(([name, value]) => `; set local ${name} = ${value}`).join("");

/** Makes a pool of connections, at most so many. */
export function createPool(address: Address, most: number, answerMs: number = ANSWER_MS): Pool {
  const pool = new pg.Pool({
    ...settingsOf(address),
    max: most,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  });
  const limits = { silentMs: silenceOf(address), answerMs };
  const watch = watchAnswers(limits, () => probe(address));
  // A connection that is lost while nobody uses it: the next one is opened when it is needed.
  pool.on("error", () => {});
  pool.on("remove", (client) => {
    const line = lines.get(client);
    if (line) watch.remove(line);
  });
  // Connections of earlier generations are not used again.
  let generation = 0;
  const takeFresh = async (): Promise<{ client: PoolClient; line: Line }> => {
    for (;;) {
      const client = await whileConnecting(pool.connect(), address);
      const line = lineOf(client, address);
      line.generation ??= generation;
      if (line.generation === generation) return { client, line };
      watch.remove(line);
      client.release(true);
    }
  };
  return {
    async take(patience) {
      const { client, line } = await takeFresh();
      line.isTaken = true;
      line.isPatient = patience !== undefined;
      watch.add(line);
      const end = (broken: boolean) => {
        line.isTaken = false;
        const isOver = broken || line.generation !== generation;
        if (isOver) watch.remove(line);
        client.release(isOver);
      };
      return wireOf(line, end, () => {
        if (line.generation === generation) generation++;
      });
    },
    size: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: async () => {
      await pool.end();
      watch.end();
    },
  };
}

/** Opens a connection of its own. */
export async function openEar(address: Address, answerMs: number = ANSWER_MS): Promise<Ear> {
  const client = new pg.Client(settingsOf(address));
  client.on("error", () => {});
  await whileConnecting(client.connect(), address);
  const line = lineOf(client, address);
  line.isTaken = true;
  const limits = { silentMs: silenceOf(address), answerMs };
  const watch = watchAnswers(limits, () => probe(address));
  watch.add(line);
  client.once("end", watch.end);
  const end = () => void client.end().catch(() => {});
  const wire = wireOf(line, end, end);
  return {
    ...wire,
    onNews: (listener) => {
      client.on("notification", ({ payload }) => listener(payload ?? ""));
    },
    onLost: (listener) => {
      client.once("end", listener);
    },
  };
}

function settingsOf(address: Address): ClientConfig {
  const { host, port, database, user, password, ssl, connectMs, pooler } = address;
  return {
    host,
    port,
    database,
    user,
    // Without this the driver looks into files and variables of its own.
    password: password ?? "",
    ssl,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    application_name: "service",
    ...pooler === undefined && { options: SETTINGS },
    types: { getTypeParser: (oid: number) => PARSERS.get(oid) ?? asText },
    pipeline: true,
  };
}

/** The names of prepared statements, the same on all connections. */
const names = new Map<string, string>();

/** How many names there have been. */
let named = 0;

/** A name for a statement. So many are kept on a connection at most: others are not prepared. */
const MOST_NAMES = 2000;

function nameOf(sql: string): string | undefined {
  const known = names.get(sql);
  if (known !== undefined || names.size >= MOST_NAMES) return known;
  const name = `s${named++}`;
  names.set(sql, name);
  return name;
}

/**
 * Prepares all statements once more, under other names, when the server refuses one: a newer version
 * has added a column to its table. Whoever runs the statement again then succeeds on any connection.
 */
function forgetOutdated(error: unknown): void {
  if (isOutdated(error)) names.clear();
}

/** A connection that is open. */
interface Line extends Watched {
  /** The driver's connection. */
  client: Client | PoolClient;
  /** Whether a pooler shares the server's connections between transactions. */
  pooled: boolean;
  /** Whether statements are being gathered, to be sent together. */
  gathering: boolean;
  /** The generation of the pool's connections that it is of. */
  generation: number | undefined;
}

const lines = new WeakMap<Client | PoolClient, Line>();

function lineOf(client: Client | PoolClient, { pooler }: Address): Line {
  const pooled = pooler !== undefined;
  const known = lines.get(client);
  if (known) return known;
  const line: Line = {
    client,
    pooled,
    unanswered: 0,
    answered: 0,
    isTaken: false,
    isPatient: false,
    gathering: false,
    generation: undefined,
    // All statements on it fail then, as on any connection that is lost.
    destroy: (error) => client.connection.stream.destroy(error),
  };
  lines.set(client, line);
  return line;
}

function wireOf(line: Line, end: (broken: boolean) => void, outdate: () => void): Wire {
  const { client, pooled } = line;
  // Without a listener, a connection that is lost while it is used would end the process.
  const ignore = () => {};
  client.on("error", ignore);
  return {
    process: client.processID,
    async send(sql, parameters) {
      const name = pooled ? undefined : parameters && nameOf(sql);
      gather(line);
      line.unanswered++;
      try {
        if (pooled && sql.startsWith("BEGIN")) {
          await client.query(sql + LOCAL_SETTINGS);
          return { command: "BEGIN", count: 0, rows: [] };
        }
        const result = await client.query({
          text: sql,
          ...parameters && { values: [...parameters] },
          ...name !== undefined && { name },
        });
        return { command: result.command, count: result.rowCount ?? 0, rows: result.rows };
      } catch (error) {
        forgetOutdated(error);
        // A session keeps the settings that it began with: another one may be allowed to write.
        if (isReadOnly(error)) outdate();
        throw error;
      } finally {
        line.unanswered--;
        line.answered++;
      }
    },
    release(broken) {
      client.off("error", ignore);
      // From here on the pool listens, or nobody needs to.
      if (broken) client.on("error", ignore);
      end(broken);
    },
    outdate,
  };
}

/** Keeps what is sent from now on until the running code waits: one packet costs less than many. */
function gather(line: Line): void {
  if (line.gathering) return;
  line.gathering = true;
  const { stream } = line.client.connection;
  stream.cork();
  nextTick(() => {
    line.gathering = false;
    stream.uncork();
  });
}

/** Asks the server something on a new connection. Rejects when it says nothing in time. */
async function probe(address: Address): Promise<void> {
  // Its own limit would count a pause of this program as silence of the server.
  const client = new pg.Client({ ...settingsOf(address), connectionTimeoutMillis: 0 });
  client.on("error", () => {});
  const end = new AbortController();
  const asked = client.connect().then(() => client.query("select 1"));
  try {
    await Promise.race([
      // A server that refuses the connection in its own words is there.
      asked.then(() => {}, (error) => {
        if (!isOfServer(error)) throw error;
      }),
      waitAwake(address.connectMs, end.signal).then(() => {
        if (!end.signal.aborted) throw unanswered(address.connectMs);
      }),
    ]);
  } finally {
    end.abort();
    client.connection.stream.destroy();
  }
}

/** Waits for a connection. An error says what was wrong with the server. */
async function whileConnecting<T>(connecting: Promise<T>, { connectMs }: Address): Promise<T> {
  try {
    return await connecting;
  } catch (error) {
    throw toConnectError(error, connectMs);
  }
}

/** What becomes of the text of a value, by its type: what SQLite would return. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<
  number,
  (text: string) => unknown
>([
  [16, (text) => text === "t" ? 1 : 0],
  [20, exactInteger],
  [21, Number],
  [23, Number],
  [700, Number],
  [701, Number],
  [1700, exactInteger],
]);

function asText(text: string): unknown {
  return text;
}

/** A number that is exact, as SQLite's driver has it. */
function exactInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(text)) return value;
  throw new RangeError(`Cannot read ${text} from the database: it is not exact as a number`);
}
