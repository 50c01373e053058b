/**
 * Which processes on a database are alive. One with a connection of its own holds a lock on it. One
 * behind a pooler has a row, which runs out unless the process renews it; so has nobody else.
 *
 * @module
 */

import type { Answer } from "./driver.ts";

/** The first number of the locks that show who is alive; the second is made of the holder's name. */
const LOCKS = 7_262_052;

/** How long a row shows that its process is alive, in milliseconds. It is renewed each second. */
const LIFE_MS = 3000;

/** How long rows of dead processes are kept, in milliseconds. */
const KEEP_MS = 60_000;

/** The server's time, in milliseconds since 1970. */
const NOW = "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)";

/** The condition of the locks that show who is alive. */
export const HOLDERS_LOCK = `locktype = 'advisory' and classid = ${LOCKS} and granted
  and pg_locks.database = (select oid from pg_database where datname = current_database())`;

/** The name of the process that a lock is of. */
export const HOLDER_OF_LOCK = "lpad(to_hex(cast(objid as bigint)), 8, '0')";

/** The condition of the rows that show who is alive. */
export const ALIVE_ROW = `expires_at > ${NOW}`;

/** The names of the processes that are alive, once or more often. */
export const ALIVE = `select ${HOLDER_OF_LOCK} as holder from pg_locks where ${HOLDERS_LOCK}
  union all select holder from holders where ${ALIVE_ROW}`;

/** Runs statements. */
interface Sender {
  /** Runs a statement. */
  send(sql: string, parameters?: readonly unknown[]): Promise<Answer>;
}

/** Whether a service works on the database, which may have other tables than a service's. */
export async function hasHolders(wire: Sender): Promise<boolean> {
  const { rows: locks } = await wire.send(
    `select 1 from pg_locks where ${HOLDERS_LOCK} limit 1`,
  );
  if (locks.length > 0) return true;
  const { rows: [table] } = await wire.send("select cast(to_regclass('holders') as text) as name");
  if (typeof table?.name !== "string") return false;
  const { rows } = await wire.send(`select 1 from holders where ${ALIVE_ROW} limit 1`);
  return rows.length > 0;
}

/** Takes the lock that shows that a process is alive, until the connection ends. */
export async function lockHolder(wire: Sender, holder: string): Promise<void> {
  // It is shared: a lost connection has it as well, until the server notices.
  await wire.send(`select pg_advisory_lock_shared(${LOCKS}, ${Number.parseInt(holder, 16) | 0})`);
}

/** Shows for some seconds more that a process is alive. */
export async function renewHolder(wire: Sender, holder: string, name: string): Promise<void> {
  await wire.send(
    `insert into holders (holder, name, connected_at, expires_at)
      values ($1, $2, ${NOW}, ${NOW} + ${LIFE_MS})
      on conflict (holder) do update set expires_at = excluded.expires_at`,
    [holder, name],
  );
}

/** Shows that a process has ended. */
export async function removeHolder(wire: Sender, holder: string): Promise<void> {
  await wire.send("delete from holders where holder = $1", [holder]);
}

/** Deletes the rows of processes that ended without doing so. */
export async function sweepHolders(wire: Sender): Promise<void> {
  await wire.send(`delete from holders where expires_at < ${NOW} - ${KEEP_MS}`);
}

/** The server's time, in microseconds since 1970: a change that was committed before was committed. */
const MICROSECONDS = "cast(extract(epoch from clock_timestamp()) * 1e6 as bigint)";

/** Adds the row of a process that has none. It does not show that the process is alive. */
const OWN_ROW = `insert into holders (holder, name, connected_at, expires_at, asked_at, looked_at)`;

/**
 * Asks all processes to look for news, by the row of one. Returns the time of the question: whoever
 * looks after it sees all that was committed before.
 */
export async function askHolders(wire: Sender, holder: string, name: string): Promise<number> {
  const { rows: [row] } = await wire.send(
    `${OWN_ROW} values ($1, $2, ${NOW}, ${NOW}, ${MICROSECONDS}, 0)
      on conflict (holder) do update set asked_at = excluded.asked_at
      returning asked_at`,
    [holder, name],
  );
  return Number(row?.asked_at);
}

/** The time of the last question of the other processes; 0 when nobody has asked. */
export async function lastQuestion(wire: Sender, holder: string): Promise<number> {
  const { rows: [row] } = await wire.send(
    "select coalesce(max(asked_at), 0) as at from holders where holder <> $1",
    [holder],
  );
  return Number(row?.at);
}

/** Answers all questions up to that of a time: the process has looked for news since. */
export async function answerHolders(
  wire: Sender,
  holder: string,
  { name, asked }: { name: string; asked: number },
): Promise<void> {
  await wire.send(
    `${OWN_ROW} values ($1, $2, ${NOW}, ${NOW}, 0, $3)
      on conflict (holder) do update set looked_at = greatest(holders.looked_at, excluded.looked_at)`,
    [holder, name, asked],
  );
}

/** The other processes that are alive and have not answered the question of a time. */
export async function unansweredBy(
  wire: Sender,
  holder: string,
  asked: number,
): Promise<string[]> {
  const { rows } = await wire.send(
    `select holder from (${ALIVE}) as alive where holder <> $1
      and holder not in (select holder from holders where looked_at >= $2)`,
    [holder, asked],
  );
  return rows.map(({ holder }) => String(holder));
}

/**
 * How long the leader may say nothing before another process takes its place, in milliseconds. The lock
 * of one that is frozen, or whose machine vanished, may be held for longer.
 */
const SILENT_LEADER_MS = 8000;

/** How often the leader shows that it leads, in milliseconds. */
const LEADER_BEAT_MS = 2000;

/**
 * Makes a process the leader, unless another one is that, is alive and says so. Returns whether it is
 * the leader. To be called each second.
 */
export async function takeLead(wire: Sender, holder: string): Promise<boolean> {
  const { rows: [leader] } = await wire.send(
    `select holder, seen_at, ${NOW} - seen_at as age, holder in (${ALIVE}) as alive from leader`,
  );
  const age = Number(leader?.age);
  const isOwn = leader?.holder === holder;
  if (isOwn && age < LEADER_BEAT_MS) return true;
  if (!isOwn && leader?.alive === 1 && age < SILENT_LEADER_MS) return false;
  // Of several that saw the same leader, the first one takes its place, or stays in it.
  const { count } = await wire.send(
    `insert into leader (place, holder, seen_at) values (1, $1, ${NOW})
      on conflict (place) do update set holder = excluded.holder, seen_at = excluded.seen_at
      where leader.holder = $2 and leader.seen_at = $3`,
    [holder, leader?.holder ?? "", leader?.seen_at ?? 0],
  );
  return count > 0;
}
