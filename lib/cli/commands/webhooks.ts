/**
 * `cli webhooks …`
 *
 * @module
 */

import { onBody, onList, onOne, onOneForGood, onUpdate } from "../words/plain.ts";
import { isLoopback } from "../../address.ts";
import { type ApiError, UsageError } from "../../errors.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  updateWebhook,
  type Webhook,
} from "../../resources/webhooks.ts";
import { group, parsed, text } from "../words/command.ts";
import type { HintScene } from "../words/hints.ts";
import { quoted } from "../screen/command_lines.ts";
import type { Column } from "../screen/output.ts";
import { attempts } from "./webhooks/attempts.ts";
import { deliveries } from "./webhooks/deliveries.ts";
import { ping } from "./webhooks/ping.ts";
import { rotateSecret } from "./webhooks/rotate_secret.ts";

const columns: Column<Webhook>[] = [
  { header: "id", value: (webhook) => webhook.id, kind: "id" },
  { header: "name", value: (webhook) => webhook.name },
  { header: "url", value: (webhook) => webhook.url, kind: "address" },
  { header: "events", value: (webhook) => eventsOf(webhook.event_types) },
  {
    header: "disabled",
    value: (webhook) => webhook.disabled_at,
    kind: "date",
    spare: "when empty",
  },
  { header: "created", value: (webhook) => webhook.created_at, kind: "date" },
];

/** The number of types named in a list; cli webhooks view names all. */
const MOST_NAMED = 2;

function eventsOf(types: readonly string[] | null | undefined): string | undefined {
  if (!types) return types === null ? "all" : undefined;
  return types.length > MOST_NAMED ? `${types.length} types` : types.join(",");
}

const ID = "The webhook's id";

const flags = {
  name: text("The display name"),
  url: text("The address for events: a reachable https:// address"),
  events: parsed(
    "The event types to send, separated by commas (see: cli events types)",
    eventTypes,
    {
      placeholder: "types",
    },
  ),
};

/** The service's message that it sends nothing to an address on this machine or near it. */
const REFUSED_AS_LOCAL =
  /local or reserved address|whole domain|reserved host \S+\.(local|internal|home\.arpa)$/;

/** The service's message that nothing answers at an address. */
const UNREACHABLE = /^'url' cannot be reached\b/;

/** The ways for events to reach this machine or a private network. */
function hintOfLocal({ param, message }: ApiError, { input }: HintScene): string | undefined {
  if (param !== "url") return undefined;
  const url = typeof input.url === "string" ? URL.parse(input.url) : null;
  const here = url !== null && isLoopback(url.href);
  if (!here && !REFUSED_AS_LOCAL.test(message)) return undefined;
  const address = quoted(url?.href ?? "http://localhost:3000/webhooks");
  if (UNREACHABLE.test(message)) {
    return `Start the program at ${address} first, or forward events to it once it runs: ` +
      `cli events listen --forward-to ${address}`;
  }
  return `Forward events there with: cli events listen --forward-to ${address}; or allow webhooks ` +
    `to that address with: cli service start --webhook-targets ${here ? "loopback" : "private"}`;
}

/** Webhook integrations. */
export const webhooks = group("Webhooks, which receive events as they happen", [], {
  list: onList("List the webhooks", listWebhooks, columns),
  view: onOne("Show a webhook", getWebhook, ID),
  create: onBody("Create a webhook", {
    details: "The service checks that the address answers. A file may also contain " +
      "authorization_header, environment and app_id.",
    examples: [
      "cli webhooks create --name New --url https://acme.dev/hooks --events renewal",
    ],
    flags,
    fields: { events: "event_types" },
    required: ["name", "url", "event_types"],
    send: createWebhook,
    hint: hintOfLocal,
    note: "The signing secret is shown only once. Store it where the receiver can read it.",
  }),
  update: onUpdate("Update a webhook", updateWebhook, flags, ID, {
    events: "event_types",
  }, hintOfLocal),
  delete: onOneForGood("Delete a webhook", "webhook", getWebhook, deleteWebhook),
  deliveries,
  attempts,
  ping,
  "rotate-secret": rotateSecret,
});

/** Event types as typed. The service checks them. */
function eventTypes(text: string): string[] {
  const types = text.split(",").map((type) => type.trim().toLowerCase()).filter(Boolean);
  if (types.length > 0) return types;
  throw new UsageError(`Cannot use ${JSON.stringify(text)} for --events: it names no event type`, {
    hint: "Pass types such as --events initial_purchase,renewal. See all with: cli events types",
  });
}
