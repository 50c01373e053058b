/**
 * Reads the bytes of a request's body, up to a limit. An announced length alone reserves no memory.
 *
 * @module
 */

import { malformed, Refusal } from "../contract/errors.ts";

/** The largest announced length whose memory is reserved at once, in bytes: 64 KiB. */
const TRUSTED_BYTES = 65_536;

/** The first buffer for a body of unknown length, in bytes. It doubles when full. */
const FIRST_BYTES = 4096;

/** The requests whose bodies are being read. They wait for their clients. */
const arriving = new WeakSet<Request>();

/** The requests whose bodies were read to their end. */
const complete = new WeakSet<Request>();

/** Whether a body was announced whose end the service has not read. */
export function hasUnreadBody(request: Request): boolean {
  if (complete.has(request)) return false;
  const { headers } = request;
  // `has()` would list all headers.
  return Number(headers.get("content-length")) > 0 ||
    headers.get("transfer-encoding") !== null;
}

/** Whether the service waits for the rest of a request's body. */
export function isArriving(request: Request): boolean {
  return arriving.has(request);
}

/**
 * Reads a body.
 *
 * @throws {Refusal} 413 for a body over the limit, 400 for one that ends too early or whose chunks
 * are broken.
 */
export async function readBytes(request: Request, most: number): Promise<Uint8Array> {
  const promised = Number(request.headers.get("Content-Length") ?? Infinity);
  if (promised > most && promised !== Infinity) throw tooLarge(most);
  arriving.add(request);
  try {
    // Reading in one call takes half the time, but reserves the whole announced length.
    const bytes = promised <= TRUSTED_BYTES
      ? await request.bytes()
      : await readPieces(request, most);
    complete.add(request);
    return bytes;
  } catch (error) {
    // Only the connection or the body's encoding can fail here.
    if (error instanceof Refusal) throw error;
    throw malformed("The body is incomplete, or its chunks are invalid");
  } finally {
    arriving.delete(request);
  }
}

/**
 * Reads a body in chunks, and copies each at once. A chunk of one byte would otherwise keep its
 * whole buffer of 64 KiB in memory.
 */
async function readPieces(request: Request, most: number): Promise<Uint8Array> {
  let kept = new Uint8Array(FIRST_BYTES);
  let size = 0;
  for await (const piece of request.body ?? []) {
    const from = size;
    size += piece.byteLength;
    if (size > most) throw tooLarge(most);
    if (size > kept.byteLength) {
      const larger = new Uint8Array(Math.max(size, 2 * kept.byteLength));
      larger.set(kept.subarray(0, from));
      kept = larger;
    }
    kept.set(piece, from);
  }
  return kept.subarray(0, size);
}

function tooLarge(most: number): Refusal {
  return malformed(`The body is larger than ${most} bytes`, 413);
}
