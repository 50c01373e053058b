import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import {
  addressFor,
  cannotListen,
  canonicalHost,
  hostsOf,
} from "../../../lib/service/http/address.ts";

Deno.test("a service on a wildcard address has an address on this machine", () => {
  equal(addressFor("0.0.0.0", 4010), "http://127.0.0.1:4010");
  for (const host of ["::", "::1", "[::1]", "[0:0::1]"]) {
    equal(addressFor(host, 4010), "http://[::1]:4010", host);
  }
  equal(addressFor("192.168.1.2", 80), "http://192.168.1.2:80");
  equal(addressFor("VM", 80), "http://vm:80");
});

Deno.test("a host has one canonical form, and invalid text has none", () => {
  const same = [
    ["VM", "vm"],
    ["fd00:0:0::2", "[fd00::2]"],
    ["[FD00::2]", "[fd00::2]"],
    ["10.0.0.1", "10.0.0.1"],
  ];
  for (const [host = "", form] of same) equal(canonicalHost(host), form, host);
  for (const host of ["", "a b", "a/b", "http://a", "a:80", "[", "fe80::1%eth0", "x@y", "é"]) {
    equal(canonicalHost(host), undefined, host);
  }
});

Deno.test("a service on a wildcard address also accepts the names of its machine", () => {
  deepEqual(hostsOf({ host: "127.0.0.1", names: ["api"] }), ["127.0.0.1", "api"]);
  const vm = () => "vm";
  for (const host of ["0.0.0.0", "::", "[::]"]) {
    deepEqual(hostsOf({ host, names: ["api"] }, vm), [host, "api", "vm", "vm.local"]);
  }
  deepEqual(hostsOf({ host: "192.168.1.2" }, vm), ["192.168.1.2"]);
  const unreadable = () => {
    throw new Deno.errors.NotCapable("not permitted");
  };
  deepEqual(hostsOf({ host: "0.0.0.0" }, unreadable), ["0.0.0.0"]);
  throws(() => hostsOf({ host: "::", names: ["http://api"] }), {
    message: 'Cannot name the service "http://api": it is not a valid host name',
    hint: /--name my-laptop\.local$/,
  });
});

Deno.test("an address that cannot be listened on is explained", () => {
  const { AddrInUse, AddrNotAvailable, PermissionDenied } = Deno.errors;
  const noFiles = Object.assign(new Error("Too many open files (os error 24)"), { code: "EMFILE" });
  const cases: [host: string, port: number, error: Error, message: string, hint: RegExp][] = [
    ["::1", 4010, new AddrInUse(""), "[::1]:4010: the port is in use", /another --port/],
    ["10.9.9.9", 1, new AddrNotAvailable(""), "10.9.9.9:1: this machine has no such", /--host/],
    ["typo", 4010, new Error("failed to lookup"), "typo:4010: this machine has no such", /--host/],
    ["127.0.0.1", 4010, noFiles, "127.0.0.1:4010: too many files are open", /^$/],
    ["127.0.0.1", 80, new PermissionDenied(""), "127.0.0.1:80: the system does not", /above 1023/],
  ];
  for (const [host, port, error, message, hint] of cases) {
    const told = cannotListen(host, port, error);
    ok(told.message.startsWith(`Cannot listen on ${message}`), told.message);
    match(told.hint ?? "", hint);
  }
});
