/**
 * Messages to the other processes: those that may be lost, and those whose sender waits until each of
 * the others has acted on them. A process behind a pooler hears nothing: where there is one, questions
 * and answers are in the rows of `holders`.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import type { News } from "../store.ts";
import { ask } from "./ask.ts";
import type { Pool, Wire } from "./driver.ts";
import { ALIVE, ALIVE_ROW, answerHolders, askHolders, unansweredBy } from "./holders.ts";
import { CHANNEL, type Line, type Message, nameOf } from "./line.ts";

/** How long news wait for more of the same, in milliseconds: each notification takes a global lock. */
const TELL_MS = 20;

/** The longest wait for the others, in milliseconds. After that they have looked by themselves. */
const AGREE_MS = 1500;

/** How often a process that asks by its row looks for answers, in milliseconds. */
const ANSWERED_MS = 25;

/** The word of an answer. */
const HEARD = "heard";

/** What a nonce begins with whose answer goes into a row: the rest is the time of the question. */
const BY_ROW = "@";

/** Sends messages to the other processes. */
interface Crier {
  /** Sends news, those of a moment together. */
  tell(news: News): void;
  /** Sends news, and waits until each process that is alive has acted on them. */
  agree(news: News): Promise<void>;
  /** Takes an answer of another process. False: the message is none. */
  takeAnswer(message: Message): boolean;
  /** Answers a message, if its sender waits for that. */
  answer(message: Message): void;
  /** Waits for what is being sent. */
  close(): Promise<void>;
}

/** An answer that is waited for. */
interface Question {
  /** The processes that are to answer. */
  missing: Set<string>;
  /** Those that have. */
  heard: Set<string>;
  /** Ends the wait. */
  end(): void;
}

/** Makes what sends messages. */
export function createCrier(line: Line): Crier {
  const { pool, holder } = line;
  const timers = new Map<News, ReturnType<typeof setTimeout>>();
  const sending = new Set<Promise<void>>();
  const questions = new Map<string, Question>();
  /** Sends something. A failure is of no importance: the others look by themselves as well. */
  const send = (message: Promise<void>): Promise<void> => {
    const sent = message.catch(() => {}).finally(() => sending.delete(sent));
    sending.add(sent);
    return sent;
  };
  const cry = (text: string) => send(notify(pool, `${holder} ${text}`));
  return {
    tell(news) {
      if (timers.has(news)) return;
      const send = () => {
        timers.delete(news);
        cry(news);
      };
      timers.set(news, setTimeout(send, TELL_MS));
    },
    async agree(news) {
      const others = await othersAlive(pool, holder);
      if (others.length === 0) return;
      const isPooled = line.address.pooler !== undefined || others.some(({ pooled }) => pooled);
      const ask = (nonce: string) => cry(`${news} ${nonce}`);
      if (isPooled) await agreeByRows(line, ask);
      else await agreeAloud(questions, new Set(others.map(({ holder }) => holder)), ask);
    },
    takeAnswer({ word, nonce = "", from }) {
      if (word !== HEARD) return false;
      const question = questions.get(nonce);
      question?.heard.add(from);
      if (question) endIfAnswered(question);
      return true;
    },
    answer({ nonce }) {
      if (nonce === undefined) return;
      if (nonce.startsWith(BY_ROW)) void send(answerByRow(line, nonce));
      else cry(`${HEARD} ${nonce}`);
    },
    async close() {
      timers.forEach(clearTimeout);
      questions.forEach(({ end }) => end());
      await Promise.all(sending);
    },
  };
}

/** Asks the others, and waits until each has answered with a message, or for too long. */
async function agreeAloud(
  questions: Map<string, Question>,
  missing: Set<string>,
  ask: (nonce: string) => Promise<void>,
): Promise<void> {
  const nonce = randomBytes(4).toString("hex");
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, AGREE_MS);
  const question: Question = { missing, heard: new Set(), end: resolve };
  questions.set(nonce, question);
  try {
    await ask(nonce);
    endIfAnswered(question);
    await promise;
  } finally {
    clearTimeout(timer);
    questions.delete(nonce);
  }
}

function endIfAnswered({ missing, heard, end }: Question): void {
  if (missing.isSubsetOf(heard)) end();
}

/** Asks the others, and waits until each has answered in its row, or for too long. */
async function agreeByRows(line: Line, ask: (nonce: string) => Promise<void>): Promise<void> {
  const { holder, role, stopwatch } = line;
  const rows = rowsOf(line);
  const asked = await askHolders(rows, holder, nameOf(role));
  // Those behind a pooler look for the row.
  await ask(`${BY_ROW}${asked}`);
  const end = stopwatch() + AGREE_MS;
  while ((await unansweredBy(rows, holder, asked)).length > 0) {
    if (line.closed || stopwatch() > end) return;
    await new Promise((resolve) => setTimeout(resolve, ANSWERED_MS));
  }
}

/** Answers a question in the row of this process. */
async function answerByRow(line: Line, nonce: string): Promise<void> {
  const asked = Number(nonce.slice(BY_ROW.length));
  await answerHolders(rowsOf(line), line.holder, { name: nameOf(line.role), asked });
}

/** Runs statements about the rows of processes. */
function rowsOf({ pool }: Line): Pick<Wire, "send"> {
  return { send: (sql, parameters) => ask(pool, sql, parameters) };
}

/** Another process that is alive. */
interface Other {
  /** Its name. */
  holder: string;
  /** Whether it is behind a pooler, and hears nothing. */
  pooled: boolean;
}

/** The other processes that are alive. */
async function othersAlive(pool: Pool, own: string): Promise<Other[]> {
  const { rows } = await ask(
    pool,
    `select holder, holder in (select holder from holders where ${ALIVE_ROW}) as pooled
      from (${ALIVE}) as alive where holder <> $1`,
    [own],
  );
  return rows.map(({ holder, pooled }) => ({ holder: String(holder), pooled: pooled === 1 }));
}

/** Sends a text to all processes. */
async function notify(pool: Pool, text: string): Promise<void> {
  await ask(pool, "select pg_notify($1, $2)", [CHANNEL, text]);
}
