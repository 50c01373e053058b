/**
 * What IP addresses are for. An address that another one is wrapped in counts as that one.
 *
 * @module
 */

import { BlockList, isIP } from "node:net";

/** Where an address leads: to the Internet, to this machine, into a local network, or nowhere. */
export type AddressUse = "public" | "loopback" | "private" | "reserved";

/** A range of addresses. */
interface Range {
  /** Finds addresses in the range. */
  readonly list: BlockList;
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
  if (!isAddress(address)) return "reserved";
  return isIP(address) === 4 ? useOfV4(address) : useOfV6(address);
}

/** Whether text is an address in its usual form, without a zone. */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%");
}

function useOfV4(address: string): AddressUse {
  return V4.find(({ list }) => list.check(address, "ipv4"))?.use ?? "public";
}

function useOfV6(address: string): AddressUse {
  const within = ({ list }: Range) => list.check(address, "ipv6");
  return WRAPPING.some(within) ? useOfV4(wrappedIn(address)) : V6.find(within)?.use ?? "reserved";
}

/** The IPv4 address in the last two groups of one of IPv6. */
function wrappedIn(address: string): string {
  // A URL has an address in its shortest form: without IPv4, and `::` for groups of zeros.
  const { hostname } = new URL(`http://[${address}]`);
  const groups = hostname.slice(1, -1).split(":").slice(-2).map((group) =>
    parseInt(group || "0", 16)
  );
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join(".");
}

function range(first: string, bits: number, use: AddressUse): Range {
  const list = new BlockList();
  list.addSubnet(first, bits, isIP(first) === 4 ? "ipv4" : "ipv6");
  return { list, use };
}
