/**
 * Receivers of webhooks that fail, each in its own way.
 *
 * @module
 */

import { answers, type Behaviour, hangUp, write } from "./receiver.ts";

/** The first line of a success. */
export const OK = "HTTP/1.1 200 OK\r\n";

/** A failure, and its message. */
export interface Failure {
  /** The behaviour of the receiver. */
  behave: Behaviour;
  /** The pattern of the attempt's error. */
  error: RegExp;
  /** The status that is kept, if any. */
  status?: number;
  /** Whether it fails only when its time is up. */
  late?: true;
}

/** Failing receivers, by behaviour. */
export const FAILURES: Record<string, Failure> = {
  "hangs": { behave: (_, conn) => hangUp(conn), error: /within 60 s$/, late: true },
  "hangs after its head": {
    behave: async (_, conn) => {
      await write(conn, `${OK}Content-Length: 10\r\n\r\nabc`);
      await hangUp(conn);
    },
    error: /within 60 s$/,
    late: true,
  },
  "hangs in its head": {
    behave: async (_, conn) => {
      await write(conn, `${OK}Content-Le`);
      await hangUp(conn);
    },
    error: /within 60 s$/,
    late: true,
  },
  "says nothing": { behave: () => {}, error: /closed the connection without a response$/ },
  "closes in its head": {
    behave: (_, conn) => write(conn, `${OK}Content-Length: 5`),
    error: /closed the connection during its response$/,
  },
  "closes in its body": {
    behave: (_, conn) => write(conn, `${OK}Content-Length: 5\r\n\r\nabc`),
    error: /closed the connection during its response$/,
    status: 200,
  },
  "closes in a chunk": {
    behave: (_, conn) => write(conn, `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nabc`),
    error: /closed the connection during its response$/,
    status: 200,
  },
  "closes between chunks": {
    behave: (_, conn) => write(conn, `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`),
    error: /closed the connection during its response$/,
    status: 200,
  },
  "sends chunks that are none": {
    behave: (_, conn) => write(conn, `${OK}Transfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n`),
    error: /sent an invalid chunk size$/,
    status: 200,
  },
  "sends what nobody can unpack": {
    behave: (_, conn) => write(conn, `${OK}Transfer-Encoding: gzip\r\n\r\nabc`),
    error: /in an unexpected encoding, gzip$/,
    status: 200,
  },
  "counts in words": {
    behave: (_, conn) => write(conn, `${OK}Content-Length: many\r\n\r\nabc`),
    error: /sent an invalid content length$/,
    status: 200,
  },
  "speaks another language": {
    behave: (_, conn) => write(conn, "220 mail.acme.dev ESMTP\r\n"),
    error: /did not respond in HTTP\/1\.1$/,
  },
  "sends a head without end": {
    behave: (_, conn) =>
      write(conn, `${OK}${`X-Filler: ${"abcdefgh".repeat(9)}\r\n`.repeat(5000)}`),
    error: /sent headers that are too long$/,
  },
  "sends short headers without end": {
    behave: (_, conn) => write(conn, `${OK}${"X: y\r\n".repeat(20_000)}`),
    error: /sent a response of too many lines$/,
  },
  "sends chunks of one byte without end": {
    behave: (_, conn) =>
      write(conn, `${OK}Transfer-Encoding: chunked\r\n\r\n${"1\r\na\r\n".repeat(20_000)}`),
    error: /sent a response of too many lines$/,
    status: 200,
  },
  "sends a line without end": {
    behave: (_, conn) => write(conn, "a".repeat(100_000)),
    error: /sent a line that is too long$/,
  },
  "sends 1xx answers without end": {
    behave: (_, conn) => write(conn, "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n".repeat(5000)),
    error: /sent too many informational responses$/,
  },
  "sends trailers without end": {
    behave: (_, conn) =>
      write(conn, `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n${"X: y\r\n".repeat(200_000)}`),
    error: /sent a response of too many lines$/,
    status: 200,
  },
  "sends more of chunks' frames than of an answer": {
    behave: (_, conn) =>
      write(
        conn,
        `${OK}Transfer-Encoding: chunked\r\n\r\n${`1;${"x".repeat(999)}\r\na\r\n`.repeat(900)}`,
      ),
    error: /sent a response that is too long$/,
    status: 200,
  },
  "sends its head in the smallest pieces": {
    behave: async (_, conn) => {
      for (let i = 0; i < 9000; i++) await conn.write(new Uint8Array([97]));
    },
    error: /sent a response that is too long$|a line that is too long$|during its response$/,
  },
  "sends a bad header": {
    behave: (_, conn) => write(conn, `${OK}No colon here\r\n\r\n`),
    error: /sent an invalid header$/,
  },
  "begins with the rest of a header": {
    behave: (_, conn) => write(conn, `${OK} folded\r\n\r\n`),
    error: /sent an invalid header$/,
  },
  "tells two lengths": {
    behave: (_, conn) => write(conn, `${OK}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`),
    error: /sent an invalid content length$/,
    status: 200,
  },
  "redirects": {
    behave: answers(302, { Location: "http://127.0.0.1:1/elsewhere" }),
    error: /answered 302; redirects are not followed$/,
    status: 302,
  },
  "redirects with the last status for that": {
    behave: answers(399),
    error: /answered 399; redirects are not followed$/,
    status: 399,
  },
  "redirects with the first status for that": {
    behave: answers(300),
    error: /answered 300; redirects are not followed$/,
    status: 300,
  },
  "answers 299": { behave: answers(299), error: /answered 299$/, status: 299 },
  "answers 400": { behave: answers(400), error: /answered 400$/, status: 400 },
  "answers 500": { behave: answers(500), error: /answered 500$/, status: 500 },
  "answers 404": { behave: answers(404), error: /answered 404$/, status: 404 },
  "answers 201": { behave: answers(201), error: /answered 201$/, status: 201 },
  "answers 204": {
    behave: (_, conn) => write(conn, "HTTP/1.1 204 No Content\r\n\r\n"),
    error: /answered 204$/,
    status: 204,
  },
  "switches protocols": {
    behave: (_, conn) => write(conn, "HTTP/1.1 101 Switching\r\nUpgrade: a\r\n\r\n"),
    error: /answered 101$/,
    status: 101,
  },
};
