import { deepEqual, equal } from "node:assert/strict";
import { sourceOf, withIds } from "../../../lib/service/records/random.ts";
import { type SeedCatalogue, writeCatalogue } from "../../../lib/service/seed/catalogue.ts";
import { GAMES, NEWS, NOTES, NOTES_COINS } from "../../../lib/service/seed/catalogues.ts";
import { inProject } from "../../../lib/service/store/mod.ts";
import { openService, type TestService } from "../../support/engine.ts";
import { matchGolden } from "../../support/golden.ts";
import { steadyBytes } from "../../support/steady_bytes.ts";

const NOW = Date.UTC(2026, 4, 17);

/** The tables of a catalogue. */
const TABLES = [
  ...["apps", "products", "entitlements", "entitlement_products", "offerings", "packages"] as const,
  ...["package_products", "virtual_currencies"] as const,
];

/** Opens a service whose project has no coins and no buyers. */
function openPlain(): Promise<TestService> {
  return openService({ clock: () => NOW, buyers: false, random: steadyBytes() });
}

/** Writes a catalogue into the project. */
async function write({ store, projectId = "" }: TestService, catalogue: SeedCatalogue) {
  return await store.write(async (whole) => {
    const tx = inProject(whole, projectId);
    const project = await tx.selectFrom("projects").selectAll().executeTakeFirstOrThrow();
    return await writeCatalogue({ tx, project, now: NOW }, catalogue);
  });
}

/** The rows of the project's catalogue, each as one line. */
async function linesOf({ store, projectId = "" }: TestService): Promise<string[]> {
  const lines: string[] = [];
  for (const table of TABLES) {
    const rows = await store.read((tx) =>
      inProject(tx, projectId).selectFrom(table).selectAll().orderBy("seq").execute()
    );
    // The numbers depend on how many others there are.
    lines.push(table, ...rows.map(({ seq: _, ...row }) => `  ${JSON.stringify(row)}`));
  }
  return lines;
}

Deno.test("the game and the newspaper bring the same rows as ever", async () => {
  await using service = await openPlain();
  const before = new Set(await linesOf(service));
  await withIds(sourceOf(steadyBytes()), async () => {
    for (const catalogue of [GAMES, NEWS]) await write(service, catalogue);
  });
  const added = (await linesOf(service)).filter((line) =>
    !line.startsWith(" ") || !before.has(line)
  );
  await matchGolden("catalogues", `${added.join("\n")}\n`);
});

Deno.test("a catalogue that the project has changes nothing", async () => {
  await using service = await openPlain();
  const all = [NOTES, NOTES_COINS, GAMES, NEWS];
  for (const catalogue of all) await write(service, catalogue);
  const before = await linesOf(service);
  for (const catalogue of all) await write(service, catalogue);
  deepEqual(await linesOf(service), before);
  const { offering_id } = await write(service, GAMES);
  const { id } = await service.store.read((tx) =>
    inProject(tx, service.projectId ?? "").selectFrom("offerings").select("id")
      .where("lookup_key", "=", GAMES.offerings[0]?.key ?? "").executeTakeFirstOrThrow()
  );
  equal(offering_id, id);
});

Deno.test("a catalogue brings back the product that an entitlement has lost, and no other row", async () => {
  await using service = await openPlain();
  const before = await linesOf(service);
  const { products } = await write(service, NOTES);
  for (const identifier of ["notes.pro.annual", "notes_lifetime"]) {
    const product_id = products.get(identifier)?.id ?? "";
    await service.store.write(async (tx) => {
      const own = inProject(tx, service.projectId ?? "");
      const { id } = await own.selectFrom("entitlements").select("id")
        .where("lookup_key", "=", "pro").executeTakeFirstOrThrow();
      const removed = await own.deleteFrom("entitlement_products")
        .where("product_id", "=", product_id).where("entitlement_id", "=", id).executeTakeFirst();
      equal(removed.numDeletedRows, 1n);
    });
    await write(service, NOTES);
    deepEqual((await linesOf(service)).sort(), [...before].sort());
  }
});

Deno.test("a project without buyers has neither coins nor purchases", async () => {
  await using service = await openPlain();
  const { store, projectId = "" } = service;
  const tables = ["virtual_currencies", "subscriptions", "purchases", "movements"] as const;
  for (const table of tables) {
    const rows = await store.read((tx) =>
      inProject(tx, projectId).selectFrom(table).selectAll().execute()
    );
    deepEqual(rows, [], table);
  }
});
