/**
 * Git's index: the list of tracked paths. It is read here only if git is not installed.
 *
 * @module
 */

/** The bytes of an entry before its object id: times, device, inode, mode, owner and size. */
const STAT_BYTES = 40;

/** The mode of an entry for a whole folder. */
const FOLDER_MODE = 0o040000;

/**
 * Whether an index has an entry for a path relative to the repository, with slashes. Undefined if
 * unknown: the index is damaged, split or of a newer version.
 */
export async function indexHolds(bytes: Uint8Array, path: string): Promise<boolean | undefined> {
  const idBytes = await objectIdBytes(bytes);
  if (idBytes === undefined) return undefined;
  try {
    return searchEntries(bytes.subarray(0, bytes.length - idBytes), idBytes, path);
  } catch (error) {
    // A number points beyond the end.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The length of object ids, from the checksum at the end, which uses the same hash. */
async function objectIdBytes(bytes: Uint8Array): Promise<number | undefined> {
  for (const [name, length] of [["SHA-1", 20], ["SHA-256", 32]] as const) {
    const content = new Uint8Array(bytes.subarray(0, Math.max(0, bytes.length - length)));
    const sum = new Uint8Array(await crypto.subtle.digest(name, content));
    if (sum.toHex() === bytes.subarray(content.length).toHex()) return length;
  }
  return undefined;
}

/** Reads the entries, then checks that no later part changes them. */
function searchEntries(bytes: Uint8Array, idBytes: number, path: string): boolean | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4);
  if (signature(bytes, 0) !== "DIRC" || version < 2 || version > 4) return undefined;
  let at = 12;
  let name = "";
  let held: boolean | undefined = false;
  for (let left = view.getUint32(8); left > 0; left--) {
    const mode = view.getUint32(at + 24);
    const flagsAt = at + STAT_BYTES + idBytes;
    const extended = version > 2 && (view.getUint16(flagsAt) & 0x4000) !== 0;
    let nameAt = flagsAt + (extended ? 4 : 2);
    let shared = "";
    if (version === 4) {
      const cut = readNumber(view, nameAt);
      shared = name.slice(0, name.length - cut.value);
      nameAt = cut.end;
    }
    const end = bytes.indexOf(0, nameAt);
    if (end < 0) return undefined;
    name = shared + latin1(bytes.subarray(nameAt, end));
    if (name === latin1(new TextEncoder().encode(path))) held = true;
    // In a sparse checkout one entry may stand for a whole folder.
    else if (mode === FOLDER_MODE && path.startsWith(name)) held = undefined;
    if (held !== false) return held;
    // Before version 4, an entry is padded with 1 to 8 zeros.
    at = version === 4 ? end + 1 : at + Math.floor((end - at) / 8) * 8 + 8;
  }
  return isWhole(bytes, view, at) ? false : undefined;
}

/** Whether all parts after the entries are optional, as those with a capital letter are. */
function isWhole(bytes: Uint8Array, view: DataView, start: number): boolean {
  let at = start;
  while (at < bytes.length) {
    const kind = signature(bytes, at);
    // Its entries are complete, except for folders, which are checked one by one.
    if (!/^[A-Z]/.test(kind) && kind !== "sdir") return false;
    at += 8 + view.getUint32(at + 4);
  }
  return at === bytes.length;
}

/** A number with seven bits per byte, and an offset of one per further byte. */
function readNumber(view: DataView, start: number): { value: number; end: number } {
  let at = start;
  let byte = view.getUint8(at++);
  let value = byte & 127;
  while (byte & 128) {
    byte = view.getUint8(at++);
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, end: at };
}

/** The four letters of a part's name. */
function signature(bytes: Uint8Array, at: number): string {
  return latin1(bytes.subarray(at, at + 4));
}

/** Bytes as a text with one character per byte, so that any bytes can be compared and cut. */
function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
