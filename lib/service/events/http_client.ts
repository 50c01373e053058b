/**
 * One HTTP/1.1 request and its response over an open connection. It does only what a delivery
 * needs: it follows no redirects, decompresses nothing, and reads only the beginning of a long
 * response.
 *
 * @module
 */

import type { Connection } from "../outbound/connect.ts";
import { joinBytes } from "../../bytes.ts";

/** Headers in the order of sending. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** The response. */
export interface Reply {
  /** HTTP status. */
  readonly status: number;
  /** The headers, their names in lower case, repeated ones joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the body. */
  readonly body: Uint8Array;
  /** Whether the body is longer than the stored part. */
  readonly cut: boolean;
  /** The reason for an incomplete response, if it is incomplete. */
  readonly broken: string | undefined;
  /** How long the connection may wait for another request, in milliseconds. 0: not at all. */
  readonly keepMs: number;
}

/** An invalid response. The message is the reason, after "the receiver". */
export class ReplyError extends Error {
  /** Whether not a byte of a response came. */
  readonly isSilent: boolean;

  /** Builds the error from the receiver's fault. */
  constructor(message: string, { isSilent = false, ...options }: SilentOptions = {}) {
    super(message, options);
    this.name = "ReplyError";
    this.isSilent = isSilent;
  }
}

/** What an error may hold besides its message. */
interface SilentOptions extends ErrorOptions {
  /** Whether not a byte of a response came. */
  isSilent?: boolean;
}

/** The stored part of a response, in bytes. */
export const KEPT_BYTES = 20_000;

/** The limits of a response. Reading stops at a limit. */
export const ANSWER_LIMITS = {
  /** The longest head and the longest line, in bytes. */
  head: 65_536,
  /** The most informational responses before the final one. */
  informational: 16,
  /** The most bytes in total, with heads, trailers and chunk sizes. */
  bytes: 262_144,
  /** The most chunks. */
  pieces: 4096,
  /** The most lines in heads, in trailers and between chunks. */
  lines: 2048,
};

/** After so many lines in a row, other work gets its turn. */
const LINES_IN_A_ROW = 128;

/** The bytes of one read. */
const READ_BYTES = 16_384;

/**
 * Sends a request and reads the response.
 *
 * @param answering Called at the first byte of the response.
 * @throws {ReplyError} without a response, or if it is not HTTP.
 */
export async function exchange(
  connection: Connection,
  request: { method: string; url: URL; headers: HeaderLines; body: Uint8Array },
  answering: () => void,
): Promise<Reply> {
  const source = openSource(connection);
  let isEarly = false;
  const begun = source.begin().then(() => isEarly = !isSent);
  let isSent = false;
  begun.catch(() => {});
  try {
    await writeAll(connection, bytesOf(request));
    isSent = true;
  } catch {
    // A receiver may respond before it has read the whole request.
  }
  await begun;
  answering();
  let head = await readHead(source);
  for (let left = ANSWER_LIMITS.informational; isInformational(head); left--) {
    if (left === 0) throw new ReplyError("sent too many informational responses");
    head = await readHead(source);
  }
  const kept: Uint8Array[] = [];
  let size = 0;
  let broken: string | undefined;
  try {
    for await (const part of bodyParts(source, head)) {
      kept.push(part.subarray(0, KEPT_BYTES - size));
      size += part.length;
      if (size > KEPT_BYTES) break;
    }
  } catch (error) {
    broken = error instanceof ReplyError ? error.message : "closed the connection";
  }
  const cut = size > KEPT_BYTES;
  const isClean = !isEarly && !cut && broken === undefined && source.isEmpty();
  const { status, headers } = head;
  return {
    status,
    headers,
    body: joinBytes(kept),
    cut,
    broken,
    keepMs: isClean ? keepMs(head) : 0,
  };
}

/** The wait that a response allows: none unless its head says clearly where the response ends. */
function keepMs({ version, status, headers }: Head): number {
  const { connection = "", "content-length": length, "transfer-encoding": coding } = headers;
  const isEmpty = status === 204 || status === 304;
  const isClear = isEmpty
    ? coding === undefined && (length ?? "0") === "0"
    : (coding === undefined) !== (length === undefined) && !length?.includes(",");
  if (version !== "1.1" || status === 101 || !isClear) return 0;
  if (/(?:^|,)[ \t]*close[ \t]*(?:,|$)/i.test(connection)) return 0;
  const [, seconds] = /(?:^|[,;\s])timeout=(\d{1,6})/i.exec(headers["keep-alive"] ?? "") ?? [];
  // A second less, so that the receiver does not close it while a request is on its way.
  return seconds === undefined ? Infinity : (Number(seconds) - 1) * 1000;
}

/** Whether the final response follows. */
function isInformational({ status }: Head): boolean {
  return status >= 100 && status < 200 && status !== 101;
}

/** The bytes of the request. */
function bytesOf(
  { method, url, headers, body }: Parameters<typeof exchange>[1],
): Uint8Array {
  const lines = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
  ];
  return joinBytes([new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`), body]);
}

async function writeAll(connection: Connection, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
}

/** Received bytes. */
interface Source {
  /** Waits for the first byte. */
  begin(): Promise<void>;
  /** Whether all that was received is read. */
  isEmpty(): boolean;
  /** A line without its end. */
  line(): Promise<string>;
  /** Up to so many bytes; null at the end. */
  some(most: number): Promise<Uint8Array | null>;
}

function openSource(connection: Connection): Source {
  let waiting = new Uint8Array();
  let bytes = 0;
  let pieces = 0;
  let lines = 0;
  const chunk = new Uint8Array(READ_BYTES);
  const more = async (): Promise<boolean> => {
    if (bytes >= ANSWER_LIMITS.bytes || pieces >= ANSWER_LIMITS.pieces) {
      throw new ReplyError("sent a response that is too long");
    }
    const count = await connection.read(chunk);
    if (count === null) return false;
    bytes += count;
    pieces++;
    waiting = joinBytes([waiting, chunk.subarray(0, count)]);
    return true;
  };
  const take = (count: number): Uint8Array => {
    const taken = waiting.subarray(0, count);
    waiting = waiting.subarray(count);
    return taken;
  };
  return {
    async begin() {
      try {
        while (waiting.length === 0 && await more());
      } catch (error) {
        throw silence(error);
      }
      if (waiting.length === 0) throw silence();
    },
    isEmpty: () => waiting.length === 0,
    async line() {
      if (++lines > ANSWER_LIMITS.lines) throw new ReplyError("sent a response of too many lines");
      // Lines that arrived together are read without waiting.
      if (lines % LINES_IN_A_ROW === 0) await new Promise((resolve) => setTimeout(resolve));
      for (let searched = 0;;) {
        const end = waiting.indexOf(10, searched);
        if (end >= 0) return latin1(take(end + 1)).replace(/\r?\n$/, "");
        searched = waiting.length;
        if (searched > ANSWER_LIMITS.head) throw new ReplyError("sent a line that is too long");
        if (!await more()) throw new ReplyError("closed the connection during its response");
      }
    },
    async some(most) {
      if (waiting.length === 0 && !await more()) return null;
      return take(most);
    },
  };
}

function silence(cause?: unknown): ReplyError {
  const message = "closed the connection without a response";
  return new ReplyError(message, { cause, isSilent: true });
}

/** The head of a response. */
interface Head extends Pick<Reply, "status" | "headers"> {
  /** The version of HTTP. */
  version: string;
}

async function readHead(source: Source): Promise<Head> {
  const first = await source.line();
  const [, version = "", code] = /^HTTP\/(1\.[01]) ([1-9]\d\d)(?: .*)?$/.exec(first) ?? [];
  if (code === undefined) throw new ReplyError("did not respond in HTTP/1.1");
  const headers: Record<string, string> = Object.create(null);
  let size = first.length;
  let last: string | undefined;
  for (let line = await source.line(); line !== ""; line = await source.line()) {
    size += line.length;
    if (size > ANSWER_LIMITS.head) throw new ReplyError("sent headers that are too long");
    // A line that begins with a space continues the line before.
    if (last !== undefined && /^[ \t]/.test(line)) {
      headers[last] = `${headers[last]} ${line.trim()}`.trim();
      continue;
    }
    const [, name = "", value = ""] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key === "") throw new ReplyError("sent an invalid header");
    headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
    last = key;
  }
  return { version, status: Number(code), headers };
}

/** The body in parts, with any kind of framing. */
function bodyParts(source: Source, { status, headers }: Head): AsyncIterable<Uint8Array> {
  const { "content-length": length, "transfer-encoding": coding } = headers;
  if (status === 101 || status === 204 || status === 304) return parts(source, 0);
  if (coding !== undefined) {
    if (coding.toLowerCase() === "chunked") return chunks(source);
    throw new ReplyError(`sent a response in an unexpected encoding, ${coding}`);
  }
  if (length === undefined) return parts(source, Infinity);
  // A repeated but equal length is accepted.
  const [only = "", ...others] = new Set(length.split(/[ \t]*,[ \t]*/));
  if (others.length === 0 && /^\d{1,15}$/.test(only)) return parts(source, Number(only));
  throw new ReplyError("sent an invalid content length");
}

/** So many bytes; `Infinity` for all until the end. */
async function* parts(source: Source, length: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let left = length; left > 0;) {
    const part = await source.some(Math.min(left, READ_BYTES));
    if (part === null && left === Infinity) return;
    if (part === null) throw new ReplyError("closed the connection during its response");
    left -= part.length;
    yield part;
  }
}

/** The bytes of chunks. */
async function* chunks(source: Source): AsyncGenerator<Uint8Array, void, undefined> {
  for (;;) {
    const [, size = ""] = /^([0-9a-f]{1,8})(?:[ \t]*;.*)?$/i.exec(await source.line()) ?? [];
    if (size === "") throw new ReplyError("sent an invalid chunk size");
    if (parseInt(size, 16) === 0) break;
    yield* parts(source, parseInt(size, 16));
    if (await source.line() !== "") throw new ReplyError("sent a chunk of the wrong size");
  }
  while (await source.line() !== "");
}

const latin1Decoder = new TextDecoder("latin1");

/** Up to so many bytes, concatenation is faster than decoding. */
const SHORT_BYTES = 32;

function latin1(bytes: Uint8Array): string {
  if (bytes.length > SHORT_BYTES) return latin1Decoder.decode(bytes);
  let text = "";
  for (let i = 0; i < bytes.length; i++) text += String.fromCharCode(bytes[i] ?? 0);
  return text;
}
