/**
 * Webhook integrations, the receivers of events. `events/` sends the events.
 *
 * @module
 */

import { z } from "zod";
import type { NewWebhook, Webhook, WebhookChanges } from "../../resources/webhooks.ts";
import { deleteRow } from "../records/changes.ts";
import { invalid, unprocessable } from "../contract/errors.ts";
import { newSigningSecret } from "../events/signatures.ts";
import { CHOOSABLE_EVENT_TYPES } from "../../event_types.ts";
import { findApp, findWebhook, type ProjectCall } from "../records/find.ts";
import { newId } from "../records/ids.ts";
import { listPage, tableListing } from "../records/lists.ts";
import { type Preparation, route } from "../contract/route.ts";
import {
  component,
  deletedSchema,
  millis,
  pageOf,
  pageQuery,
  patterned,
} from "../contract/schemas.ts";
import { nextSeq } from "../store/mod.ts";
import type { Row } from "../store/tables.ts";
import { LONGEST_URL, TargetError } from "../outbound/judge.ts";
import { listOf, objectId, text } from "../contract/fields.ts";
import { environment } from "../contract/money_fields.ts";

const webhookSchema: z.ZodType<Webhook> = component(
  "WebhookIntegration",
  z.object({
    object: z.literal("webhook_integration"),
    id: z.string(),
    project_id: z.string(),
    name: z.string(),
    url: z.string(),
    event_types: z.array(z.string()).nullable(),
    environment: environment.nullable(),
    app_id: z.string().nullable(),
    created_at: millis,
    disabled_at: millis.nullable(),
    signing_secret: z.string().exactOptional(),
  }),
);

const name = text(1500);
const url = patterned({
  pattern: "^[hH][tT][tT][pP][sS]?://",
  format: "uri",
  description: "An https address that leads to the Internet; the local service may allow others.",
}, text(LONGEST_URL));
const eventTypes = listOf(
  z.enum(
    CHOOSABLE_EVENT_TYPES,
    `must be one of ${CHOOSABLE_EVENT_TYPES.join(", ")}, in lower case`,
  ),
  100,
);
const optional = {
  authorization_header: text(5000)
    .regex(/^[!-~]([ -~]*[!-~])?$/, "must be printable ASCII, with no spaces at either end")
    .nullable().exactOptional(),
  environment: environment.nullable().exactOptional(),
  app_id: objectId.nullable().exactOptional(),
};

// Gap: as published, these bodies may have unknown fields; they are ignored.
const newWebhook: z.ZodType<NewWebhook> = z.object({
  name,
  url,
  event_types: eventTypes,
  ...optional,
});

const changes: z.ZodType<WebhookChanges> = z.object({
  name: name.exactOptional(),
  url: url.exactOptional(),
  event_types: eventTypes.nullable().exactOptional(),
  ...optional,
});

const READ = "project_configuration:integrations:read";
const WRITE = "project_configuration:integrations:read_write";

const listWebhooks = route({
  name: "listWebhooks",
  summary: "Lists the webhook integrations of the project, oldest first.",
  method: "GET",
  path: "/integrations/webhooks",
  scope: READ,
  query: pageQuery,
  response: pageOf(webhookSchema),
}, (call) =>
  listPage(
    call,
    tableListing(call, "webhook_integrations", {
      object: "webhook_integration",
      show: showWebhook,
    }),
  ));

const getWebhook = route({
  name: "getWebhook",
  summary: "Reads one webhook integration.",
  method: "GET",
  path: "/integrations/webhooks/{id}",
  scope: READ,
  response: webhookSchema,
}, async (call) => showWebhook(await findWebhook(call, call.params.id)));

const createWebhook = route({
  name: "createWebhook",
  summary: "Creates a webhook integration. Only this response contains the signing secret.",
  method: "POST",
  path: "/integrations/webhooks",
  scope: WRITE,
  body: newWebhook,
  response: webhookSchema,
  status: 201,
  audit: "webhook_integration_created",
  async prepare({ read, targets }) {
    const body = await read(async (call) => {
      const body = call.body();
      await checkApp(call, body.app_id);
      return body;
    });
    await checkTarget(targets, body.url);
  },
}, async (call) => {
  const { tx, now } = call;
  const { name, url, event_types, ...rest } = call.body();
  await checkApp(call, rest.app_id);
  const row = await tx.insertInto("webhook_integrations").values({
    id: newId("webhook_integration"),
    seq: await nextSeq(tx),
    name,
    url,
    event_types: storedTypes(event_types),
    authorization_header: rest.authorization_header ?? null,
    environment: rest.environment ?? null,
    app_id: rest.app_id ?? null,
    signing_secret: newSigningSecret(),
    created_at: now,
  }).returningAll().executeTakeFirstOrThrow();
  return { ...showWebhook(row), signing_secret: row.signing_secret };
});

const updateWebhook = route({
  name: "updateWebhook",
  summary: "Changes a webhook integration. A new URL also enables a disabled integration.",
  method: "POST",
  path: "/integrations/webhooks/{id}",
  scope: WRITE,
  body: changes,
  response: webhookSchema,
  audit: "webhook_integration_updated",
  async prepare({ read, targets }) {
    const { url, stays } = await read(async (call) => {
      const before = await findWebhook(call, call.params.id);
      const { url, app_id } = call.body();
      await checkApp(call, app_id);
      return { url, stays: url === before.url && before.disabled_at === null };
    });
    if (url !== undefined) await checkTarget(targets, url, { mayRest: stays });
  },
}, async (call) => {
  const before = await findWebhook(call, call.params.id);
  const { event_types, ...body } = call.body();
  await checkApp(call, body.app_id);
  const after = {
    name: before.name,
    url: before.url,
    authorization_header: before.authorization_header,
    environment: before.environment,
    app_id: before.app_id,
    ...body,
    event_types: event_types === undefined ? before.event_types : storedTypes(event_types),
    disabled_at: body.url === undefined ? before.disabled_at : null,
  };
  await call.tx.updateTable("webhook_integrations").set(after)
    .where("id", "=", before.id).execute();
  return showWebhook({ ...before, ...after });
});

const deleteWebhook = route({
  name: "deleteWebhook",
  summary: "Deletes a webhook integration and its pending deliveries.",
  method: "DELETE",
  path: "/integrations/webhooks/{id}",
  scope: WRITE,
  response: deletedSchema("webhook_integration"),
  audit: "webhook_integration_deleted",
}, async (call) => {
  const row = await findWebhook(call, call.params.id);
  return await deleteRow(call, "webhook_integrations", "webhook_integration", row);
});

/** The routes of webhook integrations. */
export const webhookRoutes = [
  listWebhooks,
  getWebhook,
  createWebhook,
  updateWebhook,
  deleteWebhook,
];

/**
 * An integration in the API, without its secrets.
 *
 * Gap: `disabled_at` is not published. It shows why an integration gets no events.
 */
function showWebhook(row: Row<"webhook_integrations">): Webhook {
  return {
    object: "webhook_integration",
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    url: row.url,
    event_types: row.event_types === null ? null : JSON.parse(row.event_types),
    environment: row.environment,
    app_id: row.app_id,
    created_at: row.created_at,
    disabled_at: row.disabled_at,
  };
}

/** Event types as stored, each once. */
function storedTypes(types: readonly string[] | null): string | null {
  return types === null ? null : JSON.stringify([...new Set(types)]);
}

/** Refuses an unknown app. */
async function checkApp(call: ProjectCall, id: string | null | undefined): Promise<void> {
  if (id !== null && id !== undefined) await findApp(call, id, "app_id");
}

/**
 * Refuses a URL that is not allowed or does not answer. A URL already in use need not answer, but
 * it must be allowed, since the service may have started with other targets.
 */
async function checkTarget(
  targets: Preparation["targets"],
  url: string,
  { mayRest = false }: { mayRest?: boolean } = {},
): Promise<void> {
  try {
    await targets.probe(url);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    if (mayRest && error.kind === "unreachable") return;
    const message = `'url' ${error.message}`;
    throw error.kind === "forbidden"
      ? invalid("url", message)
      : unprocessable(message, { param: "url" });
  }
}
