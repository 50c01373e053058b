/**
 * `cli offerings …`
 *
 * @module
 */

import {
  hintOfArchived,
  itemTexts,
  onBody,
  onList,
  onOne,
  onOneForGood,
  onUpdate,
  showOne,
} from "../words/plain.ts";
import type { ApiError } from "../../errors.ts";
import { rawJson } from "../../client.ts";
import { each, LARGEST_PAGE, nestedItems, type Page, pages } from "../../page.ts";
import {
  archiveOffering,
  createOffering,
  deleteOffering,
  getOffering,
  listOfferings,
  type Offering,
  unarchiveOffering,
  updateOffering,
} from "../../resources/offerings.ts";
import type { Package } from "../../resources/packages.ts";
import { argument, command, group, text, toggle } from "../words/command.ts";
import type { Column } from "../screen/output.ts";
import type { HintScene } from "../words/hints.ts";
import { quoted } from "../screen/command_lines.ts";
import { preview } from "./offerings/preview.ts";

const columns: Column<Offering>[] = [
  { header: "current", value: (offering) => offering.is_current ? "*" : " " },
  { header: "lookup_key", value: (offering) => offering.lookup_key, kind: "id" },
  { header: "display_name", value: (offering) => offering.display_name },
  { header: "state", value: (offering) => offering.state, kind: "word" },
  { header: "created", value: (offering) => offering.created_at, kind: "date", spare: true },
];

/** A product of a package, or a package without products. */
interface PackageRow {
  /** The package. */
  item: Package;
  /** The product's name in its store. */
  product: string | undefined;
}

const packageColumns: Column<PackageRow>[] = [
  { header: "#", value: ({ item }) => item.position },
  { header: "package", value: ({ item }) => item.lookup_key, kind: "id" },
  { header: "display_name", value: ({ item }) => item.display_name },
  { header: "product", value: ({ product }) => product, kind: "id" },
];

/** One row for each product of each package. */
function rowsOf(packages: readonly Package[]): PackageRow[] {
  return packages.flatMap((item): PackageRow[] => {
    const products = nestedItems(item.products);
    if (products.length === 0) return [{ item, product: undefined }];
    return products.map(({ product }) => ({ item, product: product?.store_identifier }));
  });
}

const ID = "The offering's lookup key or id";

const view = command({
  brief: "Show an offering with its packages",
  details:
    "JSON output is the offering as the service sends it. With --packages it is one object " +
    "with the keys offering and packages.",
  args: { id: argument(ID) },
  flags: { packages: toggle("Show the packages too (default: yes)", { on: true }) },
  async run(context, { id, packages }) {
    const client = await context.client();
    const offering = await getOffering(client, id);
    const wanted = context.out.format === "json" ? packages === true : packages !== false;
    if (!wanted) return showOne(context, offering);
    // The other commands need nothing of packages.
    const { listPackages } = await import("../../resources/packages.ts");
    const first = listPackages(client, id, { limit: LARGEST_PAGE, expand: ["items.product"] });
    const read: Page<Package>[] = [];
    for await (const page of pages(client, first)) read.push(page);
    if (context.out.format === "json") {
      const items = read.flatMap(itemTexts).join(",");
      return context.out.json(
        `{"offering":${rawJson(offering)},"packages":[${items}]}`,
        "packages",
        `/v2/projects/${client.projectId}/offerings/${id}/packages`,
      );
    }
    showOne(context, offering);
    context.out.table(rowsOf(read.flatMap(({ items }) => items)), packageColumns, {
      empty: "The offering has no packages.",
    });
  },
});

/** The current offering can be deleted after another one becomes current. */
async function hintOfCurrent(
  { status }: ApiError,
  { context }: HintScene,
): Promise<string | undefined> {
  if (status !== 422) return undefined;
  const client = await context.client();
  const all = await Array.fromAsync(each(client, listOfferings(client, { limit: LARGEST_PAGE })));
  const other = all.find(({ is_current, state }) => !is_current && state === "active");
  return other
    ? `Make another offering current first: cli offerings set-current ${quoted(other.lookup_key)}`
    : "Create another offering and make it current first: cli offerings create --help";
}

/** Offerings, one of which is current. */
export const offerings = group("Offerings, one of which is current", ["offer"], {
  list: onList("List the offerings", listOfferings, columns),
  view,
  create: onBody("Create an offering", {
    flags: {
      id: text("The lookup key, for code", { placeholder: "lookup_key" }),
      display_name: text("The display name", { placeholder: "name" }),
    },
    fields: { id: "lookup_key" },
    required: ["lookup_key", "display_name"],
    send: createOffering,
  }),
  update: onUpdate("Update an offering", updateOffering, {
    display_name: text("The display name", { placeholder: "name" }),
  }, ID),
  delete: onOneForGood("Delete an offering", "offering", getOffering, deleteOffering, {
    id: ID,
    hint: hintOfCurrent,
  }),
  archive: onOne("Archive an offering", archiveOffering, ID, hintOfCurrent),
  unarchive: onOne("Unarchive an offering", unarchiveOffering, ID, hintOfArchived),
  "set-current": onOne(
    "Make an offering current",
    (client, id) => updateOffering(client, id, { is_current: true }),
    ID,
    ({ status }, { id }) =>
      status === 422 ? `Unarchive it first: cli offerings unarchive ${id}` : undefined,
  ),
  preview,
});
