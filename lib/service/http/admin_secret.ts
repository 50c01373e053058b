/**
 * The admin secret in a data folder. It gives access to `/_sim`.
 *
 * @module
 */

import { sharedMode } from "../../file_mode.ts";
import { fileReason } from "../../file_reason.ts";
import defer * as nodeCrypto from "node:crypto";
import { join } from "../../config/paths.ts";
import { replaceFile } from "../../config/durable_file.ts";
import { ConfigError } from "../../errors.ts";
import { Refusal } from "../contract/errors.ts";
import { newToken, sha256Hex } from "../records/ids.ts";
import { SECRET } from "../store/data_folder.ts";
import type { Others, Store } from "../store/mod.ts";

/** The form of a secret: 256 bits after the prefix. */
const FORM = /^adm_[A-Za-z0-9_-]{43}$/;

/**
 * The folder's admin secret, created at the first start. The caller holds the folder's lock. A full
 * disk or a power cut at the first start can leave an empty file; it is replaced.
 *
 * @throws {ConfigError} when others can read the file, or its content is no secret.
 */
export async function keepSecret(folder: string): Promise<string> {
  const file = join(folder, SECRET);
  if (await isEmptyOrMissing(file)) {
    try {
      await replaceFile(file, `${newToken("adm_")}\n`);
    } catch (error) {
      throw unusable("write", file, error);
    }
  }
  return await readSecret(folder);
}

/**
 * The admin secret in a data folder.
 *
 * @throws {ConfigError} when the file is missing, damaged or readable by others.
 */
export async function readSecret(folder: string): Promise<string> {
  const file = join(folder, SECRET);
  let text: string;
  try {
    refuseReadable(file, await Deno.stat(file));
    text = (await Deno.readTextFile(file)).trim();
  } catch (error) {
    throw unusable("read", file, error);
  }
  if (FORM.test(text)) return text;
  throw new ConfigError(
    `Cannot use ${JSON.stringify(file)}: it ${
      text === "" ? "is empty" : "contains no admin secret"
    }`,
    { hint: "Stop the service, delete the file, and start it again. It creates a new secret." },
  );
}

/** The secrets that a process accepts: its own, and the one before that while it is changed. */
export function secretsOf(secret: string, former: string | undefined): string[] {
  return former ? [secret, former] : [secret];
}

/** A database, with what is used of the other processes. */
export type SharedStore = Pick<Store, "read" | "write"> & {
  others: Pick<Others, "holder" | "alive"> | undefined;
};

/**
 * Compares the secret with those of the other processes on the database. Closes the store when that
 * fails.
 *
 * @throws {ConfigError} when one of them has another secret.
 */
export async function agreeWithOthers(
  store: SharedStore & Pick<Store, "close">,
  secrets: { adminSecret?: string | undefined; formerAdminSecret?: string | undefined },
  now: number,
): Promise<void> {
  const { adminSecret, formerAdminSecret } = secrets;
  // One that was made up here is told to nobody else.
  if (!store.others || adminSecret === undefined) return;
  try {
    const { agreeOnSecret } = await import("./shared_secret.ts");
    await agreeOnSecret(store, { adminSecret, formerAdminSecret, now });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Whether a caller sent the secret. An empty secret never matches. */
export function isSecret(given: string, secret: string): boolean {
  if (given === "" || secret === "") return false;
  // Hashes have one length, so the comparison takes constant time.
  const hashOf = (text: string) => new TextEncoder().encode(sha256Hex(text));
  return nodeCrypto.timingSafeEqual(hashOf(given), hashOf(secret));
}

/** Whether the caller of a request sent one of some secrets. */
export function hasSecret({ headers }: Request, secrets: readonly string[]): boolean {
  const given = headers.get("Authorization")?.replace(/^Bearer /i, "") ?? "";
  return secrets.some((secret) => isSecret(given, secret));
}

/**
 * Refuses a secret for the metrics that also opens everything else: it may travel without TLS.
 *
 * @throws {ConfigError} when it is the admin secret, or the one before it.
 */
export function refuseSame(metricsSecret: string, adminSecrets: readonly string[]): void {
  if (!adminSecrets.some((secret) => isSecret(metricsSecret, secret))) return;
  throw new ConfigError(
    "Cannot start the service: the secret for the metrics is the admin secret",
    {
      hint:
        "It may travel without TLS. Set CLI_SERVICE_METRICS_SECRET to a text of its own, such as " +
        "the output of: openssl rand -hex 32",
    },
  );
}

/** Refuses callers without one of some secrets: the present admin secret, the one before it, others. */
export function requireSecret(
  request: Request,
  secrets: readonly string[],
  needed = "The admin secret is required",
): void {
  if (hasSecret(request, secrets)) return;
  throw new Refusal(401, "authentication_error", needed);
}

async function isEmptyOrMissing(file: string): Promise<boolean> {
  try {
    const { isFile, size } = await Deno.stat(file);
    return isFile && size === 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw unusable("read", file, error);
  }
}

/** The error for a secret that cannot be read or written. */
function unusable(action: "read" | "write", file: string, error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  const why = fileReason(error);
  return new ConfigError(`Cannot ${action} the admin secret in ${JSON.stringify(file)}: ${why}`, {
    hint: action === "read"
      ? "Start the service once with: cli service start"
      : "Use a writable folder with free space: cli service start --data DIR",
    cause: error,
  });
}

/** Refuses a secret that others can read. Windows has neither owners nor modes of this kind. */
function refuseReadable(file: string, { mode, uid, isFile }: Deno.FileInfo): void {
  if (!isFile) {
    throw new ConfigError(`Cannot use ${JSON.stringify(file)}: it is not a file`, {
      hint: "Move it away. The next start creates a secret.",
    });
  }
  const shared = sharedMode(mode);
  if (uid === null || shared === undefined) return;
  throw new ConfigError(`Cannot use ${JSON.stringify(file)}: other users can read it (${shared})`, {
    hint: "Delete it, since others may have read it. The next start creates a new secret.",
  });
}
