/**
 * The connection on which a process hears the others. It is made again whenever it is lost, and a lock
 * on it shows that the process is alive.
 *
 * @module
 */

import { VERSION } from "../../../version.ts";
import type { Address } from "./address.ts";
import { type Ear, openEar, type Pool } from "./driver.ts";
import type { ServerTime } from "./server_time.ts";

/** The channel that all processes listen to. */
export const CHANNEL = "service_news";

/** The first number of the locks that show who is alive; the second is made of the holder's name. */
export const HOLDERS = 7_262_052;

/** The lock of the process that does what needs doing once. */
const LEADER = 7_262_054;

/** How long to wait before the lost connection is made again, in milliseconds. */
const RECONNECT_MS = 250;

/** How often in a row a new connection asks the server for its time. */
const FIRST_TIMES = 5;

/** What a process needs to be connected to the others. */
export interface Peers {
  /** Where the database is. */
  address: Address;
  /** Connections to tell something. */
  pool: Pool;
  /** This machine's time, in milliseconds since 1970. */
  clock(): number;
  /** This machine's monotonic clock, in milliseconds. */
  stopwatch(): number;
  /** What this process does. */
  role: string;
}

/** A message of another process. */
export interface Message {
  /** Who sent it. */
  from: string;
  /** What it is about. */
  word: string;
  /** What it is to be answered with, if an answer is wanted. */
  nonce: string | undefined;
}

/** How this process is connected to the others. */
export interface Line extends Peers {
  /** This process's name. */
  holder: string;
  /** Takes what others say. */
  take(message: Message): void;
  /** Told when the connection is made again: something may have been said meanwhile. */
  again(): void;
  /** The connection that hears, while there is one. */
  ear: Ear | undefined;
  /** The connection that holds the lock of the leader, if this process has it. */
  leading: Ear | undefined;
  /** The server's time. */
  time: ServerTime;
  /** Whether it is being asked for. */
  asking: boolean;
  /** Whether it is no longer wanted. */
  closed: boolean;
}

/** Opens the connection that hears, and again whenever it is lost. */
export async function listen(line: Line): Promise<void> {
  const ear = await openEar(line.address);
  try {
    await register(ear, line);
  } catch (error) {
    ear.release(true);
    throw error;
  }
  line.ear = ear;
  ear.onLost(() => {
    line.ear = undefined;
    if (!line.closed) setTimeout(() => void listenAgain(line), RECONNECT_MS);
  });
  // If it fails, it is asked again soon, or the connection is lost.
  await measure(line, FIRST_TIMES).catch(() => {});
}

/** Shows the others that this process is alive, and hears what they tell. */
async function register(ear: Ear, { holder, role, take }: Line): Promise<void> {
  // Whoever frees what dead processes hold sees by this lock that this one is alive. It is shared:
  // a lost connection has it as well, until the server notices.
  await ear.send(`select pg_advisory_lock_shared(${HOLDERS}, ${lockOf(holder)})`);
  // For whoever looks at what runs here: `cli service status`.
  await ear.send("select set_config('application_name', $1, false)", [nameOf(role)]);
  ear.onNews((text) => {
    const [from = "", word = "", nonce] = text.split(" ");
    if (from !== holder) take({ from, word, nonce });
  });
  await ear.send(`listen ${CHANNEL}`);
}

/** The name of a process that does something, as the server shows it. */
function nameOf(role: string): string {
  return `service ${VERSION} ${role}`;
}

async function listenAgain(line: Line): Promise<void> {
  if (line.closed) return;
  try {
    await listen(line);
    // It may have been closed meanwhile.
    if (line.closed) line.ear?.release(true);
    else line.again();
  } catch {
    setTimeout(() => void listenAgain(line), RECONNECT_MS);
  }
}

/** The second number of a holder's lock. */
export function lockOf(holder: string): number {
  return Number.parseInt(holder, 16) | 0;
}

/** Asks the server for its time, so often in a row. */
export async function measure(line: Line, times = 1): Promise<void> {
  const { ear, stopwatch, time } = line;
  if (!ear || line.asking) return;
  line.asking = true;
  try {
    for (let left = times; left > 0; left--) {
      const before = stopwatch();
      const { rows } = await ear.send(
        "select cast(extract(epoch from clock_timestamp()) * 1e6 as bigint) as now",
      );
      time.note({ before, after: stopwatch(), server: Number(rows[0]?.now) / 1000 });
    }
  } finally {
    line.asking = false;
  }
}

/** Takes the lock of the leader if it is free. It is released when the connection is lost. */
export async function lead(line: Line): Promise<boolean> {
  const { ear } = line;
  if (!ear) return false;
  if (line.leading !== ear) {
    const { rows } = await ear.send(`select pg_try_advisory_lock(${LEADER}) as leads`);
    if (rows[0]?.leads === 1) line.leading = ear;
  }
  return line.leading === line.ear;
}
