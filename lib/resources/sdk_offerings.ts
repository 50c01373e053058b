/**
 * The offerings as an app's SDK receives them.
 *
 * @example The offerings of an app
 * ```ts ignore
 * import { connect, getSdkOfferings, listAppPublicKeys } from "../../mod.ts";
 *
 * const client = await connect();
 * const { items: [key] } = await listAppPublicKeys(client, "app1a2b3c4d5e");
 * if (key) console.log(await getSdkOfferings(client.with({ credential: key.key }), "ada"));
 * ```
 *
 * @module
 */

import type { Client } from "../client.ts";
import { path } from "../path.ts";

/** All offerings that an app receives. */
export interface SdkOfferings {
  /** The lookup key of the current offering, or null. */
  current_offering_id: string | null;
  /** The offerings. */
  offerings: SdkOffering[];
  /** Always null here: there are no placements. */
  placements: null;
  /** Always null here: there are no targeting rules. */
  targeting: null;
}

/** One offering, as an SDK receives it. */
export interface SdkOffering {
  /** The lookup key. */
  identifier: string;
  /** The display name. */
  description: string;
  /** Free JSON for the app, or null. */
  metadata: Record<string, unknown> | null;
  /** Its packages with a product of the app. */
  packages: SdkPackage[];
  /** The content of a template paywall, if there is one. */
  paywall?: Record<string, unknown>;
  /** The content of a component paywall, if there is one. */
  paywall_components?: Record<string, unknown>;
}

/** One package, as an SDK receives it. */
export interface SdkPackage {
  /** The lookup key. */
  identifier: string;
  /** The store's product identifier. */
  platform_product_identifier: string;
  /** The base plan, for a product of Google Play. */
  platform_product_plan_identifier?: string;
}

/**
 * Reads the offerings as an app receives them. The client's credential must be a public SDK key of
 * the app. `GET /v1/subscribers/{user}/offerings`
 */
export function getSdkOfferings(client: Client, userId: string): Promise<SdkOfferings> {
  return client.get(path`/v1/subscribers/${userId}/offerings`);
}
