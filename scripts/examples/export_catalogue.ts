/**
 * Writes the catalogue of a project to standard output as one JSON document, for a backup or a
 * diff.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*" scripts/examples/export_catalogue.ts > catalogue.json
 * ```
 *
 * It needs `CLI_REFRESH_TOKEN` and `CLI_PROJECT_ID`; for a service elsewhere also `CLI_BASE_URL`,
 * and its host after `--allow-net=`.
 *
 * @module
 */

import {
  type Client,
  connect,
  each,
  listApps,
  listEntitlements,
  listOfferings,
  listProducts,
  type Page,
} from "../../mod.ts";

const client = await connect();
const limit = 100;

const catalogue = {
  project_id: client.projectId,
  apps: await all(client, listApps(client, { limit })),
  products: await all(client, listProducts(client, { limit })),
  entitlements: await all(client, listEntitlements(client, { limit, expand: ["items.product"] })),
  offerings: await all(
    client,
    listOfferings(client, { limit, expand: ["items.package.product"] }),
  ),
};
console.log(JSON.stringify(catalogue, null, 2));

/** All items of a list and, in place of the lists inside them, all items of those. */
async function all(client: Client, first: Page<object> | Promise<Page<object>>): Promise<object[]> {
  const items: object[] = [];
  for await (const item of each(client, first)) {
    const fields = Object.entries(item).map(async ([name, value]) =>
      [name, isPage(value) ? await all(client, value) : value] as const
    );
    items.push(Object.fromEntries(await Promise.all(fields)));
  }
  return items;
}

function isPage(value: unknown): value is Page<object> {
  return typeof value === "object" && value !== null && "next_page" in value && "items" in value;
}
