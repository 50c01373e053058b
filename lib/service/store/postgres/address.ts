/**
 * The address of a database on a server: read, checked, and shown without its password.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { ConfigError } from "../../../errors.ts";
import { fileReason } from "../../../file_reason.ts";
import { isLoopbackHost } from "../../../loopback.ts";
import { shellWord } from "../../../config/shell_word.ts";

/** Where a database is, and how to get in. */
export interface Address {
  /** The server's name or address. */
  host: string;
  /** The server's port. */
  port: number;
  /** The name of the database. */
  database: string;
  /** Who signs in. */
  user: string;
  /** The password, if one is needed. */
  password: string | undefined;
  /** How the connection is encrypted. False: not at all. */
  ssl: false | { ca?: string; rejectUnauthorized: boolean; servername?: string };
  /** Whether it is not encrypted on the way to another machine, and the address does not say so. */
  isPlainUnasked: boolean;
  /** How long to wait for a connection, in milliseconds: 1,000 to 600,000. */
  connectMs: number;
  /** What is between the service and the server and shares connections, where that is known. */
  pooler?: "transaction";
  /** The address for people and for PostgreSQL's own programs: no password in it. */
  shown: string;
}

const PORT = 5432;
const MOST_PORT = 65_535;

/** How long to wait for a connection, in seconds, unless the address says more or less. */
const CONNECT_SECONDS = 3;

/** The longest time that an address can ask for, in seconds. */
const MOST_SECONDS = 600;

/** What `sslmode` may be. */
const MODES = ["disable", "require", "verify-full"] as const;

/** What may stand behind the question mark, here and for PostgreSQL's own programs. */
const COMMON = ["sslmode", "sslrootcert", "passfile", "connect_timeout"];
const PARAMETERS = [...COMMON, "pooler"];

/**
 * Reads an address such as `postgres://user@host:5432/name?sslmode=verify-full&sslrootcert=ca.pem`.
 * The password is in it, or in the file that `passfile` names, as PostgreSQL's own programs have it.
 *
 * @throws {ConfigError} when it is none, or a file that it names cannot be read.
 */
export function readAddress(text: string): Address {
  const url = parse(text);
  if (!url) {
    // It is not clear what of it is a password, so nothing of it is shown.
    const message =
      "Cannot use the database: its address is not one like postgres://user@host/name";
    throw new ConfigError(message, { hint: formHint(text) });
  }
  const shown = shownOf(url);
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) {
    throw unusable(
      shown,
      `the parameter ${JSON.stringify(unknown)} is unknown; the known ones are ${
        PARAMETERS.join(", ")
      }`,
    );
  }
  const place = {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? PORT : Number(url.port),
    database: decodeURIComponent(url.pathname.slice(1)) || "postgres",
    user: decodeURIComponent(url.username) || "postgres",
  };
  const passfile = url.searchParams.get("passfile");
  const password = url.password !== ""
    ? decodeURIComponent(url.password)
    : passfile === null
    ? undefined
    : passwordIn(readFile(shown, "passfile", passfile), place);
  const connectMs = connectMsOf(url, shown);
  const ssl = encryptionOf(url, shown);
  const isPlainUnasked = ssl === false && !url.searchParams.has("sslmode") &&
    !isLoopbackHost(url.hostname);
  return { ...place, password, ssl, isPlainUnasked, connectMs, ...poolerOf(url, shown), shown };
}

/** What follows the scheme: who signs in, where, and the rest. */
const PARTS = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)(.*)$/s;

/** What to write in place of a text that is no address. */
function formHint(text: string): string {
  if (!/^postgres(ql)?:\/\//i.test(text)) {
    return "The address must begin with postgres:// or postgresql://";
  }
  const [, hosts = "", rest = "@"] = PARTS.exec(text) ?? [];
  // Behind an `@` in the rest, these hosts are a part of a password.
  if (!rest.includes("@")) {
    if (hosts.includes(",")) {
      return "Several hosts are not supported: pass one, such as the name that always leads to the " +
        "server that takes writes";
    }
    if (hosts === "" || /^%2f/i.test(hosts)) {
      return "Sockets are not supported: pass the host that the server listens on, such as 127.0.0.1";
    }
    const [, port = ""] = /:([^:\]]*)$/.exec(hosts) ?? [];
    if (!/^\d*$/.test(port) || Number(port) > MOST_PORT) {
      return `The port must be between 1 and ${MOST_PORT}`;
    }
  }
  return "In a password, write special characters as hexadecimal digits, such as %2F for /";
}

/** How long an address lets a connection take, in milliseconds. */
function connectMsOf(url: URL, shown: string): number {
  const text = url.searchParams.get("connect_timeout") ?? String(CONNECT_SECONDS);
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= MOST_SECONDS) return seconds * 1000;
  const why = `connect_timeout is ${JSON.stringify(text)}; it must be 1 to ${MOST_SECONDS} seconds`;
  throw unusable(shown, why);
}

/** What an address says of a pooler. */
function poolerOf(url: URL, shown: string): Pick<Address, "pooler"> {
  const pooler = url.searchParams.get("pooler");
  if (pooler === null) return {};
  if (pooler === "transaction") return { pooler };
  throw unusable(shown, `pooler is ${JSON.stringify(pooler)}; it must be transaction`);
}

/** An address for people: no password in it, and no parameter that may be one. */
function shownOf(address: URL): string {
  const url = new URL(address);
  url.password = "";
  for (const name of [...url.searchParams.keys()]) {
    if (!COMMON.includes(name)) url.searchParams.delete(name);
  }
  return url.href;
}

/** The parts of an address. Undefined when it is none, or its password is not encoded. */
function parse(text: string): URL | undefined {
  const url = URL.parse(text);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) return undefined;
  if (url.hostname === "" || /,|^%2f/i.test(url.hostname)) return undefined;
  // A `/`, `?` or `#` in a password ends the host too early.
  const behind = [url.pathname, ...url.searchParams.keys()];
  if (url.hash !== "" || behind.some((part) => part.includes("@"))) return undefined;
  try {
    [url.username, url.password, url.pathname].forEach(decodeURIComponent);
    return url;
  } catch {
    return undefined;
  }
}

/** The command that makes a database. */
export function createHint({ host, port, user, database }: Address): string {
  const words = ["createdb", "--encoding", "UTF8", "--host", host, "--port", String(port)];
  return [...words, "--username", user, database].map((word) => shellWord(word)).join(" ");
}

/** Whether an address contains a password. */
export function hasPassword(text: string): boolean {
  return (URL.parse(text)?.password ?? "") !== "" || /\/\/[^/@]*:[^/@]+@/.test(text);
}

function encryptionOf(url: URL, shown: string): Address["ssl"] {
  const ca = url.searchParams.get("sslrootcert");
  const mode = url.searchParams.get("sslmode") ?? (ca === null ? "disable" : "verify-full");
  if (!MODES.some((known) => known === mode)) {
    throw unusable(
      shown,
      `sslmode is ${JSON.stringify(mode)}; it must be one of ${MODES.join(", ")}`,
    );
  }
  if (mode === "disable") return false;
  return {
    rejectUnauthorized: mode === "verify-full",
    ...ca !== null && { ca: readFile(shown, "sslrootcert", ca) },
  };
}

/** The password for a place, in a file with lines of `host:port:database:user:password`. */
function passwordIn(
  text: string,
  { host, port, database, user }: Pick<Address, "host" | "port" | "database" | "user">,
): string | undefined {
  const wanted = [host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line === "" || line.startsWith("#")) continue;
    const fields = line.match(/(?:\\.|[^:\\])*(?::|$)/g)?.map((field) =>
      field.replace(/:$/, "").replace(/\\(.)/g, "$1")
    ) ?? [];
    const fits = wanted.every((value, i) =>
      fields[i] === "*" || fields[i] === value
    );
    if (fits) return fields[4];
  }
  return undefined;
}

/** What the files are that an address can name. */
const FILES = {
  passfile: "a file with lines of host:port:database:user:password",
  sslrootcert: "the certificate of the server's authority, in PEM",
} as const;

function readFile(shown: string, parameter: keyof typeof FILES, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unusable(
      shown,
      `cannot read ${JSON.stringify(path)}: ${fileReason(error)}`,
      `The parameter ${parameter} must name ${FILES[parameter]}, which the user of this program ` +
        "can read",
    );
  }
}

function unusable(
  shown: string,
  why: string,
  hint = "Pass an address like postgres://user@host:5432/name",
): ConfigError {
  return new ConfigError(`Cannot use the database ${JSON.stringify(shown)}: ${why}`, { hint });
}
