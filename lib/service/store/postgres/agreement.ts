/**
 * Messages to the other processes: those that may be lost, and those whose sender waits until each of
 * the others has acted on them.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import type { News } from "../store.ts";
import { ask } from "./ask.ts";
import type { Pool } from "./driver.ts";
import { ALIVE } from "./holders.ts";
import { CHANNEL, type Line, type Message } from "./line.ts";

/** How long news wait for more of the same, in milliseconds: each notification takes a global lock. */
const TELL_MS = 20;

/** The longest wait for the others, in milliseconds. After that they have looked by themselves. */
const AGREE_MS = 1500;

/** The word of an answer. */
const HEARD = "heard";

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
  /** The processes that have not answered. Undefined: it is not known yet who is there. */
  missing: Set<string> | undefined;
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
  const cry = (text: string): Promise<void> => {
    // The others look by themselves as well.
    const sent = notify(pool, `${holder} ${text}`).catch(() => {})
      .finally(() => sending.delete(sent));
    sending.add(sent);
    return sent;
  };
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
      const nonce = randomBytes(4).toString("hex");
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, AGREE_MS);
      const question: Question = { missing: undefined, heard: new Set(), end: resolve };
      questions.set(nonce, question);
      try {
        question.missing = await othersAlive(pool, holder);
        await cry(`${news} ${nonce}`);
        endIfAnswered(question);
        await promise;
      } finally {
        clearTimeout(timer);
        questions.delete(nonce);
      }
    },
    takeAnswer({ word, nonce = "", from }) {
      if (word !== HEARD) return false;
      const question = questions.get(nonce);
      question?.heard.add(from);
      if (question) endIfAnswered(question);
      return true;
    },
    answer({ nonce }) {
      if (nonce !== undefined) cry(`${HEARD} ${nonce}`);
    },
    async close() {
      timers.forEach(clearTimeout);
      questions.forEach(({ end }) => end());
      await Promise.all(sending);
    },
  };
}

function endIfAnswered({ missing, heard, end }: Question): void {
  if (missing?.isSubsetOf(heard)) end();
}

/** The other processes that are alive. One behind a pooler hears nothing, and looks by itself. */
async function othersAlive(pool: Pool, own: string): Promise<Set<string>> {
  const { rows } = await ask(pool, ALIVE);
  const others = new Set(rows.map(({ holder }) => String(holder)));
  others.delete(own);
  return others;
}

/** Sends a text to all processes. */
async function notify(pool: Pool, text: string): Promise<void> {
  await ask(pool, "select pg_notify($1, $2)", [CHANNEL, text]);
}
