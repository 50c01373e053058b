/**
 * `cli products …`
 *
 * @module
 */

import { onBody, onList, onOne, onOneForGood, onUpdate } from "../words/plain.ts";
import type { ApiError } from "../../errors.ts";
import {
  archiveProduct,
  createProduct,
  deleteProduct,
  getProduct,
  listProducts,
  type Product,
  pushProductToStore,
  unarchiveProduct,
  updateProduct,
} from "../../resources/products.ts";
import { getApp } from "../../resources/apps.ts";
import { group, text } from "../words/command.ts";
import { onlyTaggedApp } from "../folder/tagged_apps.ts";
import type { HintScene } from "../words/hints.ts";
import { quoted } from "../screen/command_lines.ts";
import type { Column } from "../screen/output.ts";

/** The columns of every list of products. */
export const productColumns: Column<Product>[] = [
  { header: "id", value: (product) => product.id, kind: "id" },
  { header: "store_identifier", value: (product) => product.store_identifier, kind: "id" },
  { header: "type", value: (product) => product.type, kind: "word" },
  { header: "display_name", value: (product) => product.display_name },
  { header: "state", value: (product) => product.state, kind: "word" },
  { header: "app", value: (product) => product.app_id, kind: "id" },
  { header: "created", value: (product) => product.created_at, kind: "date", spare: true },
];

const ID = "The product's id";

const NAME = { display_name: text("The display name", { placeholder: "name" }) };

/** A push to a store needs the app's key. */
async function hintOfKey(
  { status }: ApiError,
  { id, context }: HintScene,
): Promise<string | undefined> {
  if (status !== 422) return undefined;
  const client = await context.client();
  const { app_id } = await getProduct(client, id);
  const app = await getApp(client, app_id);
  if (app.type !== "app_store") {
    return `Create it in the store itself. See its app: cli apps view ${quoted(app_id)}`;
  }
  if (app.app_store.app_store_connect_api_key_configured) return undefined;
  const body = '{"app_store": {"app_store_connect_api_key": "KEY"}}';
  return `Add the key to the app first: echo '${body}' | cli apps update ${
    quoted(app_id)
  } --file -`;
}

/** Products. */
export const products = group("Products, which the stores sell", ["prod"], {
  list: onList("List the products", listProducts, productColumns),
  view: onOne("Show a product", getProduct, ID),
  create: onBody("Create a product", {
    details:
      "The body holds the product's store_identifier, type (such as subscription) and app_id, " +
      "and may hold its display_name. Without app_id it uses the app tagged in cli.toml.",
    examples: ["cli products create --file product.json"],
    flags: {},
    required: ["store_identifier", "type", "app_id"],
    async complete(context, body) {
      if (body.app_id !== undefined || Object.keys(body).length === 0) return;
      const id = await onlyTaggedApp(context, await context.client(), "Cannot create a product");
      if (id !== undefined) body.app_id = id;
    },
    send: createProduct,
  }),
  update: onUpdate("Update a product", updateProduct, NAME, ID),
  delete: onOneForGood("Delete a product", "product", getProduct, deleteProduct, {
    hint: ({ status }, { id }) =>
      status === 409 || status === 422
        ? `Archive it instead: cli products archive ${id}`
        : undefined,
  }),
  archive: onOne("Archive a product", archiveProduct, ID),
  unarchive: onOne("Unarchive a product", unarchiveProduct, ID),
  "push-to-store": onOne(
    "Push a product to its store",
    (client, id) => pushProductToStore(client, id),
    ID,
    hintOfKey,
  ),
});
