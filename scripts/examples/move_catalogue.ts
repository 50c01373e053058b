/**
 * Copies the catalogue of one project into another: products, entitlements with their products,
 * offerings with metadata, packages and paywalls, the current offering, and archived states. The
 * arguments are the ids of the two projects; with `--dry-run` it only prints the plan.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*" scripts/examples/move_catalogue.ts proj1a2b3c4d proj5e6f7a8b
 * ```
 *
 * - Apps are not copied: nobody can read their keys. An app stands for the one of the same type
 *   with
 *   the same bundle id or package name, else for the only one of its type that is left. Products of
 *   an app without a counterpart stay behind.
 * - What is there already, by its lookup key (a product by its app and the store's name for it), is
 *   made like the original. Nothing is deleted or detached. So after a failure the same command does
 *   the rest, and when all is done it changes nothing.
 * - Prices and terms come from the stores. Customers and virtual currencies are not copied.
 *
 * It reports refused changes and continues; then the exit code is 1. It needs a `CLI_REFRESH_TOKEN`
 * with access to both projects; for a service elsewhere also `CLI_BASE_URL`, and its host after
 * `--allow-net=`.
 *
 * @module
 */

import {
  ApiError,
  type App,
  archiveEntitlement,
  archiveOffering,
  archiveProduct,
  attachEntitlementProducts,
  attachPackageProducts,
  type Client,
  connect,
  createEntitlement,
  createOffering,
  createPackage,
  createPaywall,
  createProduct,
  each,
  type Entitlement,
  listApps,
  listEntitlementProducts,
  listEntitlements,
  listOfferings,
  listPackageProducts,
  listPackages,
  listPaywalls,
  listProducts,
  type Offering,
  type Package,
  type Page,
  path,
  type Paywall,
  type PaywallContent,
  type Product,
  setOfferingPaywall,
  ToolkitError,
  unarchiveEntitlement,
  unarchiveOffering,
  unarchiveProduct,
  updateEntitlement,
  updateOffering,
  updatePackage,
  updateProduct,
} from "../../mod.ts";

/** A project's catalogue, without the contents of entitlements and offerings. */
interface Catalogue {
  client: Client;
  apps: App[];
  products: Product[];
  entitlements: Entitlement[];
  offerings: Offering[];
  paywalls: Paywall[];
}

/** One run of this program. */
interface Run {
  from: Catalogue;
  to: Catalogue;
  dryRun: boolean;
  /** Ids of products by the ids of their originals. One that only would be created has its name. */
  products: Map<string, string>;
  /** The objects to archive. */
  archive: [what: string, act: () => Promise<object>][];
}

const limit = 100;

/** The results so far. */
const counts = { changes: 0, refused: 0 };

/** Copies everything, in an order that the service accepts. */
async function moveCatalogue(run: Run): Promise<void> {
  const apps = pairApps(run);
  for (const product of run.from.products) await moveProduct(run, product, apps);
  for (const entitlement of run.from.entitlements) await moveEntitlement(run, entitlement);
  for (const offering of run.from.offerings) await moveOffering(run, offering);
  await moveMark(run);
  // Last, and offerings before their contents, since archived objects cannot be changed.
  for (const [what, archive] of run.archive.toReversed()) await change(run, what, archive);
}

/** Finds the counterparts of apps, by the ids of the originals, and prints them. */
function pairApps({ from, to }: Run): Map<string, App> {
  const found = new Map<string, App>();
  const left = (type: string) =>
    [
      from.apps.filter((app) => app.type === type && !found.has(app.id)),
      to.apps.filter((app) => app.type === type && ![...found.values()].includes(app)),
    ] as const;
  for (const app of from.apps) {
    const name = storeName(app);
    const same = left(app.type)[1].find((one) => name !== null && storeName(one) === name);
    if (same) found.set(app.id, same);
  }
  for (const app of from.apps) {
    const [here, [only, ...more]] = left(app.type);
    if (here.length === 1 && here[0] === app && only && more.length === 0) found.set(app.id, only);
    const target = found.get(app.id);
    const name = target ? nameOf(target) : "no counterpart yet; see: cli apps create --help";
    say(`app ${nameOf(app)}: ${name}`);
  }
  return found;
}

async function moveProduct(run: Run, product: Product, apps: ReadonlyMap<string, App>) {
  const { client, products } = run.to;
  const { id, store_identifier, type, display_name } = product;
  const name = `product ${store_identifier}`;
  const app = apps.get(product.app_id);
  if (!app) return leave(`create ${name}`, "its app has no counterpart");
  const there = products.find((one) =>
    one.app_id === app.id && one.store_identifier === store_identifier
  );
  if (there && there.type !== type) leave(`update ${name}`, `it is a ${there.type} there`);
  const made = await bring(run, name, product, there, {
    create: () => {
      const body = { app_id: app.id, store_identifier, type, display_name };
      if (app.type !== "test_store") return createProduct(client, body);
      // There is no other store that would know these.
      const duration = product.subscription?.duration;
      const terms = duration ? { subscription: { duration } } : {};
      return createProduct(client, { ...body, title: display_name ?? store_identifier, ...terms });
    },
    // The service removes no names.
    update: display_name === null || there?.display_name === display_name
      ? undefined
      : (id) => updateProduct(client, id, { display_name }),
    archive: (id) => archiveProduct(client, id),
    unarchive: (id) => unarchiveProduct(client, id),
  });
  if (made || run.dryRun) run.products.set(id, made?.id ?? store_identifier);
}

async function moveEntitlement(run: Run, entitlement: Entitlement): Promise<void> {
  const { from, to: { client, entitlements } } = run;
  const { lookup_key, display_name } = entitlement;
  const name = `entitlement ${lookup_key}`;
  const there = entitlements.find((one) => one.lookup_key === lookup_key);
  const made = await bring(run, name, entitlement, there, {
    create: () => createEntitlement(client, { lookup_key, display_name }),
    update: there?.display_name === display_name
      ? undefined
      : (id) => updateEntitlement(client, id, { display_name }),
    archive: (id) => archiveEntitlement(client, id),
    unarchive: (id) => unarchiveEntitlement(client, id),
  });
  if (!made && !run.dryRun) return;
  const has = there ? await productsOf(client, there) : [];
  const held = new Set(has.map(({ id }) => id));
  const wanted = (await productsOf(from.client, entitlement))
    .flatMap(({ id }) => run.products.get(id) ?? []);
  const missing = wanted.filter((id) => !held.has(id));
  // The service accepts 50 at once.
  for (let i = 0; i < missing.length; i += 50) {
    const ids = missing.slice(i, i + 50);
    const what = `attach ${ids.length} products to ${name}`;
    await change(run, what, () => attachEntitlementProducts(client, made?.id ?? "", ids));
  }
}

function productsOf(client: Client, { id }: Entitlement): Promise<Product[]> {
  return all(client, listEntitlementProducts(client, id, { limit }));
}

async function moveOffering(run: Run, offering: Offering): Promise<void> {
  const { from, to: { client, offerings } } = run;
  const { lookup_key, display_name, metadata } = offering;
  const name = `offering ${lookup_key}`;
  const there = offerings.find((one) => one.lookup_key === lookup_key);
  const isAlike = there?.display_name === display_name &&
    JSON.stringify(there.metadata) === JSON.stringify(metadata);
  const made = await bring(run, name, offering, there, {
    create: () => createOffering(client, { lookup_key, display_name, metadata }),
    update: isAlike ? undefined : (id) => updateOffering(client, id, { display_name, metadata }),
    archive: (id) => archiveOffering(client, id),
    unarchive: (id) => unarchiveOffering(client, id),
  });
  if (!made && !run.dryRun) return;
  const has = there ? await all(client, listPackages(client, there.id, { limit })) : [];
  for (const item of await all(from.client, listPackages(from.client, offering.id, { limit }))) {
    const same = has.find((one) => one.lookup_key === item.lookup_key);
    await movePackage(run, name, { ...item, offering_id: made?.id ?? "" }, same);
  }
  await movePaywall(run, offering, made?.id ?? "");
}

/** Copies a package into its offering. `there` is the existing package, if any. */
async function movePackage(run: Run, place: string, item: Package, there: Package | undefined) {
  const { from, to: { client } } = run;
  const { id, lookup_key, display_name, position, offering_id } = item;
  const name = `package ${lookup_key} of ${place}`;
  const made = await bring(run, name, {}, there, {
    create: () => createPackage(client, { offering_id, lookup_key, display_name, position }),
    update: there?.display_name === display_name && there.position === position
      ? undefined
      : (id) => updatePackage(client, id, { display_name, position }),
  });
  if (!made && !run.dryRun) return;
  const has = there ? await all(client, listPackageProducts(client, there.id, { limit })) : [];
  const held = new Map(has.map((one) => [one.product.id, one.eligibility_criteria]));
  const wanted = await all(from.client, listPackageProducts(from.client, id, { limit }));
  const missing = wanted.flatMap(({ product, eligibility_criteria }) => {
    const product_id = run.products.get(product.id);
    if (product_id === undefined || held.get(product_id) === eligibility_criteria) return [];
    return [{ product_id, eligibility_criteria, name: product.store_identifier }];
  });
  // Existing products make room for others first, one by one, so that a refused one stops no other.
  const order = ({ product_id }: { product_id: string }) => held.has(product_id) ? 0 : 1;
  for (const { name: product, ...choice } of missing.toSorted((a, b) => order(a) - order(b))) {
    const what = `attach ${product} to ${name}`;
    await change(run, what, () => attachPackageProducts(client, made?.id ?? "", [choice]));
  }
}

/** Copies the paywall of an offering, if it has one, to an offering. */
async function movePaywall(run: Run, offering: Offering, id: string): Promise<void> {
  const { from, to: { client, paywalls } } = run;
  const paywall = from.paywalls.find(({ offering_id }) => offering_id === offering.id);
  if (!paywall) return;
  const name = `paywall of offering ${offering.lookup_key}`;
  const there = paywalls.find(({ offering_id }) => offering_id === id);
  if (paywall.published_at === null) {
    const create = () => createPaywall(client, { offering_id: id });
    return there ? undefined : void await change(run, `create ${name}`, create);
  }
  const content = await contentOf(from.client, offering.id);
  if (!content) return leave(`set ${name}`, "the service does not return its content");
  const before = there && await contentOf(client, id);
  if (JSON.stringify(before) === JSON.stringify(content)) return;
  await change(run, `set ${name}`, () => setOfferingPaywall(client, id, content));
}

/** The content of a paywall, if it has any and the service returns it. */
async function contentOf(client: Client, id: string): Promise<PaywallContent | undefined> {
  try {
    return await client.get<PaywallContent>(path`/offerings/${id}/paywall`);
  } catch (error) {
    if (error instanceof ApiError && [404, 405].includes(error.status)) return undefined;
    throw error;
  }
}

/** Makes the same offering the current one. */
async function moveMark(run: Run): Promise<void> {
  const { from, to } = run;
  const key = from.offerings.find(({ is_current }) => is_current)?.lookup_key;
  const before = to.offerings.find(({ is_current }) => is_current)?.lookup_key;
  if (key === undefined || key === before) return;
  const what = `make offering ${key} current`;
  await change(run, what, () => updateOffering(to.client, key, { is_current: true }));
}

/** How one object is made like another. */
interface Ways<T> {
  create(): Promise<T>;
  /** Undefined without a difference. */
  update: ((id: string) => Promise<T>) | undefined;
  archive?(id: string): Promise<T>;
  unarchive?(id: string): Promise<T>;
}

/** Makes an object like its original. Returns it, unless it could not or was not to be created. */
async function bring<T extends { id: string; state?: string }>(
  run: Run,
  name: string,
  original: { state?: string },
  there: T | undefined,
  { create, update, archive, unarchive }: Ways<T>,
): Promise<T | undefined> {
  const made = there ?? await change(run, `create ${name}`, create);
  const id = made?.id ?? "";
  if (there && update) await change(run, `update ${name}`, () => update(id));
  if (unarchive && original.state === "active" && there?.state === "inactive") {
    await change(run, `unarchive ${name}`, () => unarchive(id));
  }
  if (archive && original.state === "inactive" && there?.state !== "inactive") {
    if (made || run.dryRun) run.archive.push([`archive ${name}`, () => archive(id)]);
  }
  return made;
}

/** Makes a change and prints it, or the service's refusal. */
async function change<T>(run: Run, what: string, act: () => Promise<T>): Promise<T | undefined> {
  try {
    const made = run.dryRun ? undefined : await act();
    counts.changes++;
    say(run.dryRun ? `would ${what}` : what);
    return made;
  } catch (error) {
    const concernsThis = error instanceof ApiError && [400, 404, 409, 422].includes(error.status);
    if (!concernsThis) throw error;
    leave(what, error.message);
    return undefined;
  }
}

/** Prints a skipped change, with the reason. */
function leave(what: string, why: string): void {
  counts.refused++;
  say(`Not done: ${what}: ${why}`, console.error);
}

/** Reads a catalogue. */
async function read(client: Client): Promise<Catalogue> {
  return {
    client,
    apps: await all(client, listApps(client, { limit })),
    products: await all(client, listProducts(client, { limit })),
    entitlements: await all(client, listEntitlements(client, { limit })),
    offerings: await all(client, listOfferings(client, { limit })),
    paywalls: await all(client, listPaywalls(client, { limit })),
  };
}

function all<T>(client: Client, first: Promise<Page<T>>): Promise<T[]> {
  return Array.fromAsync(each(client, first));
}

/** The store's name of an app, if any. */
function storeName(app: App): string | null {
  switch (app.type) {
    case "app_store":
      return app.app_store.bundle_id;
    case "mac_app_store":
      return app.mac_app_store.bundle_id;
    case "play_store":
      return app.play_store.package_name;
    case "amazon":
      return app.amazon.package_name;
  }
  return null;
}

function nameOf(app: App): string {
  return `${app.name} (${[app.type, storeName(app) ?? [], app.id].flat().join(", ")})`;
}

/** Prints a line. Names come from others, so control characters are removed. */
function say(line: string, print: (line: string) => void = console.log): void {
  print(line.replace(/\p{Cc}/gu, ""));
}

/** Reads the arguments. */
function readArguments(args: readonly string[]) {
  const dryRun = args.includes("--dry-run");
  const [from, to, ...more] = args.filter((arg) => arg !== "--dry-run");
  const names = [from, to, ...more].some((arg) => arg?.startsWith("-"));
  if (from === undefined || to === undefined || more.length > 0 || from === to || names) {
    throw new ToolkitError("Cannot copy: pass the ids of two projects", {
      hint: "See them with: cli projects list",
    });
  }
  return { from, to, dryRun };
}

try {
  const { from, to, dryRun } = readArguments(Deno.args);
  const client = await connect();
  await moveCatalogue({
    from: await read(client.with({ projectId: from })),
    to: await read(client.with({ projectId: to })),
    dryRun,
    products: new Map(),
    archive: [],
  });
  const { changes, refused } = counts;
  console.log(`${dryRun ? "Would make" : "Made"} ${changes} changes, not done: ${refused}`);
  if (counts.refused > 0) Deno.exitCode = 1;
} catch (error) {
  if (!(error instanceof ToolkitError)) throw error;
  for (const line of [error.message, error.hint ?? []].flat()) say(line, console.error);
  if (counts.changes > 0) {
    console.error(`Stopped after ${counts.changes} changes; run the same command again`);
  }
  Deno.exitCode = 1;
}
