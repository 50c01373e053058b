/**
 * Programs of a user who has installed the package from npm. They are texts, since they import the
 * package by its name, which is known only in their folder.
 *
 * @module
 */

/** Uses all parts of the library, and prints the results as JSON. */
export const LIBRARY_PROGRAM = `
import {
  ApiError, connect, createOffering, each, listOfferings, listProfiles, NetworkError, readProfile,
  removeProfile, saveProfile, setActive, systemSurroundings, verifyWebhook,
} from "@svc/cli";

const outcome = {};
const client = await connect();
const offering = { lookup_key: process.env.TRY_KEY, display_name: "Tried" };
outcome.created = (await createOffering(client, offering)).lookup_key;
const again = await createOffering(client, offering).catch((error) => error);
outcome.conflict = [again instanceof ApiError, again.status];
const walked = [];
for await (const { lookup_key } of each(client, listOfferings(client, { limit: 1 }))) {
  walked.push(lookup_key);
}
outcome.walked = walked.length > 2 && walked.includes(process.env.TRY_KEY);

const { HOME: home, CLI_BASE_URL: base_url, CLI_REFRESH_TOKEN: refresh_token } = process.env;
const around = {
  ...systemSurroundings(),
  env: (name) => name === "CLI_PROJECT_ID" ? process.env.CLI_PROJECT_ID : undefined,
};
const stored = { access_token: "atk_gone", expires_at_ms: 0, refresh_token, base_url };
await saveProfile(around, { name: "work", ...stored });
await setActive(around, "work");
const signedIn = await connect({ surroundings: around });
outcome.signedIn = (await listOfferings(signedIn)).items.length > 2;
const { access_token, expires_at_ms } = await readProfile(around, "work");
outcome.renewed = access_token.startsWith("atk_") && expires_at_ms > Date.now();
outcome.removed = await removeProfile(around, "work");
outcome.profiles = (await listProfiles(around)).length;

const { headers, body, secret } = JSON.parse(process.env.TRY_WEBHOOK);
const request = () => new Request("http://receiver.test/", { method: "POST", headers, body });
outcome.event = (await verifyWebhook(request(), secret)).id;
outcome.forged = await verifyWebhook(request(), secret.replace(/.{9}$/, "AAAAAAAA=")).then(
  () => "taken",
  (error) => error.name,
);

const nowhere = await connect({ baseUrl: process.env.TRY_CLOSED, retries: 0 });
const failed = await listOfferings(nowhere).catch((error) => error);
outcome.unreachable = [failed instanceof NetworkError, failed.message, failed.hint];
console.log(JSON.stringify(outcome));
`;

/** The program's output, on every runtime. */
export const LIBRARY_OUTCOME = {
  conflict: [true, 409],
  walked: true,
  signedIn: true,
  renewed: true,
  removed: true,
  profiles: 0,
  event: "e1",
  forged: "AuthError",
};

/**
 * Reads an answer whose body never comes. Nothing but its time limit keeps the program running.
 */
export const STALLED_PROGRAM = `
import { createClient, path } from "@svc/cli";

const fetch = async () => new Response(new ReadableStream());
const client = createClient({ baseUrl: "http://127.0.0.1:1", fetch, silenceMs: 100, retries: 0 });
const failed = await client.get(path\`/v2/projects\`).catch((error) => error);
console.log(failed.message);
`;

/**
 * Counts in a file, under a lock. Arguments: the module of the lock, the file, the number of times.
 */
export const LOCK_PROGRAM = `
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { pathToFileURL } from "node:url";

const [module, file, times] = process.argv.slice(2);
const { withLock } = await import(pathToFileURL(module).href);
for (let i = 0; i < Number(times); i++) {
  await withLock(file + ".lock", {}, undefined, async () => {
    const count = Number(await readFile(file, "utf8"));
    await new Promise((resolve) => setTimeout(resolve, 3));
    await writeFile(file, String(count + 1));
  });
}
`;

/** A program for the type checker. Each marked line must be refused. */
export const TYPED_PROGRAM = `
import { type Client, connect, each, listOfferings, type Offering, verifyWebhook } from "@svc/cli";

const client: Client = await connect({ projectId: "proj1", timeoutMs: 5_000 });
for await (const offering of each(client, listOfferings(client))) {
  const key: string = offering.lookup_key;
  const current: boolean = offering.is_current;
  console.log(key, current);
}
export async function receive(request: Request): Promise<string> {
  const { type, id } = await verifyWebhook(request, "whsec_x");
  return type + id;
}
export const keyOf = (offering: Offering): string => offering.lookup_key;
// @ts-expect-error: there is no such field
export const wrong = (offering: Offering) => offering.no_such_field;
// @ts-expect-error: a project's id is a text
await connect({ projectId: 5 });
`;
