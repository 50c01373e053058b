/**
 * Creates the products that a project lacks, from standard input with one JSON object per line:
 *
 * ```json
 * {"app_id":"app1a2b3c4d5e","store_identifier":"pro.weekly","type":"subscription","display_name":"Pro, weekly"}
 * ```
 *
 * Products that are there stay as they are, so running it twice changes nothing.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*" scripts/examples/sync_products.ts < products.ndjson
 * ```
 *
 * It needs `CLI_REFRESH_TOKEN` and `CLI_PROJECT_ID`; for a service elsewhere also `CLI_BASE_URL`,
 * and its host after `--allow-net=`.
 *
 * @module
 */

import {
  connect,
  createProduct,
  each,
  listProducts,
  type NewProduct,
  ToolkitError,
} from "../../mod.ts";

/** Creates missing products, and prints the action for each product. */
async function syncProducts(wanted: readonly NewProduct[]): Promise<void> {
  const client = await connect();
  const known = new Set<string>();
  for await (const product of each(client, listProducts(client, { limit: 100 }))) {
    known.add(keyOf(product));
  }
  for (const product of wanted) {
    const missing = !known.has(keyOf(product));
    console.log(`${missing ? "create" : "keep"} ${product.store_identifier}`);
    if (missing) await createProduct(client, product);
    known.add(keyOf(product));
  }
}

/** The identity of a product: the app and its store identifier. */
function keyOf({ app_id, store_identifier }: Pick<NewProduct, "app_id" | "store_identifier">) {
  return JSON.stringify([app_id, store_identifier]);
}

/** The products in a text of one JSON object per line. All lines are read before anything is sent. */
function readProducts(text: string): NewProduct[] {
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    try {
      const product: NewProduct = JSON.parse(line);
      if (product.app_id && product.store_identifier && product.type) return [product];
    } catch {
      // Said below.
    }
    throw new ToolkitError(`Cannot read line ${i + 1}: it is not a product`, {
      hint: "Each line needs app_id, store_identifier and type",
    });
  });
}

try {
  await syncProducts(readProducts(await new Response(Deno.stdin.readable).text()));
} catch (error) {
  if (!(error instanceof ToolkitError)) throw error;
  console.error(error.hint ? `${error.message}\n${error.hint}` : error.message);
  Deno.exitCode = 1;
}
