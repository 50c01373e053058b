/**
 * The connection on which a process hears the others. It is made again whenever it is lost, and a lock
 * on it shows that the process is alive.
 *
 * @module
 */

import { VERSION } from "../../../version.ts";
import type { Address } from "./address.ts";
import { type Ear, openEar, type Pool, type Wire } from "./driver.ts";
import { toStoreError } from "./errors.ts";
import { lockHolder, takeLead } from "./holders.ts";
import type { ServerTime } from "./server_time.ts";

/** The channel that all processes listen to. */
export const CHANNEL = "service_news";

/** How long to wait before the lost connection is made again, in milliseconds. */
const RECONNECT_MS = 250;

/** How often in a row a new connection asks the server for its time. */
export const FIRST_TIMES = 5;

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
  /** Looks for all news: something may have been said that was not heard. Resolves when all have acted. */
  again(): Promise<void>;
  /** The connection by which this process is known to be alive, while there is one. */
  own: Pick<Wire, "send"> | undefined;
  /** Ends the connection. */
  end(): void;
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
  line.own = ear;
  line.end = () => ear.release(true);
  ear.onLost(() => {
    line.own = undefined;
    if (!line.closed) setTimeout(() => void listenAgain(line), RECONNECT_MS);
  });
  // If it fails, it is asked again soon, or the connection is lost.
  await measure(line, FIRST_TIMES).catch(() => {});
}

/** Shows the others that this process is alive, and hears what they tell. */
async function register(ear: Ear, { holder, role, take }: Line): Promise<void> {
  // Whoever frees what dead processes hold sees by this lock that this one is alive.
  await lockHolder(ear, holder);
  // For whoever looks at what runs here: `cli service status`.
  await ear.send("select set_config('application_name', $1, false)", [nameOf(role)]);
  ear.onNews((text) => {
    const [from = "", word = "", nonce] = text.split(" ");
    if (from !== holder) take({ from, word, nonce });
  });
  await ear.send(`listen ${CHANNEL}`);
}

/** The number of characters that the server shows of a name. */
const LONGEST_NAME = 63;

/** The name of a process that does something, as the server shows it: `service 0.1.0 api 4711 web1`. */
export function nameOf(role: string): string {
  return `service ${VERSION} ${role} ${Deno.pid} ${hostName()}`.trimEnd().slice(0, LONGEST_NAME);
}

/** This machine's name, with the characters that names of hosts have. */
function hostName(): string {
  try {
    return Deno.hostname().replace(/[^\w.-]/g, "_");
  } catch {
    // The program may not have the permission to read it.
    return "";
  }
}

async function listenAgain(line: Line): Promise<void> {
  if (line.closed) return;
  try {
    await listen(line);
    // It may have been closed meanwhile.
    if (line.closed) line.end();
    else void line.again().catch(() => {});
  } catch {
    setTimeout(() => void listenAgain(line), RECONNECT_MS);
  }
}

/** Asks the server for its time, so often in a row. */
export async function measure(line: Line, times = 1): Promise<void> {
  const { own, stopwatch, time } = line;
  if (!own || line.asking) return;
  line.asking = true;
  try {
    for (let left = times; left > 0; left--) {
      const before = stopwatch();
      const { rows } = await own.send(
        "select cast(extract(epoch from clock_timestamp()) * 1e6 as bigint) as now",
      );
      time.note({ before, after: stopwatch(), server: Number(rows[0]?.now) / 1000 });
    }
  } finally {
    line.asking = false;
  }
}

/** Makes this process the leader, unless another one that is alive is that. */
export async function lead({ own, holder }: Line): Promise<boolean> {
  // Without the connection the others take this process for dead.
  if (own === undefined) return false;
  try {
    return await takeLead(own, holder);
  } catch (error) {
    throw toStoreError(error);
  }
}
