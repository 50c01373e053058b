/**
 * What IP addresses are for. An address that another one is wrapped in counts as that one.
 *
 * @module
 */

/** Where an address leads: to the Internet, to this machine, into a local network, or nowhere. */
export type AddressUse = "public" | "loopback" | "private" | "reserved";

/** A range of addresses. An address is a list of bytes here: 4 for IPv4, 16 for IPv6. */
interface Range {
  /** The first address. */
  readonly first: readonly number[];
  /** How many leading bits all addresses of the range share. */
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
  const bytes = bytesOf(address);
  if (!bytes) return "reserved";
  return bytes.length === 4 ? useOfV4(bytes) : useOfV6(bytes);
}

/** Whether text is an address in its usual form, without a zone. */
export function isAddress(text: string): boolean {
  return bytesOf(text) !== undefined;
}

function useOfV4(address: readonly number[]): AddressUse {
  return V4.find((range) => isIn(address, range))?.use ?? "public";
}

function useOfV6(address: readonly number[]): AddressUse {
  if (WRAPPING.some((range) => isIn(address, range))) return useOfV4(address.slice(12));
  return V6.find((range) => isIn(address, range))?.use ?? "reserved";
}

function isIn(address: readonly number[], { first, bits }: Range): boolean {
  const whole = bits >> 3;
  for (let i = 0; i < whole; i++) if (address[i] !== first[i]) return false;
  const rest = 8 - (bits & 7);
  return rest === 8 || (address[whole] ?? 0) >> rest === (first[whole] ?? 0) >> rest;
}

/** The bytes of an address, or undefined if the text is none. */
function bytesOf(text: string): number[] | undefined {
  return text.includes(":") ? bytesOfV6(text) : bytesOfV4(text);
}

function bytesOfV4(text: string): number[] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  const bytes = parts.map((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256);
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

function bytesOfV6(text: string): number[] | undefined {
  if (!/^[0-9a-f:.]{2,45}$/i.test(text)) return undefined;
  // A URL has an address in its shortest form: without IPv4, and `::` for groups of zeros.
  const shortest = URL.parse(`http://[${text}]`)?.hostname.slice(1, -1);
  if (shortest === undefined) return undefined;
  const [before = [], after = []] = shortest.split("::")
    .map((half) => half === "" ? [] : half.split(":"));
  const zeros = new Array<string>(8 - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function range(first: string, bits: number, use: AddressUse): Range {
  return { first: bytesOf(first) ?? [], bits, use };
}
