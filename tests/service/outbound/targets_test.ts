import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import { BlockList, isIP } from "node:net";
import { isAddress, useOf } from "../../../lib/service/outbound/addresses.ts";
import { TargetError, type TargetPolicy } from "../../../lib/service/outbound/judge.ts";
import { connectUnverified } from "../../../lib/service/outbound/connect.ts";
import { createTargets } from "../../../lib/service/outbound/targets.ts";
import {
  CLOUD_ADDRESSES,
  LOCAL_ADDRESSES,
  PUBLIC_ADDRESSES,
  RESERVED,
  THIS_MACHINE,
  WRONG_URLS,
} from "../../support/forbidden_targets.ts";
import { HOST, openInternet, PUBLIC, TLS } from "../../support/internet.ts";
import { fc } from "../../support/properties.ts";
import { openTime } from "../../support/virtual_time.ts";

/** A listener on this machine that says how often somebody connected. */
function openListener(): { port: number; count(): Promise<number>; [Symbol.dispose](): void } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let connections = 0;
  const accepting = (async () => {
    for await (const conn of listener) {
      connections++;
      conn.close();
    }
  })();
  const { port } = listener.addr;
  return {
    port,
    // A connection of our own comes after all that were made before it.
    async count() {
      const conn = await Deno.connect({ hostname: "127.0.0.1", port });
      await conn.read(new Uint8Array(1)).catch(() => null);
      conn.close();
      return connections - 1;
    },
    [Symbol.dispose]() {
      listener.close();
      void accepting;
    },
  };
}

/** A receiver on this machine that greets whoever agrees on keys with it. */
function openReceiver(secure: boolean): { port: number; [Symbol.dispose](): void } {
  const at = { hostname: "127.0.0.1", port: 0 };
  const listener = secure ? Deno.listenTls({ ...at, ...TLS }) : Deno.listen(at);
  void (async () => {
    for await (const conn of listener) {
      await conn.write(new TextEncoder().encode("hello")).catch(() => 0);
      try {
        conn.close();
      } catch { /* It has gone. */ }
    }
  })();
  return { port: (listener.addr as Deno.NetAddr).port, [Symbol.dispose]: () => listener.close() };
}

const signal = new AbortController().signal;

/** Whether an error is the guard's no. */
function isForbidden(error: unknown): boolean {
  return error instanceof TargetError && error.kind === "forbidden";
}

/** Connects and reads what the other end says first. */
async function greet(url: string, policy: TargetPolicy, network = openInternet().network) {
  const connection = await createTargets(policy, { network }).open(url, { signal });
  const bytes = new Uint8Array(10);
  const count = await connection.read(bytes) ?? 0;
  connection.close();
  return new TextDecoder().decode(bytes.subarray(0, count));
}

Deno.test("200 forbidden targets and more: nobody is connected to", async () => {
  using listener = openListener();
  const { network, names, dialled } = openInternet();
  const guard = createTargets("public", { network });
  const targets = [
    ...[...THIS_MACHINE, ...RESERVED].map((host) => `https://${host}:${listener.port}/hooks`),
    ...WRONG_URLS,
  ];
  for (const [i, address] of LOCAL_ADDRESSES.entries()) {
    names.set(`h${i}.acme.dev`, [address]);
    // The good address does not make up for the bad one.
    names.set(`g${i}.acme.dev`, [PUBLIC, address]);
    targets.push(`https://h${i}.acme.dev:${listener.port}`, `https://g${i}.acme.dev`);
  }
  for (const host of ["localhost", "example.com", "127.0.0.1"]) names.set(host, [PUBLIC]);
  for (const url of targets) {
    await rejects(guard.open(url, { signal }), isForbidden, url);
  }
  ok(new Set(targets).size >= 200, `${targets.length} targets`);
  deepEqual(dialled, []);
  equal(await listener.count(), 0);
});

Deno.test("a name that changes its answer is connected to where it was judged, or not at all", async () => {
  using listener = openListener();
  const { network, names, dialled } = openInternet();
  const guard = createTargets("public", { network });
  for (const [i, address] of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.9.9.9"].entries()) {
    let asked = 0;
    // Every other answer is public: the first look says yes, the second would say this machine.
    names.set(`r${i}.acme.dev`, () => asked++ % 2 === 0 ? [PUBLIC] : [address]);
    const url = `https://r${i}.acme.dev:${listener.port}`;
    for (let round = 0; round < 10; round++) {
      const kind = asked % 2 === 0 ? "unreachable" : "forbidden";
      await rejects(
        guard.open(url, { signal }),
        (error) => error instanceof TargetError && error.kind === kind,
      );
    }
    equal(asked, 10, "each attempt asks once");
  }
  deepEqual(new Set(dialled), new Set([PUBLIC]));
  equal(await listener.count(), 0);
});

Deno.test("the ranges of addresses begin and end where they should", () => {
  for (const address of PUBLIC_ADDRESSES) equal(useOf(address), "public", address);
  for (const address of LOCAL_ADDRESSES) ok(useOf(address) !== "public", address);
  for (const address of ["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"]) {
    equal(useOf(address), "loopback", address);
  }
  for (const address of ["10.1.1.1", "172.20.0.1", "192.168.0.1", "fd00::1", "fc00::"]) {
    equal(useOf(address), "private", address);
  }
  // An IPv4 address that is written as IPv6 counts as itself, to the last one.
  for (const head of ["::ffff:", "64:ff9b::"]) {
    for (const [address, use] of [["127.0.0.1", "loopback"], ["192.168.0.1", "private"]] as const) {
      equal(useOf(head + address), use);
    }
    equal(useOf(`${head}223.255.255.255`), "public");
    equal(useOf(`${head}255.255.255.255`), "reserved");
  }
  // No policy lets these pass, not even one that allows private networks.
  for (const address of CLOUD_ADDRESSES) equal(useOf(address), "reserved", address);
  equal(isAddress("1:2:3:4:5:6:1.2.3.4"), true);
  equal(isAddress("1.2.3.4::"), false);
  equal(isAddress("::1.2.3.4:5"), false);
});

Deno.test("addresses are told from other text as Node tells them", () => {
  const parts = [
    "0",
    "00",
    "1",
    "7f",
    "ffff",
    "10000",
    "256",
    "255",
    ":",
    "::",
    ".",
    "%1",
    " ",
    "g",
  ];
  const text = fc.array(fc.constantFrom(...parts, ":", ".", "1.2.3.4"), { maxLength: 17 });
  const groups = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 })
    .map((all) => all.map((group) => group.toString(16)).join(":"));
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), groups, text.map((all) => all.join(""))), (one) => {
      equal(isAddress(one), isIP(one) !== 0 && !one.includes("%"), one);
    }),
    { numRuns: 5000 },
  );
});

Deno.test("an address is in the ranges that Node finds it in", () => {
  const lists = { reserved: new BlockList(), private: new BlockList(), loopback: new BlockList() };
  lists.loopback.addSubnet("127.0.0.0", 8, "ipv4");
  lists.private.addSubnet("172.16.0.0", 12, "ipv4");
  lists.private.addSubnet("fc00::", 7, "ipv6");
  lists.reserved.addSubnet("198.18.0.0", 15, "ipv4");
  lists.reserved.addSubnet("2001::", 23, "ipv6");
  const near = fc.constantFrom(
    ...["127", "172.16", "172.31", "172.32", "198.18", "198.19", "198.20"].map((head) =>
      fc.array(fc.nat(255), { minLength: 4, maxLength: 4 })
        .map((all) => [...head.split("."), ...all].slice(0, 4).join("."))
    ),
    ...["fc00", "fdff", "fe00", "2001:1ff", "2001:0", "2001:200"].map((head) =>
      fc.nat(0xffff).map((last) => `${head}::${last.toString(16)}`)
    ),
  ).chain((one) => one);
  const exceptions = ["fd00:ec2:", "fd20:ce:"];
  fc.assert(
    fc.property(near, (address) => {
      if (exceptions.some((one) => address.startsWith(one))) return;
      const kind = isIP(address) === 4 ? "ipv4" : "ipv6";
      for (const [use, list] of Object.entries(lists)) {
        if (list.check(address, kind)) equal(useOf(address), use, address);
      }
      if (useOf(address) === "public") {
        ok(Object.values(lists).every((list) => !list.check(address, kind)), address);
      }
    }),
    { numRuns: 2000 },
  );
});

Deno.test("the Internet is reached with a certificate that holds, and only so", async () => {
  using receiver = openReceiver(true);
  const internet = openInternet();
  internet.names.set(HOST, [PUBLIC]);
  internet.names.set("other.acme.dev", [PUBLIC]);
  internet.ports.set(PUBLIC, receiver.port);
  equal(await greet(`https://${HOST}/hooks`, "public", internet.network), "hello");
  equal(await greet(`https://${HOST}./hooks`, "public", internet.network), "hello");
  const bad: [string, typeof internet.network][] = [
    ["https://other.acme.dev/", internet.network],
    [`https://${HOST}/`, { ...internet.network, caCerts: [] }],
  ];
  for (const [url, network] of bad) {
    for (const policy of ["public", "loopback", "private"] as const) {
      const targets = createTargets(policy, { network });
      await rejects(targets.open(url, { signal }), /cannot be reached: invalid peer certificate/);
    }
  }
});

Deno.test("a local receiver with TLS is asked for HTTP/1.1, and a write that fails is an error", async () => {
  const listener = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    ...TLS,
    alpnProtocols: ["h2", "http/1.1"],
  });
  const accepted = listener.accept();
  const { port } = listener.addr;
  const to = { address: "127.0.0.1", port, signal, connected: () => {} };
  const [connection, conn] = await Promise.all([connectUnverified(to), accepted]);
  equal((await conn.handshake()).alpnProtocol, "http/1.1");
  equal(await connection.write(new Uint8Array(3)), 3);
  connection.close();
  await rejects(connection.write(new Uint8Array(3)));
  conn.close();
  listener.close();
});

Deno.test("a URL has at most 5,000 characters", () => {
  const { check } = createTargets("public");
  const longest = `https://${HOST}/`.padEnd(5000, "a");
  equal(check(longest).href, longest);
  throws(() => check(`${longest}a`), {
    name: "TargetError",
    kind: "forbidden",
    message: "must have at most 5000 characters",
  });
});

Deno.test("a host has the parts and the length of a name", () => {
  const { check } = createTargets("public");
  const label = "a".repeat(63);
  const name = `${`${label}.`.repeat(3)}${"b".repeat(57)}.dev`;
  equal(name.length, 253);
  for (const host of [name, `${label}.dev`, "a_b.dev", "a-b.dev", "1.dev"]) {
    equal(check(`https://${host}/`).hostname, host);
  }
  for (const host of [`b${name}`, `a${label}.dev`, "-a.dev", "a-.dev", "a..dev", "a,b.dev"]) {
    throws(() => check(`https://${host}/`), { message: "must name a host" }, host);
  }
});

Deno.test("a user's connection is used again for the same target, unless a new one is asked for", async () => {
  // The system accepts connections, and nobody closes them.
  using mute = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const time = openTime();
  const targets = createTargets("loopback", { time });
  const url = `http://127.0.0.1:${mute.addr.port}/`;
  const open = (options: { user?: string; isNew?: boolean } = {}) =>
    targets.open(url, { signal, ...options });
  const first = await open({ user: "ada" });
  equal(first.reused, false);
  first.keep(1000);
  const others = [await open({ user: "bob" }), await open({ user: "ada", isNew: true })];
  for (const other of [...others, await open()]) {
    equal(other.reused, false);
    other.close();
  }
  const again = await open({ user: "ada" });
  equal(again.reused, true);
  again.keep(1000);
  targets.close();
  equal(time.next(), undefined);
  const last = await open({ user: "ada" });
  equal(last.reused, false);
  last.close();
  const nobodys = await open();
  nobodys.keep(1000);
  await rejects(nobodys.write(new Uint8Array(1)));
});

Deno.test("the next address of a host is tried when one does not answer", async () => {
  using receiver = openReceiver(true);
  const { network, names, ports, dialled } = openInternet();
  names.set(HOST, ["8.8.4.4", "2600::1", PUBLIC]);
  ports.set(PUBLIC, receiver.port);
  equal(await greet(`https://${HOST}/`, "public", network), "hello");
  deepEqual(dialled, ["8.8.4.4", "2600::1", PUBLIC]);
});

Deno.test("a policy for development lets local targets pass, plain ones too, and nothing else", async () => {
  using plain = openReceiver(false);
  using secure = openReceiver(true);
  for (const policy of ["loopback", "private"] as const) {
    for (const host of ["127.0.0.1", "localhost", "a.localhost", "0x7f.1", "[::ffff:127.0.0.1]"]) {
      const internet = openInternet();
      for (const name of ["localhost", "a.localhost"]) internet.names.set(name, ["127.0.0.1"]);
      equal(await greet(`http://${host}:${plain.port}/`, policy, internet.network), "hello", host);
      equal(
        await greet(`https://${host}:${secure.port}/`, policy, internet.network),
        "hello",
        host,
      );
    }
  }
  const internet = openInternet();
  internet.names.set(HOST, [PUBLIC]);
  internet.names.set("nas.local", ["192.168.0.9"]);
  internet.names.set("cloud.acme.dev", ["169.254.169.254"]);
  internet.names.set("home.acme.dev", ["192.168.0.9"]);
  const opens = (policy: TargetPolicy, url: string) =>
    createTargets(policy, internet).open(url, { signal });
  for (const policy of ["loopback", "private"] as const) {
    await rejects(
      opens(policy, `http://${HOST}/`),
      /must begin with https:\/\/ unless the address is local/,
    );
    await rejects(opens(policy, "https://cloud.acme.dev/"), isForbidden);
    await rejects(opens(policy, "https://example.com/"), isForbidden);
    for (const url of ["ftp://localhost/", "localhost:4010/hooks", "http://"]) {
      await rejects(
        opens(policy, url),
        /begin with https:\/\/, or with http:\/\/ for a local address$/,
      );
    }
  }
  await rejects(opens("public", "ftp://localhost/"), /begin with https:\/\/$/);
  for (const url of ["http://nas.local/", "http://home.acme.dev/", "http://10.0.0.1/"]) {
    await rejects(opens("loopback", url), isForbidden, url);
    // The guard lets it pass, and nobody is there.
    await rejects(opens("private", url), /cannot be reached/, url);
  }
});

Deno.test("the machine's own network finds this machine, and keeps to the policy", async () => {
  using receiver = openReceiver(false);
  const url = `http://localhost:${receiver.port}/`;
  const connection = await createTargets("loopback").open(url, { signal });
  equal(connection.address, "127.0.0.1");
  connection.close();
  await createTargets("loopback").probe(url);
  await rejects(createTargets("public").probe(`https://localhost:${receiver.port}/`), isForbidden);
});

Deno.test("a probe waits so long and no longer", async () => {
  const mute = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = mute.accept();
  const internet = openInternet();
  internet.names.set(HOST, [PUBLIC]);
  internet.ports.set(PUBLIC, mute.addr.port);
  const guard = createTargets("public", { network: internet.network, probeMs: 20 });
  await rejects(guard.probe(`https://${HOST}/`), /did not respond in time/);
  (await accepted).close();
  mute.close();
});

Deno.test("whoever does not answer is given up when the signal says so", async () => {
  const mute = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const conns: Deno.Conn[] = [];
  const abort = new AbortController();
  void (async () => {
    for await (const conn of mute) {
      conns.push(conn);
      abort.abort();
    }
  })();
  const internet = openInternet();
  internet.names.set(HOST, [PUBLIC]);
  internet.ports.set(PUBLIC, (mute.addr as Deno.NetAddr).port);
  const late = /cannot be reached: it did not respond in time/;
  const guard = createTargets("public", internet);
  await rejects(guard.open(`https://${HOST}/`, { signal: abort.signal }), late);
  await rejects(guard.open(`https://${HOST}/`, { signal: abort.signal }), late);
  const never = { ...internet.network, resolve: () => new Promise<string[]>(() => {}) };
  const soon = new AbortController();
  const waiting = createTargets("public", { network: never }).open(`https://${HOST}/`, {
    signal: soon.signal,
  });
  soon.abort();
  await rejects(waiting, late);
  for (const conn of conns) conn.close();
  mute.close();
});
