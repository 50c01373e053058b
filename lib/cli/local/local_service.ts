/**
 * Finds the local service, and acts as its administrator.
 *
 * @module
 */

import { join } from "../../config/paths.ts";
import { isLoopback } from "../../address.ts";
import { Cancelled, ConfigError, NetworkError, ToolkitError, UsageError } from "../../errors.ts";
import type { Client } from "../../client.ts";
import type { Context } from "../context.ts";
import { text } from "../words/parameters.ts";
import { quoted } from "../screen/command_lines.ts";

/** The value of `--data` for a service that keeps its data in memory. */
export const MEMORY = ":memory:";

/** The flag that names the data folder. */
export const dataFlag = {
  data: text("The data folder (default: ~/.cli/service)", { placeholder: "dir" }),
};

/** A client that acts as the administrator of the local service. */
export async function adminClient(context: Context, data: string | undefined): Promise<Client> {
  const { baseUrl, secret } = await adminOf(context, data);
  const { createClient } = await import("../../client.ts");
  const { fetch } = context.around;
  return createClient({
    baseUrl,
    credential: secret,
    signal: context.signal,
    ...fetch && { fetch },
  });
}

/** The data folder. */
export function folderOf(context: Context, data: string | undefined): string {
  if (data === MEMORY) {
    throw new UsageError(
      "Cannot use :memory: as the data folder: only the process that started it can read it",
    );
  }
  if (data !== undefined) return data;
  const { home } = context.around;
  if (home) return join(home, ".cli", "service");
  throw new ConfigError("Cannot find the data folder: no home folder is known", {
    hint: "Pass --data DIR.",
  });
}

/**
 * The address of the local service and its admin secret: from the data folder if given, else from
 * `CLI_SERVICE_ADMIN_SECRET`, else from the default data folder.
 */
export async function adminOf(
  context: Context,
  data: string | undefined,
): Promise<{ baseUrl: string; secret: string }> {
  const secret = data === undefined && context.around.env("CLI_SERVICE_ADMIN_SECRET");
  if (secret) return { baseUrl: (await context.connection()).baseUrl.value, secret };
  const folder = folderOf(context, data);
  const { readAddress } = await import("../../service/store/lock.ts");
  const { held, address } = await readAddress(folder);
  if (!held) throw await notRunning(context, data, address);
  if (!address) throw withoutAddress(folder);
  const { readSecret } = await import("../../service/http/admin_secret.ts");
  return { baseUrl: address.base_url, secret: await readSecret(folder) };
}

/** The hint for a running service with an unknown address. */
export const FIND_ADDRESS = "Stop that service with Ctrl-C in its terminal, and start it again.";

/** The error for a folder whose running service has not stored its address. */
function withoutAddress(folder: string): NetworkError {
  return new NetworkError(
    `Cannot reach the local service: one is running with the data in ${folder}, but its address ` +
      "is unknown (service.json is missing)",
    { hint: FIND_ADDRESS },
  );
}

/**
 * The error for a folder without a running service, with the address of its last one. When nobody
 * named the folder and a service answers, its data is elsewhere, and the hint says how to reach it.
 */
export async function notRunning(
  context: Context,
  data: string | undefined,
  left: { base_url: string } | undefined,
): Promise<NetworkError> {
  const folder = folderOf(context, data);
  const message =
    `Cannot reach the local service: no service is running with the data in ${folder}`;
  const other = data === undefined ? await runningElsewhere(context) : undefined;
  if (other !== undefined) {
    return new NetworkError(message, {
      hint: `The service at ${other} has other data: pass its folder with --data DIR, or set ` +
        "CLI_SERVICE_ADMIN_SECRET",
    });
  }
  // The current settings name this port, so another one would not be found.
  const address = left?.base_url ?? context.around.env("CLI_BASE_URL") ?? "";
  const [, port = "4010"] = /^http:\/\/(?:127\.0\.0\.1|localhost):(\d+)\/?$/.exec(address) ?? [];
  const where = (port === "4010" ? "" : ` --port ${port}`) +
    sameData(data);
  return new NetworkError(message, { hint: `Start it with: cli service start${where}` });
}

/** The address of the settings, if a service of this machine answers there. */
async function runningElsewhere(context: Context): Promise<string | undefined> {
  const { around, signal } = context;
  try {
    const { baseUrl: { value } } = await context.connection();
    if (!isLoopback(value)) return undefined;
    const { recognizeService } = await import("../../auth/discovery.ts");
    await recognizeService({ baseUrl: value, around, signal });
    return value;
  } catch (error) {
    // This look only improves a hint.
    if (!(error instanceof ToolkitError) || error instanceof Cancelled) throw error;
    return undefined;
  }
}

/** The flag that makes another command mean the same data, for hints. */
export function sameData(data: unknown): string {
  return typeof data === "string" ? ` --data ${quoted(data)}` : "";
}
