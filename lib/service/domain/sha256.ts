/**
 * SHA-256 for derived ids. `node:crypto` takes 25 ms to load, and the first start on a new folder derives
 * some ids. So own code hashes the first texts of a process, and `node:crypto` all others: it is faster.
 *
 * @module
 */

import defer * as nodeCrypto from "node:crypto";

/** So many texts are not worth loading `node:crypto`: more than the demonstration project needs. */
const FEW = 200;

let hashed = 0;

/** The SHA-256 of a text in UTF-8, in lower-case hexadecimal digits. */
export function sha256Of(text: string): string {
  if (hashed >= FEW) return nodeCrypto.createHash("sha256").update(text, "utf8").digest("hex");
  hashed++;
  return ownSha256(text);
}

// deno-fmt-ignore
const ROUNDS = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);

// deno-fmt-ignore
const START = Int32Array.of(
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
);

const BLOCK = 64;

/** Room for the bytes of most texts. */
const ROOM = new Uint8Array(16 * BLOCK);

/** The digits of each byte. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

const encoder = new TextEncoder();

/** The words of one block, and those that follow from them. */
const words = new Int32Array(64);

/** The same by own code. */
export function ownSha256(text: string): string {
  const blocks = paddedBytes(text);
  const state = START.slice();
  for (let at = 0; at < blocks.length; at += BLOCK) {
    readWords(blocks, at);
    mixWords(state);
  }
  let digits = "";
  for (let i = 0; i < 32; i++) digits += HEX[(word(state, i >> 2) >>> (24 - 8 * (i & 3))) & 255];
  return digits;
}

/** A text in whole blocks: its bytes, one bit, zeros, and its length in bits. */
function paddedBytes(text: string): Uint8Array {
  const fits = text.length * 3 + 9 <= ROOM.length;
  const bytes = fits ? ROOM : encoder.encode(text);
  const length = fits ? encoder.encodeInto(text, ROOM).written : bytes.length;
  const end = Math.ceil((length + 9) / BLOCK) * BLOCK;
  const padded = fits ? ROOM.subarray(0, end) : new Uint8Array(end);
  if (fits) padded.fill(0, length);
  else padded.set(bytes);
  padded[length] = 0x80;
  for (let i = 1, bits = length * 8; bits > 0; i++, bits = Math.floor(bits / 256)) {
    padded[end - i] = bits % 256;
  }
  return padded;
}

/** Reads the 16 words of a block, and derives 48 more. */
function readWords(bytes: Uint8Array, at: number): void {
  for (let i = 0; i < 16; i++) {
    const from = at + 4 * i;
    words[i] = (byte(bytes, from) << 24) | (byte(bytes, from + 1) << 16) |
      (byte(bytes, from + 2) << 8) | byte(bytes, from + 3);
  }
  for (let i = 16; i < 64; i++) {
    const early = word(words, i - 15);
    const late = word(words, i - 2);
    const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[i] = (word(words, i - 16) + first + word(words, i - 7) + second) | 0;
  }
}

/** Mixes the words into the state. */
function mixWords(state: Int32Array): void {
  // Eight variables and no list: that would take three times as long.
  let a = word(state, 0), b = word(state, 1), c = word(state, 2), d = word(state, 3);
  let e = word(state, 4), f = word(state, 5), g = word(state, 6), h = word(state, 7);
  for (let i = 0; i < 64; i++) {
    const turned = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const choice = (e & f) ^ (~e & g);
    const one = (h + turned + choice + word(ROUNDS, i) + word(words, i)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const other = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + other) | 0;
  }
  state[0] = word(state, 0) + a;
  state[1] = word(state, 1) + b;
  state[2] = word(state, 2) + c;
  state[3] = word(state, 3) + d;
  state[4] = word(state, 4) + e;
  state[5] = word(state, 5) + f;
  state[6] = word(state, 6) + g;
  state[7] = word(state, 7) + h;
}

function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

function word(of: Int32Array, at: number): number {
  return of[at] ?? 0;
}

/** Rotates 32 bits to the right. */
function turn(bits: number, by: number): number {
  return (bits >>> by) | (bits << (32 - by));
}
