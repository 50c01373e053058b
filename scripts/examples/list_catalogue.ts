/**
 * Prints the catalogue of a project as a tree: the offerings, their packages, and the entitlements
 * of each product.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*" scripts/examples/list_catalogue.ts
 * ```
 *
 * It needs `CLI_REFRESH_TOKEN` and `CLI_PROJECT_ID`; for a service elsewhere also `CLI_BASE_URL`,
 * and its host after `--allow-net=`.
 *
 * @module
 */

import { connect, each, listEntitlements, listOfferings } from "../../mod.ts";

const client = await connect();

const offerings = listOfferings(client, { limit: 100, expand: ["items.package.product"] });
for await (const offering of each(client, offerings)) {
  const mark = offering.is_current ? ", current" : offering.state === "active" ? "" : ", archived";
  line(0, `${offering.lookup_key} (offering${mark})`);
  if (!offering.packages) continue;
  for await (const { lookup_key, display_name, products } of each(client, offering.packages)) {
    line(1, `${lookup_key}: ${display_name}`);
    if (!products) continue;
    for await (const { product } of each(client, products)) line(2, product.store_identifier);
  }
}

const entitlements = listEntitlements(client, { limit: 100, expand: ["items.product"] });
for await (const { lookup_key, products } of each(client, entitlements)) {
  line(0, `${lookup_key} (entitlement)`);
  if (!products) continue;
  for await (const product of each(client, products)) line(1, product.store_identifier);
}

/** Prints a line of the tree. Names come from others, so control characters are removed. */
function line(depth: number, text: string): void {
  console.log("  ".repeat(depth) + text.replace(/\p{Cc}/gu, ""));
}
