/**
 * The answers of the simulator's routes, checked against the library's types.
 *
 * @module
 */

import { z } from "zod";
import type { PrintedReceipt } from "../../simulator/purchases.ts";
import type { Page } from "../../page.ts";
import type { PricedProduct, Settings } from "../../simulator/catalogue.ts";
import type {
  AdvancedClock,
  AdvanceStart,
  CancelledAdvance,
  ClockPreview,
  ClockProgress,
  ProjectClock,
} from "../../simulator/clock.ts";
import type { SignedInCustomer } from "../../simulator/customers.ts";
import type { Delivery, DeliveryAttempt } from "../../simulator/deliveries.ts";
import type { LoggedEvent, RecoveredEvents } from "../../simulator/events.ts";
import type { Population, PopulationPreview } from "../../simulator/population.ts";
import type { RequestFault } from "../../simulator/faults.ts";
import type {
  DeletedListener,
  Listener,
  ListenerSecret,
  OpenedListener,
  PulledEvents,
} from "../../simulator/listeners.ts";
import type {
  Account,
  DeletedAccount,
  DeletedClient,
  IssuedTokens,
  ProjectProgress,
  RegisteredClient,
} from "../../simulator/service.ts";
import type { Items } from "../../simulator/simulator.ts";
import type { DeliveryFaultRun, WebhookFaults, WebhookSecret } from "../../simulator/webhooks.ts";
import { component, millis, pageOf } from "../contract/schemas.ts";
import { customerSchema } from "../records/customers.ts";
import { productSchema } from "../records/products.ts";

const count = z.int().min(0);
const texts = z.record(z.string(), z.string());

const clockFields = z.object({
  object: z.literal("clock"),
  project_id: z.string(),
  now: z.int(),
  frozen: z.boolean(),
  offset_ms: z.number(),
});

/** A project's clock. */
export const clock: z.ZodType<ProjectClock> = component("ProjectClock", clockFields);

/** A clock that was advanced. */
export const advancedClock: z.ZodType<AdvancedClock> = component(
  "AdvancedClock",
  clockFields.extend({ from: z.int(), events: z.record(z.string(), count) }),
);

/** The start of an advance. */
export const advanceStart: z.ZodType<AdvanceStart> = z.object({ from: z.int(), seq: count });

/** A preview of an advance. */
export const clockPreview: z.ZodType<ClockPreview> = component(
  "ClockPreview",
  z.object({
    object: z.literal("clock_preview"),
    from: z.int(),
    to: z.int(),
    due: count,
    most_unasked: count,
  }),
);

const left = { left: count, left_ms: count.nullable() };

/** The progress of an advance. */
export const clockProgress: z.ZodType<ClockProgress> = component(
  "ClockProgress",
  z.object({
    object: z.literal("clock_progress"),
    moving: z.boolean(),
    now: z.int(),
    to: z.int().nullable(),
    done: count,
    ...left,
  }),
);

/** A population, and how far it is. */
export const population: z.ZodType<Population> = component(
  "Population",
  z.object({
    object: z.literal("population"),
    running: z.boolean(),
    cancelled: z.boolean(),
    wanted: count,
    seed: count.nullable(),
    months: count.nullable(),
    kind: z.enum(["notes", "games", "news"]).nullable(),
    customers: count,
    subscriptions: count,
    purchases: count,
    steps: count,
    from: z.int(),
    now: z.int(),
    to: z.int(),
    left_ms: count.nullable(),
    error: z.string().nullable(),
  }),
);

/** What a population would be added to. */
export const populationPreview: z.ZodType<PopulationPreview> = component(
  "PopulationPreview",
  z.object({ object: z.literal("population_preview"), customers: count, webhooks: count }),
);

/** The result of stopping an advance. */
export const cancelledAdvance: z.ZodType<CancelledAdvance> = z.object({
  cancelled: z.boolean(),
  now: z.int(),
});

/** The result of signing in with another id. */
export const signedInCustomer: z.ZodType<SignedInCustomer> = z.object({
  outcome: z.enum(["same", "merged", "switched"]),
  customer: customerSchema,
});

/** A product and its price. */
export const pricedProduct: z.ZodType<PricedProduct> = z.object({
  product: productSchema,
  price: z.number(),
  currency: z.string(),
});

/** A receipt of a simulated store. */
export const printedReceipt: z.ZodType<PrintedReceipt> = z.object({
  object: z.literal("receipt"),
  fetch_token: z.string(),
  app_id: z.string(),
  store: z.string(),
  customer_id: z.string(),
  product_id: z.string(),
});

/** The settings of a project. */
export const settings: z.ZodType<Settings> = component(
  "Settings",
  z.object({
    object: z.literal("settings"),
    project_id: z.string(),
    refund_window_days: count,
    restore_behavior: z.enum(["transfer", "share", "keep"]),
  }),
);

/** An event. */
export const event: z.ZodType<LoggedEvent> = component(
  "LoggedEvent",
  z.object({
    object: z.literal("event"),
    id: z.string(),
    type: z.string(),
    customer_id: z.string(),
    app_id: z.string().nullable(),
    environment: z.string(),
    created_at: millis,
    delivery: z.unknown(),
  }),
);

/** The result of a recovery. */
export const recoveredEvents: z.ZodType<RecoveredEvents> = z.object({
  object: z.literal("recovery"),
  deliveries: count,
});

/** The states of deliveries. */
export const DELIVERY_STATES = [
  "waiting",
  "pending",
  "sending",
  "delivered",
  "dead",
  "dropped",
] as const;

/** A delivery of an event to a webhook. */
export const delivery: z.ZodType<Delivery> = component(
  "Delivery",
  z.object({
    object: z.literal("delivery"),
    id: z.string(),
    webhook_id: z.string(),
    event_id: z.string(),
    event_type: z.string(),
    customer_id: z.string(),
    state: z.enum(DELIVERY_STATES),
    attempts: count,
    last_attempt_at: millis.nullable(),
    last_status: z.int().nullable(),
    last_error: z.string().nullable(),
    next_attempt_at: millis.nullable(),
    finished_at: millis.nullable(),
  }),
);

/** An attempt of a delivery. */
export const deliveryAttempt: z.ZodType<DeliveryAttempt> = component(
  "DeliveryAttempt",
  z.object({
    object: z.literal("delivery_attempt"),
    delivery_id: z.string(),
    number: z.int().min(1),
    started_at: millis,
    url: z.string(),
    address: z.string().nullable(),
    request: z.object({ headers: texts, body: z.string() }),
    response: z.object({
      status: z.int().nullable(),
      headers: texts,
      body: z.string().nullable(),
      cut: z.boolean(),
    }).nullable(),
    error: z.string().nullable(),
    timing_ms: z.record(z.string(), z.number()),
    next_attempt_at: millis.nullable(),
  }),
);

/** A new signing secret of an integration. */
export const webhookSecret: z.ZodType<WebhookSecret> = z.object({
  object: z.literal("webhook_secret"),
  webhook_id: z.string(),
  signing_secret: z.string(),
  previous_expires_at: millis,
});

/** A fault of a delivery. */
export const deliveryFaultName = z.enum(["duplicate", "drop", "reorder"]);

/** The faults of an integration. */
export const webhookFaults: z.ZodType<WebhookFaults> = z.object({
  object: z.literal("delivery_faults"),
  faults: z.array(deliveryFaultName),
});

/** The faults of a project's deliveries. */
export const deliveryFaults: z.ZodType<Page<DeliveryFaultRun>> = pageOf(component(
  "DeliveryFault",
  z.object({
    object: z.literal("delivery_fault"),
    webhook_id: z.string(),
    fault: deliveryFaultName,
    count,
  }),
));

const listenerFields = z.object({
  object: z.literal("listener"),
  name: z.string(),
  created_at: millis,
  waiting: count,
});

/** A listener. */
export const listener: z.ZodType<Listener> = component("Listener", listenerFields);

/** A listener that a program has opened. */
export const openedListener: z.ZodType<OpenedListener> = listenerFields.extend({
  signing_secret: z.string(),
  session: z.string(),
  is_new: z.boolean(),
});

/** The signing secret of a listener. */
export const listenerSecret: z.ZodType<ListenerSecret> = z.object({
  object: z.literal("listener_secret"),
  name: z.string(),
  signing_secret: z.string(),
});

/** A deleted listener. */
export const deletedListener: z.ZodType<DeletedListener> = z.object({
  object: z.literal("listener"),
  name: z.string(),
  deleted_at: millis,
});

/** Pulled events. */
export const pulledEvents: z.ZodType<PulledEvents> = z.object({
  object: z.literal("list"),
  items: z.array(z.object({
    object: z.literal("event"),
    id: z.string(),
    type: z.string(),
    customer_id: z.string(),
    created_at: millis,
    payload: z.string(),
  })),
});

/** Issued tokens. */
export const issuedTokens: z.ZodType<IssuedTokens> = z.object({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  expires_in: count,
  refresh_token: z.string(),
  scope: z.string(),
});

/** An account. */
export const account: z.ZodType<Account> = component(
  "Account",
  z.object({
    object: z.literal("account"),
    id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    projects: z.array(z.object({ id: z.string(), role: z.string() })),
    has_password: z.boolean(),
    password_link: z.object({ url: z.string(), expires_at: millis }).optional(),
  }),
);

/** A removed account. */
export const deletedAccount: z.ZodType<DeletedAccount> = z.object({
  object: z.literal("account"),
  id: z.string(),
  email: z.string(),
  deleted_at: millis,
});

/** A client. */
export const client: z.ZodType<RegisteredClient> = component(
  "Client",
  z.object({
    object: z.literal("client"),
    id: z.string(),
    name: z.string(),
    redirect_uris: z.array(z.string()),
  }),
);

/** A removed client. */
export const deletedClient: z.ZodType<DeletedClient> = z.object({
  object: z.literal("client"),
  id: z.string(),
  deleted_at: millis,
});

/** The progress of a project. */
export const projectProgress: z.ZodType<ProjectProgress> = z.object({
  project_id: z.string(),
  now: z.int(),
  to: z.int(),
  done: count,
  took_ms: z.number(),
  ...left,
});

/** A fault of requests. */
export const requestFault: z.ZodType<RequestFault> = component(
  "RequestFault",
  z.object({
    object: z.literal("fault"),
    method: z.enum(["GET", "POST", "PUT", "DELETE"]).optional(),
    path: z.string().optional(),
    count,
    status: z.int().optional(),
    retry_after_s: count.optional(),
    delay_ms: count.optional(),
    cut: z.enum(["before", "after"]).optional(),
  }),
);

/** A list with only its items. */
export function itemsOf<T>(item: z.ZodType<T>): z.ZodType<Items<T>> {
  return z.object({ items: z.array(item) });
}

/** A list with a single page. */
export function wholeOf<T>(item: z.ZodType<T>): z.ZodType<Items<T> & { object: "list" }> {
  return z.object({ object: z.literal("list"), items: z.array(item) });
}
