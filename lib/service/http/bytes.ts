/**
 * Reads the bytes of a request's body: no more than allowed, and no memory for what has only been
 * promised.
 *
 * @module
 */

import { malformed, Refusal } from "../contract/errors.ts";

/** The largest promised length for which memory is taken at once, in bytes: 64 KiB. */
const TRUSTED_BYTES = 65_536;

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
    return joined(await readChunks(request, most));
  } catch (error) {
    // The connection is all that can fail here, or the way in which the body is sent.
    if (error instanceof Refusal) throw error;
    throw malformed("The body is incomplete, or its chunks are invalid");
  } finally {
    arriving.delete(request);
  }
}

async function readChunks(request: Request, most: number): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > most) throw tooLarge(most);
    chunks.push(chunk);
  }
  return chunks;
}

function tooLarge(most: number): Refusal {
  return malformed(`The body is larger than ${most} bytes`, 413);
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  if (chunks.length <= 1) return only ?? new Uint8Array();
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}
