/**
 * Begins a population: what is sold, who is to come, and the project's clock in the past.
 *
 * @module
 */

import type { NewPopulation } from "../../../simulator/population.ts";
import { noProject, Refusal, taken } from "../../contract/errors.ts";
import { addDuration } from "../../domain/calendar.ts";
import { projectTime } from "../../time/clock.ts";
import { beginPast } from "../../ledger/past.ts";
import { writeCatalogue } from "../../seed/catalogue.ts";
import { inProject, type ProjectTx, type Tx } from "../../store/mod.ts";
import type { Row } from "../../store/tables.ts";
import { createAgenda } from "./agenda.ts";
import { keyOf } from "./chance.ts";
import { type Habits, KINDS } from "./kinds.ts";
import { isRestOf, type Note } from "./note.ts";
import { firstId, personOf } from "./people.ts";
import type { Shop, World } from "./world.ts";

/**
 * Begins a population, or the rest of one that was interrupted: the project's clock goes to a time in
 * the past, on the way to where it was. Until it arrives nobody sees the project, and only the process
 * that plays lets its time pass.
 *
 * @throws {Refusal} when there is no such project, or it has customers and that was not confirmed.
 */
export async function beginWorld(
  whole: Tx,
  projectId: string,
  { wanted, latest, wall, player }: {
    wanted: NewPopulation;
    latest?: Note | undefined;
    wall: number;
    player: string;
  },
): Promise<World> {
  const tx = inProject(whole, projectId);
  const project = await tx.selectFrom("projects").selectAll().executeTakeFirst();
  if (!project) throw noProject(projectId);
  const rest = latest && isRestOf(latest, wanted) ? latest : undefined;
  if (!rest) await checkEmpty(tx, wanted);
  const present = projectTime(project, wall);
  const span = rest ?? spanBefore(present, wanted);
  const habits = KINDS[wanted.kind ?? "notes"];
  const shops = await openShops({ tx, project, now: present }, habits, wanted.kind !== undefined);
  const offering_id = (await tx.selectFrom("projects").select("current_offering_id")
    .executeTakeFirstOrThrow()).current_offering_id;
  const world: World = {
    project,
    wanted,
    habits,
    key: keyOf(wanted.seed),
    span: { from: span.from, to: span.to },
    offering_id,
    shops,
    agenda: createAgenda(),
    subscriptions: new Map(),
    idle: [],
    shared: 0,
    number: wanted.customers,
    counts: rest?.counts ?? { customers: 0, subscriptions: 0, purchases: 0, steps: 0 },
  };
  if (!rest) await checkNew(tx, world, latest);
  await beginPast(tx, player);
  await tx.updateTable("projects").set({
    clock_frozen_at: rest?.now ?? span.from,
    clock_advancing_to: present,
    clock_runs_after: project.clock_frozen_at === null ? 1 : 0,
  }).execute();
  for (let index = world.counts.customers; index < wanted.customers; index++) {
    const { at, key } = personOf(world, index);
    world.agenda.add({ at, number: index, act: "arrive", person: index, key });
  }
  return world;
}

/** The past that ends at a time. */
function spanBefore(to: number, { months }: NewPopulation): World["span"] {
  const from = addDuration(to, `P${months}M`, -1);
  if (from >= 0) return { from, to };
  throw new Refusal(422, "parameter_error", "The past would begin before 1970", {
    param: "months",
  });
}

/** Refuses a project with customers, unless that is meant. */
async function checkEmpty(tx: ProjectTx, { confirmed }: NewPopulation): Promise<void> {
  if (confirmed === true) return;
  const some = await tx.selectFrom("customers").select("id").limit(1).executeTakeFirst();
  if (!some) return;
  const message = 'The project has customers. Send "confirmed": true to add a population';
  throw new Refusal(422, "parameter_error", message, { param: "confirmed" });
}

/** Refuses a seed whose people the project has. */
async function checkNew(tx: ProjectTx, world: World, latest: Note | undefined): Promise<void> {
  const id = firstId(world);
  const known = await tx.selectFrom("customer_aliases").select("alias").where("alias", "=", id)
    .executeTakeFirst();
  if (!known) return;
  const { seed } = world.wanted;
  if (
    latest?.plan?.seed !== seed || !isRestOf(latest, { ...latest.plan, customers: latest.wanted })
  ) {
    throw taken("a population", "seed", String(seed));
  }
  const { counts: { customers }, wanted, plan: { months, kind } } = latest;
  const message =
    `The population with the seed "${seed}" was interrupted: it has ${customers} of ` +
    `${wanted} customers. To continue, send "customers": ${wanted}, "months": ${months} and ` +
    (kind === undefined ? 'no "kind"' : `"kind": "${kind}"`);
  throw new Refusal(409, "resource_already_exists", message, { param: "seed" });
}

/** What is sold: the products of the wanted kind, or those of the project if it has any. */
async function openShops(
  place: Parameters<typeof writeCatalogue>[0],
  habits: Habits,
  isChosen: boolean,
): Promise<World["shops"]> {
  const { tx } = place;
  if (isChosen) {
    const { products } = await writeCatalogue(place, habits.catalogue);
    return await shopsOf(tx, habits, [...products.values()]);
  }
  const own = await tx.selectFrom("products").selectAll().where("state", "=", "active")
    .where("price_micros", "is not", null).orderBy("seq").execute();
  const shops = await shopsOf(tx, habits, own);
  return shops.length > 0 ? shops : await openShops(place, habits, true);
}

/** Products by their apps. Money of the test store is never real, so nobody buys there. */
async function shopsOf(
  tx: ProjectTx,
  { stores }: Habits,
  products: readonly Row<"products">[],
): Promise<World["shops"]> {
  const apps = await tx.selectFrom("apps").select(["id", "type"]).where("type", "!=", "test_store")
    .orderBy("seq").execute();
  return apps.flatMap(({ id, type }) => {
    const own = products.filter(({ app_id }) => app_id === id);
    const subscriptions = own.filter((product) => product.type === "subscription");
    const once = own.filter((product) => product.type !== "subscription");
    if (own.length === 0) return [];
    const shop: Shop = { app_id: id, store: type, subscriptions, once };
    return [[shop, stores[type] ?? RARE_STORE] as const];
  });
}

/** The weight of a store of which the habits say nothing. */
const RARE_STORE = 5;
