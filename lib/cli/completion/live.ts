/**
 * Ids of a project's objects, for completion.
 *
 * @module
 */

import { createClient } from "../../client.ts";
import { resolveConnection, type Surroundings } from "../../connect.ts";
import { writePrivateText } from "../../config/write_files.ts";
import { readPrivateJson } from "../../config/private_json.ts";
import { homeFile } from "../../config/surroundings.ts";
import { makePrivateFolder } from "../../config/write_files.ts";
import { dirname } from "../../config/paths.ts";
import { LARGEST_PAGE } from "../../page.ts";
import { type Path, path } from "../../path.ts";
import type { Globals, World } from "../context.ts";
import type { Proposal } from "./proposal.ts";

/** The time limit of requests, in milliseconds, since a person who pressed Tab waits. */
const LONGEST_MS = 150;

/** How long ids are kept, in milliseconds. */
const KEPT_MS = 60_000;

/**
 * The remaining lifetime that a token needs to be used, in milliseconds. Others would be renewed.
 */
const VALID_MS = 90_000;

/** Where ids of a kind are, and which fields say what. */
interface Source {
  /** The list. */
  path: Path;
  /** The field that is typed. */
  value: string;
  /** The fields that describe it. */
  meaning: readonly string[];
}

const BY_KEY = { value: "lookup_key", meaning: ["display_name"] };
const BY_ID = { value: "id", meaning: ["display_name", "name"] };

/** The sources. */
export const LIVE = {
  projects: { path: path`/v2/projects`, ...BY_ID },
  apps: { path: path`/apps`, ...BY_ID },
  products: { path: path`/products`, value: "id", meaning: ["store_identifier", "display_name"] },
  entitlements: { path: path`/entitlements`, ...BY_KEY },
  offerings: { path: path`/offerings`, ...BY_KEY },
  packages: { path: path`/packages`, value: "id", meaning: ["lookup_key", "display_name"] },
  paywalls: { path: path`/paywalls`, ...BY_ID },
  customers: { path: path`/customers`, value: "id", meaning: [] },
  currencies: { path: path`/virtual_currencies`, value: "code", meaning: ["name"] },
  webhooks: { path: path`/integrations/webhooks`, ...BY_ID },
} satisfies Record<string, Source>;

/** A kind of ids. */
export type LiveKind = keyof typeof LIVE;

/** The ids of a kind, from the last minute or from the service. None when anything is in the way. */
export async function liveValues(
  kind: LiveKind,
  { profile, projectId }: Globals,
  world: World,
): Promise<Proposal[]> {
  const signal = AbortSignal.any([world.signal, AbortSignal.timeout(LONGEST_MS)]);
  const around = readingOnly(world.around);
  const { baseUrl, project, credential, client } = await resolveConnection(around, {
    profile,
    projectId,
    signal,
    retries: 0,
    timeoutMs: LONGEST_MS,
  });
  if (!credential || !isValid(credential.expiresAtMs, around)) return [];
  const key = [baseUrl.value, project?.id ?? "", credential.preview, kind].join(" ");
  const file = homeFile(world.around, "cache", "completion.json");
  const kept = await readKept(file, world.around);
  const known = kept[key];
  if (known) return known.values;
  const values = await Promise.race([ask(client, LIVE[kind]), ended(signal)]);
  await keep(file, { ...kept, [key]: { at: around.now(), values } }, world.around);
  return values;
}

/** The machine, with nothing said, nothing asked, and no request but reads of the API. */
function readingOnly(around: Surroundings): Surroundings {
  const send = around.fetch ?? ((request: Request) => fetch(request));
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(around),
    warn: { value: () => {} },
    log: { value: () => {} },
    announceWait: { value: undefined },
    confirmFolder: { value: undefined },
    readOnly: { value: true },
    fetch: {
      value: (request: Request) => {
        const isRead = request.method === "GET" && /\/v2\/projects/.test(request.url);
        if (!isRead) throw new TypeError("Completion only reads");
        return send(request);
      },
    },
  });
}

/** Whether a token can be used as it is. One from the environment has no time here. */
function isValid(expiresAtMs: number | undefined, { now }: Surroundings): boolean {
  return expiresAtMs === undefined || expiresAtMs - now() > VALID_MS;
}

/** Rejects when the signal fires. */
function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Reads one page. */
async function ask(
  client: ReturnType<typeof createClient>,
  { path, value, meaning }: Source,
): Promise<Proposal[]> {
  const page = await client.get<{ items?: unknown }>(path, { query: { limit: LARGEST_PAGE } });
  const items: unknown[] = Array.isArray(page.items) ? page.items : [];
  return items.flatMap((item): Proposal[] => {
    const fields: Record<string, unknown> = typeof item === "object" ? { ...item } : {};
    const id = fields[value];
    const said = meaning.map((field) => fields[field]).filter((one) => typeof one === "string");
    return typeof id === "string" ? [{ value: id, meaning: said.join(", ") }] : [];
  });
}

/** Ids of one kind, and when they were read. */
interface Kept {
  /** In milliseconds since 1970. */
  at: number;
  /** The ids. */
  values: Proposal[];
}

/** The ids that are young enough. */
async function readKept(
  file: string | undefined,
  around: Surroundings,
): Promise<Record<string, Kept>> {
  const content = file === undefined ? undefined : await readPrivateJson(file, around);
  const now = around.now();
  const young = Object.entries(content ?? {}).filter((entry): entry is [string, Kept] =>
    isKept(entry[1]) && entry[1].at <= now && now - entry[1].at < KEPT_MS
  );
  return Object.fromEntries(young);
}

/** Whether a value of the file has this version's form. */
function isKept(value: unknown): value is Kept {
  return typeof value === "object" && value !== null && "at" in value &&
    typeof value.at === "number" && "values" in value && Array.isArray(value.values) &&
    value.values.every((one: unknown) =>
      typeof one === "object" && one !== null && "value" in one && typeof one.value === "string" &&
      "meaning" in one && typeof one.meaning === "string"
    );
}

/** Keeps ids for a minute. That they cannot be kept is no reason to fail. */
async function keep(
  file: string | undefined,
  content: Record<string, Kept>,
  around: Surroundings,
): Promise<void> {
  if (file === undefined) return;
  try {
    await makePrivateFolder(dirname(file), around);
    await writePrivateText(file, JSON.stringify(content), around);
  } catch {
    // The next Tab asks the service again.
  }
}
