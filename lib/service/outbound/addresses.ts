/**
 * What IP addresses are for. An address that another one is wrapped in counts as that one.
 *
 * @module
 */

/** Where an address leads: to the Internet, to this machine, into a local network, or nowhere. */
export type AddressUse = "public" | "loopback" | "private" | "reserved";

/** A range of addresses, by its first bytes. */
interface Range {
  /** The bytes that the range begins with. */
  readonly bytes: readonly number[];
  /** How many bits of them count. */
  readonly bits: number;
  /** What the range is for. */
  readonly use: AddressUse;
}

/** IPv4 that is not simply public (RFC 6890 and its registry). */
const V4: readonly Range[] = [
  range("0.0.0.0", 8, "reserved"),
  range("10.0.0.0", 8, "private"),
  range("100.64.0.0", 10, "reserved"), // shared by carriers
  range("127.0.0.0", 8, "loopback"),
  range("168.63.129.16", 32, "reserved"), // public, but a cloud's machines find their host there
  range("169.254.0.0", 16, "reserved"), // link-local; cloud machines tell their secrets here
  range("172.16.0.0", 12, "private"),
  range("192.0.0.0", 24, "reserved"),
  range("192.0.2.0", 24, "reserved"), // documentation
  range("192.31.196.0", 24, "reserved"),
  range("192.52.193.0", 24, "reserved"),
  range("192.88.99.0", 24, "reserved"), // 6to4 relays
  range("192.168.0.0", 16, "private"),
  range("192.175.48.0", 24, "reserved"),
  range("198.18.0.0", 15, "reserved"), // benchmarks
  range("198.51.100.0", 24, "reserved"), // documentation
  range("203.0.113.0", 24, "reserved"), // documentation
  range("224.0.0.0", 4, "reserved"), // multicast
  range("240.0.0.0", 4, "reserved"), // the future, and broadcast
];

/** IPv6, the narrow ranges before the wide ones. What is in none of them is reserved. */
const V6: readonly Range[] = [
  range("::1", 128, "loopback"),
  range("fd00:ec2::", 32, "reserved"), // cloud machines tell their secrets here
  range("fd20:ce::", 32, "reserved"), // and here
  range("fc00::", 7, "private"),
  range("2001::", 23, "reserved"), // Teredo, ORCHID and other protocols
  range("2001:db8::", 32, "reserved"), // documentation
  range("2002::", 16, "reserved"), // 6to4
  range("2620:4f:8000::", 48, "reserved"),
  range("3fff::", 20, "reserved"), // documentation
  range("2000::", 3, "public"),
];

/** IPv6 ranges whose last four bytes are an IPv4 address that traffic ends up at. */
const WRAPPING: readonly Range[] = [
  range("::ffff:0:0", 96, "reserved"), // mapped
  range("64:ff9b::", 96, "reserved"), // NAT64: a network without IPv4 gives all of IPv4 here
];

/** What an address is for. Text that is not an address in its usual form is reserved. */
export function useOf(address: string): AddressUse {
  const bytes = parseAddress(address);
  if (bytes === undefined) return "reserved";
  return bytes.length === 4 ? useOfV4(bytes) : useOfV6(bytes);
}

/** Whether text is an address in its usual form. */
export function isAddress(text: string): boolean {
  return parseAddress(text) !== undefined;
}

function useOfV4(bytes: readonly number[]): AddressUse {
  return V4.find((one) => holds(one, bytes))?.use ?? "public";
}

function useOfV6(bytes: readonly number[]): AddressUse {
  if (WRAPPING.some((one) => holds(one, bytes))) return useOfV4(bytes.slice(12));
  return V6.find((one) => holds(one, bytes))?.use ?? "reserved";
}

/** Whether an address is in a range. */
function holds({ bytes, bits }: Range, address: readonly number[]): boolean {
  return address.every((byte, i) => {
    const counting = Math.min(Math.max(bits - i * 8, 0), 8);
    const mask = 0xff << (8 - counting) & 0xff;
    return (byte & mask) === ((bytes[i] ?? 0) & mask);
  });
}

function range(first: string, bits: number, use: AddressUse): Range {
  return { bytes: parseAddress(first) ?? [], bits, use };
}

/** The 4 or 16 bytes of an address; undefined for anything else, such as octal or a zone. */
function parseAddress(text: string): number[] | undefined {
  return text.includes(":") ? parseV6(text) : parseV4(text);
}

function parseV4(text: string): number[] | undefined {
  const parts = text.split(".");
  const isByte = (part: string) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255;
  return parts.length === 4 && parts.every(isByte) ? parts.map(Number) : undefined;
}

function parseV6(text: string): number[] | undefined {
  const [left = "", right, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  // An IPv4 address may stand for the last two groups.
  const front = bytesOfGroups(left, right === undefined);
  if (right === undefined) return front?.length === 16 ? front : undefined;
  const back = bytesOfGroups(right, true);
  if (!front || !back) return undefined;
  const gap = 16 - front.length - back.length;
  return gap < 2 ? undefined : [...front, ...new Array<number>(gap).fill(0), ...back];
}

/** The bytes of groups between colons. */
function bytesOfGroups(text: string, v4Last: boolean): number[] | undefined {
  if (text === "") return [];
  const groups = text.split(":");
  const bytes = groups.map((group, i) => {
    if (v4Last && i === groups.length - 1 && group.includes(".")) return parseV4(group);
    const value = /^[0-9a-f]{1,4}$/i.test(group) ? parseInt(group, 16) : undefined;
    return value === undefined ? undefined : [value >> 8, value & 0xff];
  });
  return bytes.every((one) => one !== undefined) ? bytes.flat() : undefined;
}
