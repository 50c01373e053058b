/** `compose.yaml` and its balancer, as far as they can be checked without Docker. */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { VERSION } from "../lib/version.ts";
import { STOP_MS } from "../lib/service/serve.ts";
import { openDesk } from "./support/harness.ts";

/** A service of the file, by the fields that are checked. */
interface ComposeService {
  /** Its image, with a tag. */
  image: string;
  /** Its words after the program. */
  command?: string[];
  /** Its variables. */
  environment?: Record<string, string>;
  /** The secrets that it can read. */
  secrets?: string[];
  /** How its health is checked. */
  healthcheck?: { test: string[] };
  /** How long a stop may take. */
  stop_grace_period?: string;
  /** What must be healthy before it. */
  depends_on?: Record<string, { condition: string }>;
}

/** The file. */
interface Compose {
  /** The services by name. */
  services: Record<string, ComposeService>;
  /** The secrets by name. */
  secrets: Record<string, { file: string }>;
  /** The volumes by name. */
  volumes: Record<string, unknown>;
  /** The networks by name. */
  networks: { default: { ipam: { config: { subnet: string }[] } } };
}

const text = await Deno.readTextFile(new URL("../compose.yaml", import.meta.url));
const nginx = await Deno.readTextFile(new URL("../docs/compose/nginx.conf", import.meta.url));
const { parse } = await import("yaml");
const compose: Compose = parse(text, { merge: true });
const services = Object.entries(compose.services);

/** The services that run this program. */
const own = services.filter(([, { image }]) => image.startsWith("cli:"));

Deno.test("compose.yaml has a database, two processes for requests, a worker and a balancer", () => {
  deepEqual(services.map(([name]) => name), ["database", "api1", "api2", "worker", "balancer"]);
  for (const [name, { image, healthcheck, depends_on = {} }] of services) {
    match(image, /^[a-z]+:\d+\.\d+(\.\d+)?$/, `${name} has a pinned version`);
    match(healthcheck?.test[0] ?? "", /^CMD$/, `${name} has a health check, without a shell`);
    for (const [other, { condition }] of Object.entries(depends_on)) {
      equal(condition, "service_healthy");
      ok(compose.services[other]?.healthcheck, other);
    }
  }
  const [, major = ""] = /^postgres:(\d+)/.exec(compose.services.database?.image ?? "") ?? [];
  ok(Number(major) >= 15);
  for (const [name, { image }] of own) equal(image, `cli:${VERSION}`, name);
});

Deno.test("compose.yaml has no password of its own", () => {
  // A variable without a value stops the start; none has a default.
  for (const [whole] of text.matchAll(/\$\{[^}]*\}/g)) match(whole, /^\$\{[A-Z_]+:\?[^}]+\}$/);
  for (const [name, { file }] of Object.entries(compose.secrets)) {
    match(file, /^\.\/secrets\//, name);
  }
  for (const [name, { environment = {}, secrets = [] }] of services) {
    for (const secret of secrets) ok(compose.secrets[secret], `${name} uses ${secret}`);
    for (const [variable, value] of Object.entries(environment)) {
      if (/PASSWORD|SECRET|KEY/.test(variable)) match(value, /^\/run\/secrets\/|^\$\{/, variable);
      match(value, /^(?!.*:\/\/[^/@]*:[^/@]+@)/, "no password in an address");
      const [, secret] = /\/run\/secrets\/(\w+)/.exec(value) ?? [];
      ok(secret === undefined || secrets.includes(secret), `${name} may read ${secret}`);
    }
  }
});

Deno.test("the program takes the variables and the commands of compose.yaml", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/passfile`, "*:*:*:subs:hidden\n", { mode: 0o600 });
    deepEqual(own.map(([name]) => name), ["api1", "api2", "worker"]);
    for (const [name, { command = [], environment = {} }] of own) {
      const names = Object.keys(environment);
      deepEqual(names, [
        "CLI_SERVICE_DATABASE",
        "CLI_SERVICE_ADMIN_SECRET",
        "CLI_SERVICE_METRICS_SECRET",
      ]);
      await using desk = await openDesk();
      // The same address, at a port where nothing listens.
      desk.env.CLI_SERVICE_DATABASE = String(environment.CLI_SERVICE_DATABASE)
        .replace("database:5432", "127.0.0.1:1").replace("/run/secrets", folder);
      desk.env.CLI_SERVICE_ADMIN_SECRET = "adm_of_all_processes";
      desk.env.CLI_SERVICE_METRICS_SECRET = "met_of_all_processes";
      const words = command.map((word) =>
        word.startsWith("${PUBLIC_URL") ? "https://subs.example.com" : word
      );
      const { err } = await desk.run(...words, "--port", "0");
      // Flags, exposure and the password file are accepted: only the server is missing.
      const { level, message } = JSON.parse(err);
      equal(level, "error");
      match(message, /^Cannot open the database "postgres:\/\/subs@127\.0\.0\.1:1\/subs\?/, name);
      ok(!err.includes("hidden"));
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a stop in containers may drain, and then take as long as the service does", () => {
  for (const [name, { command = [], stop_grace_period = "" }] of own) {
    const at = command.indexOf("--drain");
    ok(at >= 0, name);
    const drain = Number(command[at + 1]);
    equal(drain > 0, name !== "worker", name);
    const grace = Number(/^(\d+)s$/.exec(stop_grace_period)?.[1]);
    ok(grace * 1000 > drain * 1000 + STOP_MS, name);
  }
});

Deno.test("Prometheus can ask each process of compose.yaml for its metrics, as the documents say", async () => {
  const operating = await Deno.readTextFile(new URL("../docs/operating.md", import.meta.url));
  const job = / +- job_name: subscriptions-compose\n[^`]*/.exec(operating)?.[0] ?? "";
  const [{ static_configs: [{ targets }], authorization }] = parse(job);
  deepEqual(targets, own.map(([name]) => `${name}:4010`));
  ok(authorization.credentials_file);
  for (const [name, { command = [] }] of own) {
    const names = command.filter((_, i) => command[i - 1] === "--name");
    ok(names.includes(name), `${name} accepts its own name`);
    equal(command[command.indexOf("--host") + 1], "0.0.0.0", name);
  }
});

Deno.test("nginx keeps host and port of a request, in compose.yaml as in the documents", async () => {
  const operating = await Deno.readTextFile(new URL("../docs/operating.md", import.meta.url));
  for (const [name, text] of [["nginx.conf", nginx], ["operating.md", operating]] as const) {
    // `$host` has no port, so the origin of a page on another port than 443 would look foreign.
    for (const header of ["Host $http_host;", "X-Forwarded-Proto $scheme;", "X-Forwarded-For "]) {
      ok(text.includes(`proxy_set_header ${header}`), `${name}: ${header}`);
    }
  }
});

Deno.test("the balancer passes requests to the two processes, as a proxy that they trust", () => {
  const servers = [...nginx.matchAll(/^ +server (\w+):(\d+) /gm)].map((
    [, name, port],
  ) => [name, port]);
  deepEqual(servers, [["api1", "4010"], ["api2", "4010"]]);
  // Otherwise an outage of the database would show as a 502 without a time to try again.
  match(nginx, /^ +proxy_next_upstream error timeout;$/m);
  const balancer = /ipv4_address: ([\d.]+)/.exec(text)?.[1];
  equal(balancer?.split(".").slice(0, 3).join("."), "172.28.0");
  equal(compose.networks.default.ipam.config[0]?.subnet, "172.28.0.0/24");
  for (const name of ["api1", "api2"]) {
    const { command = [] } = compose.services[name] ?? { command: [] };
    equal(command[command.indexOf("--trust-proxy") + 1], balancer);
  }
  for (const [, secret = ""] of nginx.matchAll(/\/run\/secrets\/(\w+)/g)) {
    ok(compose.services.balancer?.secrets?.includes(secret), secret);
  }
});
