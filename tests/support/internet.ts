/**
 * An Internet for tests: names and public addresses of listeners on this machine. It records
 * connections, and really connects to local addresses.
 *
 * @module
 */

import { useOf } from "../../lib/service/outbound/addresses.ts";
import type { Network } from "../../lib/service/outbound/connect.ts";

/** A made-up Internet. */
export interface Internet {
  /** The way to it. */
  readonly network: Network;
  /** The addresses of each name. A function is called each time. */
  readonly names: Map<string, readonly string[] | (() => readonly string[])>;
  /** The port on this machine for a public address. */
  readonly ports: Map<string, number>;
  /** Every address that was dialled, in order. */
  readonly dialled: string[];
}

/** A public address without real connections. */
export const PUBLIC = "93.184.216.34";

/** The name in the certificate of {@linkcode TLS}. */
export const HOST = "hooks.acme.dev";

const file = (name: string) => Deno.readTextFileSync(new URL(`../tls/${name}`, import.meta.url));

/** A certificate for {@linkcode HOST}, its key, and the authority behind it. */
export const TLS = {
  cert: file("hooks.pem"),
  key: file("hooks.key"),
  authority: file("hooks_ca.pem"),
};

/** Makes an empty Internet. */
export function openInternet(): Internet {
  const names: Internet["names"] = new Map();
  const ports: Internet["ports"] = new Map();
  const dialled: string[] = [];
  const network: Network = {
    caCerts: [TLS.authority],
    async resolve(name) {
      const found = names.get(name);
      if (found === undefined) throw new Error(`getaddrinfo ENOTFOUND ${name}`);
      return typeof found === "function" ? found() : found;
    },
    async connect(address, port, signal) {
      dialled.push(address);
      const stand = ports.get(address);
      const isHere = useOf(address) === "loopback";
      if (stand === undefined && !isHere) throw new Error("Connection refused");
      return await Deno.connect({ hostname: "127.0.0.1", port: stand ?? port, signal });
    },
  };
  return { network, names, ports, dialled };
}
