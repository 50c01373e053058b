import { equal, ok } from "node:assert/strict";
import { checkedBaseUrl, refuseInsecure } from "../lib/address.ts";
import { readAnswer } from "../lib/answer.ts";
import { createClient } from "../lib/client.ts";
import { ToolkitError } from "../lib/errors.ts";
import { itemsOf } from "../lib/page.ts";
import { path } from "../lib/path.ts";
import { verifyWebhook } from "../lib/webhook.ts";
import { openWire } from "./support/wire.ts";

const ADDRESS = "Check that CLI_BASE_URL is the service's address.";

/** A request of a webhook without a signature. */
const unsigned = () => new Request("http://receiver.test/", { method: "POST", body: "{}" });

/** Mistakes, with the reason that they are refused for and the remedy. */
const MISTAKES: [run: () => unknown, reason: string, hint: string][] = [
  [
    () => checkedBaseUrl("http://me:secret@h"),
    "Cannot use an address that contains a user name or a password",
    "Set CLI_BASE_URL to an address such as http://127.0.0.1:4010.",
  ],
  [
    () => checkedBaseUrl("ftp://h"),
    'Cannot use "ftp://h" as the service\'s address',
    "Set CLI_BASE_URL to an address such as http://127.0.0.1:4010.",
  ],
  [
    () => refuseInsecure("http://service.example/x", false),
    "Cannot send a token to http://service.example: without HTTPS it can be read on the way",
    "Use an address that begins with https://, or pass --allow-insecure-host if you trust the " +
    "network.",
  ],
  [
    () => readAnswer(new Response(new Uint8Array(32 * 1024 * 1024 + 1))),
    "Cannot read the answer of : it exceeds 32 MiB",
    ADDRESS,
  ],
  [
    () => createClient({ baseUrl: "http://h" }).get(path`/apps`),
    "Cannot choose a project: none is set",
    "Pass --project-id, set CLI_PROJECT_ID, or run: cli init",
  ],
  [
    () => openWire([new Response("{}")]).client.follow("https://other.example/x"),
    'Cannot follow "https://other.example/x": it leaves https://service.example',
    "Set CLI_BASE_URL to the address that the service gives for itself.",
  ],
  [
    () => openWire([new Response("{}")]).client.post(path`/apps`, {}, { idempotencyKey: "é" }),
    'Cannot use "é" as an idempotency key',
    "Use 1 to 255 ASCII characters.",
  ],
  [
    () => openWire([new Response("{}")], { credential: "a b" }).client.get(path`/apps`),
    "Cannot send the credential: it contains characters that a header cannot carry",
    "Copy the token again, without the spaces and quotes around it.",
  ],
  [
    () => itemsOf(JSON.parse("{}")),
    "Cannot read the list: the service's answer has no items",
    ADDRESS,
  ],
  [
    () => path`/apps/${JSON.parse("null")}`,
    "Cannot continue: the service's answer lacks a required id",
    ADDRESS,
  ],
  [
    () => path`/apps/${JSON.parse("7")}`,
    "Cannot continue: the service's answer has an invalid id",
    ADDRESS,
  ],
  [
    () => path`/apps/${".."}`,
    'Cannot use ".." as an id: a URL cannot contain it',
    "Pass the id exactly as the service shows it.",
  ],
  [
    () => verifyWebhook(unsigned(), []),
    "Cannot verify a webhook: there is no secret",
    "Pass the signing secret that was shown when the webhook was created.",
  ],
  [
    async () => {
      const request = unsigned();
      await request.text();
      await verifyWebhook(request, "s");
    },
    "Cannot verify a webhook: the body of its request has already been read",
    "Verify the webhook first, or pass request.clone().",
  ],
  [
    () => verifyWebhook(unsigned(), "s"),
    "Cannot trust the webhook: it has no signature",
    "Answer with 401. If the webhook is genuine, check the secret, the clock, and that the body " +
    "is complete.",
  ],
];

Deno.test("each error of the library names its reason and the remedy", async () => {
  for (const [run, reason, hint] of MISTAKES) {
    const error = await Promise.try(run).then(() => undefined, (thrown) => thrown);
    ok(error instanceof ToolkitError, `${reason}: ${error}`);
    equal(error.message, reason);
    equal(error.hint, hint);
  }
});
