/**
 * Reads the bytes of a request's body: no more than allowed, and no memory for what has only been
 * promised.
 *
 * @module
 */

import { malformed, Refusal } from "../contract/errors.ts";

/** The largest promised length for which memory is taken at once, in bytes: 64 KiB. */
const TRUSTED_BYTES = 65_536;

/** The memory that a body of unknown length gets at first, in bytes. It doubles when that is full. */
const FIRST_BYTES = 4096;

/** The requests whose bodies are being read: their senders are the ones to wait for. */
const arriving = new WeakSet<Request>();

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
    // Read as a whole, a body takes half as long; but then memory is taken for all that is promised.
    if (promised <= TRUSTED_BYTES) return await request.bytes();
    return await readPieces(request, most);
  } catch (error) {
    // The connection is all that can fail here, or the way in which the body is sent.
    if (error instanceof Refusal) throw error;
    throw malformed("The body is incomplete, or its chunks are invalid");
  } finally {
    arriving.delete(request);
  }
}

/**
 * Reads a body in pieces, each copied at once: a piece of one byte would else keep the whole buffer of
 * 64 KiB in which it arrived.
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
