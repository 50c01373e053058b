/**
 * The operations of SDKs about the app itself.
 *
 * @module
 */

import { z } from "zod";
import type { SdkAccepted, SdkBranding, SdkWorkflows } from "../../resources/sdk_apps.ts";
import { component } from "../contract/schemas.ts";
import { sdkRoute } from "../contract/sdk.ts";
import { checkUser } from "./customers.ts";

const branding: z.ZodType<SdkBranding> = component(
  "SdkBranding",
  z.object({
    id: z.string(),
    app_name: z.string(),
    app_icon: z.null(),
    app_icon_webp: z.null(),
    app_wordmark: z.null(),
    app_wordmark_webp: z.null(),
    appearance: z.null(),
    gateway_tax_collection_enabled: z.boolean(),
    brand_font_config: z.null(),
    support_email: z.string().nullable(),
  }),
);

/** The settings of an app in the answer. Only web billing has them. */
interface Settings {
  /** The name for users. */
  app_name?: string | null;
  /** The address of its support. */
  support_email?: string | null;
}

const getSdkBranding = sdkRoute({
  name: "getSdkBranding",
  summary: "Reads the presentation of the app. Unknown fields are null.",
  method: "GET",
  path: "/rcbilling/v1/branding",
  response: branding,
}, async ({ app }) => {
  const { app_name, support_email }: Settings = JSON.parse(app.settings);
  return {
    id: app.id,
    app_name: app_name ?? app.name,
    app_icon: null,
    app_icon_webp: null,
    app_wordmark: null,
    app_wordmark_webp: null,
    appearance: null,
    gateway_tax_collection_enabled: false,
    brand_font_config: null,
    support_email: support_email ?? null,
  };
});

const workflows: z.ZodType<SdkWorkflows> = z.object({ workflows: z.array(z.never()) });

const listSdkWorkflows = sdkRoute({
  name: "listSdkWorkflows",
  summary: "Reads the workflows for a user: there are none.",
  method: "GET",
  path: "/v1/subscribers/{user}/workflows",
  query: z.object({ type: z.string().optional() }),
  response: workflows,
}, async ({ params }): Promise<SdkWorkflows> => {
  checkUser(params.user);
  return { workflows: [] };
});

const accepted: z.ZodType<SdkAccepted> = z.object({});

const sendSdkEvents = sdkRoute({
  name: "sendSdkEvents",
  summary: "Accepts events of users in the app, and drops them.",
  method: "POST",
  path: "/v1/events",
  body: z.unknown(),
  response: accepted,
}, async () => ({}));

const sendSdkDiagnostics = sdkRoute({
  name: "sendSdkDiagnostics",
  summary: "Accepts diagnostics of the SDK, and drops them.",
  method: "POST",
  path: "/v1/diagnostics",
  body: z.unknown(),
  response: accepted,
}, async () => ({}));

/** The routes of the app itself. */
export const appRoutes = [getSdkBranding, listSdkWorkflows, sendSdkEvents, sendSdkDiagnostics];
