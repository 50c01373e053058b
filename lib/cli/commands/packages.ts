/**
 * `cli packages …`
 *
 * @module
 */

import {
  itemTexts,
  listed,
  listFlags,
  type ListInput,
  onBody,
  onListOf,
  onOne,
  onOneForGood,
  onProducts,
  onUpdate,
  showList,
  showProducts,
} from "../words/plain.ts";
import type { Client } from "../../client.ts";
import { UsageError } from "../../errors.ts";
import { each, LARGEST_PAGE, pages } from "../../page.ts";
import { getOffering, listOfferings } from "../../resources/offerings.ts";
import {
  attachPackageProducts,
  createPackage,
  deletePackage,
  detachPackageProducts,
  getPackage,
  listPackageProducts,
  listPackages,
  type NewPackage,
  type Package,
  type PackageProduct,
  updatePackage,
} from "../../resources/packages.ts";
import { argument, choice, command, group, manyArguments, parsed, text } from "../words/command.ts";
import type { Context } from "../context.ts";
import { parseCount } from "../input/input.ts";
import type { Column } from "../screen/output.ts";

/** Columns of a list of packages, with the name of each one's offering. */
function columnsWith(nameOf: (item: Package) => string): Column<Package>[] {
  return [
    { header: "offering", value: nameOf, kind: "id" },
    { header: "#", value: (item) => item.position },
    { header: "package", value: (item) => item.lookup_key, kind: "id" },
    { header: "display_name", value: (item) => item.display_name },
    { header: "id", value: (item) => item.id, kind: "id" },
  ];
}

const productColumns: Column<PackageProduct>[] = [
  { header: "id", value: ({ product }) => product?.id, kind: "id" },
  { header: "store_identifier", value: ({ product }) => product?.store_identifier, kind: "id" },
  { header: "type", value: ({ product }) => product?.type, kind: "word" },
  { header: "display_name", value: ({ product }) => product?.display_name },
  { header: "eligibility", value: (item) => item.eligibility_criteria, kind: "word" },
];

const ID = "The package's id";

const position = parsed(
  "The position in the offering, from 0",
  readPosition,
  { placeholder: "n" },
);

/** Reads the value of `--position`. */
function readPosition(value: string): number {
  return parseCount(value, "--position", { min: 0 });
}

const list = command({
  brief: "List packages",
  details: "Without --offering the command lists the packages of all offerings. That list has no " +
    "pages: its next_page is null, even where --limit cuts it.",
  flags: {
    offering: text("Only packages of this offering", { short: "o", placeholder: "lookup_key" }),
    ...listFlags,
  },
  async run(context, { offering, ...input }) {
    const client = await context.client();
    if (offering === undefined) return await showAll(context, client, input);
    const { lookup_key } = await getOffering(client, offering);
    const columns = columnsWith(() => lookup_key ?? offering);
    await showList(context, input, (query) => listPackages(client, offering, query), columns);
  },
});

/** Shows the packages of all offerings as one list. */
async function showAll(context: Context, client: Client, input: ListInput): Promise<void> {
  const { limit = Infinity } = input;
  if (input.starting_after !== undefined) {
    throw new UsageError("Cannot use --starting-after: --offering is missing", {
      hint: "Pass --offering LOOKUP_KEY with --starting-after.",
    });
  }
  const names = new Map<Package, string>();
  const found: Package[] = [];
  const texts: string[] = [];
  for await (const offering of each(client, listOfferings(client, { limit: LARGEST_PAGE }))) {
    // One more item than requested shows that there are more.
    if (found.length > limit) break;
    const first = listPackages(client, offering.id, { limit: LARGEST_PAGE });
    for await (const page of pages(client, first)) {
      for (const item of page.items) names.set(item, offering.lookup_key ?? offering.id);
      found.push(...page.items);
      texts.push(...itemTexts(page));
    }
  }
  if (context.out.format === "json") {
    const url = JSON.stringify(`/v2/projects/${client.projectId}/offerings`);
    const items = texts.slice(0, limit).join(",");
    context.out.json(
      `{"object":"list","items":[${items}],"next_page":null,"url":${url}}`,
      "items",
      `/v2/projects/${client.projectId}/offerings/all/packages`,
    );
  } else {
    const nameOf = (item: Package) => names.get(item) ?? item.offering_id;
    context.out.table(found.slice(0, limit), columnsWith(nameOf));
  }
  if (found.length > limit) {
    context.out.note("More packages follow. Show them with a larger --limit");
  }
}

const held = { list: listPackageProducts, columns: productColumns };

/** Packages, and the products in them. */
export const packages = group("Packages, and the products in them", ["pkg"], {
  list,
  view: onOne("Show a package", getPackage, ID),
  create: onBody("Create a package", {
    args: { offering: argument("The offering's lookup key or id") },
    flags: {
      id: text("The lookup key, such as $svc_monthly", { placeholder: "lookup_key" }),
      display_name: text("The display name", { placeholder: "name" }),
      position: parsed("The position in the offering (default: 0, the first)", readPosition, {
        placeholder: "n",
      }),
    },
    fields: { id: "lookup_key" },
    required: ["lookup_key", "display_name"],
    send: (client, body: NewPackage, { offering }) =>
      createPackage(client, { position: 0, ...body, offering_id: offering }),
  }),
  update: onUpdate("Update a package", updatePackage, {
    display_name: text("The display name", { placeholder: "name" }),
    position,
  }, ID),
  delete: onOneForGood("Delete a package", "package", getPackage, deletePackage),
  products: onListOf("List the products of a package", listPackageProducts, productColumns, ID),
  attach: command({
    brief: "Attach products to a package",
    args: { id: argument(ID), product_id: manyArguments("Ids of products") },
    flags: {
      eligibility: choice("The versions of Google's billing SDK that receive them (default: all)", [
        "all",
        "google_sdk_lt_6",
        "google_sdk_ge_6",
      ]),
    },
    hint: ({ status }, { id }) =>
      status === 409 || status === 422
        ? `See its products: cli packages products ${id}. Detach the conflicting product with: ` +
          `cli packages detach ${id} <product-id>`
        : undefined,
    async run(context, { id, product_id, eligibility = "all" }) {
      const products = product_id.map((product) => ({
        product_id: product,
        eligibility_criteria: eligibility,
      }));
      const answer = await attachPackageProducts(await context.client(), id, products);
      await showProducts(context, id, answer, held);
      if (context.out.format === "table") context.out.done(`Attached ${listed(product_id, "and")}`);
    },
  }),
  detach: onProducts("Detach products from a package", detachPackageProducts, ID, held),
});
