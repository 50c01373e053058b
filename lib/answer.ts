/**
 * Reading an answer within limits: a service, or another server in its place, can send anything.
 *
 * @module
 */

import { NetworkError } from "./errors.ts";
import { alarm } from "./alarm.ts";

/** The largest answer that is read, in bytes after decompression: 32 MiB. */
export const LARGEST_ANSWER = 33_554_432;

/** The longest time between two parts of an answer, in milliseconds: 15 seconds. */
export const LONGEST_SILENCE_MS = 15_000;

/** The deepest nesting of an answer. The service's own answers have ten levels. */
export const DEEPEST_ANSWER = 100;

/**
 * The text of an answer.
 *
 * @param silenceMs The longest time between two parts. Default: 15 seconds.
 * @param signal Ends the reading, with its reason, even if the body knows nothing of it.
 * @throws {NetworkError} when it is larger than 32 MiB.
 * @throws {DOMException} a `TimeoutError` when no data arrives for too long.
 */
export async function readAnswer(
  response: Response,
  silenceMs: number = LONGEST_SILENCE_MS,
  signal?: AbortSignal,
): Promise<string> {
  if (!response.body) return "";
  const reader = thriftyReader(response.body, response.url !== "");
  const decoder = new TextDecoder();
  const silence = watchSilence(silenceMs, signal);
  let text = "";
  let left = LARGEST_ANSWER;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), silence.tooLong]);
      silence.broken();
      if (done || !value) return text + decoder.decode();
      left -= value.byteLength;
      if (left < 0) {
        throw new NetworkError(`Cannot read the answer of ${response.url}: it exceeds 32 MiB`, {
          hint: "Check that CLI_BASE_URL is the service's address.",
        });
      }
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    silence.end();
    reader.end();
  }
}

/** Reads an answer part by part. A part is overwritten by the next one. */
interface PartReader {
  /** Reads the next part. */
  read(): Promise<{ done: boolean; value?: Uint8Array<ArrayBuffer> | undefined }>;
  /** Ends the reading, and cancels what is not read. */
  end(): void;
}

/** The room for a part, in bytes. */
const PART = 65_536;

/** Room that no answer is using. Each request under way at the same time needs one. */
const rooms: ArrayBuffer[] = [];

/** The most room to keep. */
const MOST_ROOMS = 4;

/**
 * Reads a body into room that is used again. Otherwise each part takes new room of this size, and a walk
 * over a long list takes tens of megabytes until the next collection.
 *
 * @param isReceived Whether it came from the network. A stream of bytes that a program has made may end
 * without an answer to a reader that brings room.
 */
function thriftyReader(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  isReceived: boolean,
): PartReader {
  const reader = isReceived ? byteReader(body) : undefined;
  if (!reader) {
    const plain = body.getReader();
    return { read: () => plain.read(), end: () => void plain.cancel().catch(() => {}) };
  }
  let room: ArrayBuffer | undefined = rooms.pop();
  let ended = false;
  return {
    async read() {
      const view = new Uint8Array(room ?? new ArrayBuffer(PART));
      room = undefined;
      const part = await reader.read(view);
      room = part.value?.buffer;
      ended = part.done;
      return part;
    },
    end() {
      // A reader that is not released keeps its stream until a full collection.
      if (ended) reader.releaseLock();
      else reader.cancel().catch(() => {});
      if (room && rooms.length < MOST_ROOMS) rooms.push(room);
    },
  };
}

/** A reader that takes room, if the body is a stream of bytes: not every runtime has one. */
function byteReader(body: ReadableStream): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

/** A watch over the time without data. */
interface SilenceWatch {
  /**
   * Rejects when no data arrived for at least the limit, and at most half of it longer, or when the
   * signal fires.
   */
  readonly tooLong: Promise<never>;
  /** Notes that data arrived. */
  broken(): void;
  /** Ends the watch. */
  end(): void;
}

/** Watches the time without data. One alarm at a time serves all parts of an answer. */
function watchSilence(longestMs: number, signal: AbortSignal | undefined): SilenceWatch {
  const { promise, reject } = Promise.withResolvers<never>();
  const half = Math.ceil(longestMs / 2);
  let silent = 0;
  const check = () => {
    // The first of three checks may come right after data.
    if (++silent < 3) cancel = alarm(half, check);
    else reject(new DOMException("No data arrived for too long", "TimeoutError"));
  };
  let cancel = alarm(half, check);
  const stop = () => reject(signal?.reason);
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  const end = () => {
    cancel();
    signal?.removeEventListener("abort", stop);
  };
  return { tooLong: promise, broken: () => silent = 0, end };
}

/**
 * The problem with the form of an answer, or undefined. It must be an object, not nested too deep,
 * and the fields of a list must have the right types. A missing field is reported by the code that needs
 * it.
 */
export function faultIn(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
    return "a value that is not an object";
  }
  return faultBelow(answer, 0);
}

/** The problem with a part of an answer, or with what is in it. A list of all parts would cost more. */
function faultBelow(part: unknown, depth: number): string | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  if (depth > DEEPEST_ANSWER) return `more than ${DEEPEST_ANSWER} levels of nesting`;
  if (Array.isArray(part)) {
    for (const value of part) {
      const fault = faultBelow(value, depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  let fault = faultOfList(part);
  // What JSON becomes inherits no fields.
  for (const name in part) {
    if (fault !== undefined) return fault;
    fault = faultBelow((part as Record<string, unknown>)[name], depth + 1);
  }
  return fault;
}

/** The problem with an object, if it is a list. */
function faultOfList(value: object): string | undefined {
  const list: { object?: unknown; items?: unknown; next_page?: unknown; url?: unknown } = value;
  if (list.object !== "list" && !("items" in value && "next_page" in value)) return undefined;
  const { items = null } = list;
  if (items !== null && !Array.isArray(items)) return "a list without an array of items";
  if (items?.some((item) => typeof item !== "object" || item === null)) {
    return "a list with an item that is not an object";
  }
  const wrong = (["next_page", "url"] as const).find((name) =>
    typeof (list[name] ?? "") !== "string"
  );
  return wrong && `a list whose ${wrong} is not a string`;
}
