/**
 * Offerings against a model: after random actions in random order, in sequence or concurrently,
 * exactly one offering is current while any is active, and no internal error occurs.
 *
 * @module
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import { fc } from "../../support/properties.ts";
import { type Api, apiOf } from "../../support/api.ts";
import { openDesk } from "../../support/harness.ts";

/** An action on an offering. */
interface Step {
  /** What. */
  what: "create" | "delete" | "archive" | "unarchive" | "set_current" | "unset_current" | "rename";
  /** The lookup key. */
  key: string;
}

/** The state of the model. */
interface Model {
  /** The offerings' states by lookup key, oldest first. */
  states: Map<string, "active" | "inactive">;
  /** The current one. */
  current: string | undefined;
}

const steps = fc.record<Step>({
  what: fc.constantFrom(
    "create",
    "create",
    "delete",
    "archive",
    "unarchive",
    "set_current",
    "unset_current",
    "rename",
  ),
  key: fc.constantFrom("a", "b", "c", "d"),
});

Deno.test("one after another, every step does what the model says", async () => {
  await using desk = await openDesk();
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 40 }), async (script) => {
      const { id } = await apiOf(desk).post("/v2/projects", { name: "Model" });
      const api = apiOf(desk, {}, id);
      const model: Model = { states: new Map(), current: undefined };
      for (const step of script) {
        equal(await take(api, step), expect(model, step), JSON.stringify(step));
        const { items } = await api.get("/offerings");
        deepEqual(
          items.map(({ lookup_key, state, is_current }) => [lookup_key, state, is_current]),
          [...model.states].map(([key, state]) => [key, state, key === model.current]),
        );
        checkInvariant(items);
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("simultaneous steps keep all invariants", async () => {
  await using desk = await openDesk();
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: 60 }), async (script) => {
      const { id } = await apiOf(desk).post("/v2/projects", { name: "Model" });
      const api = apiOf(desk, {}, id);
      await Promise.all(script.map(async (step) => {
        const status = await take(api, step);
        ok(status < 500, `${JSON.stringify(step)}: ${status}`);
        checkInvariant((await api.get("/offerings")).items);
      }));
    }),
    { numRuns: 30 },
  );
});

/** Runs a step. Returns the status. */
async function take(api: Api, { what, key }: Step): Promise<number> {
  const path = `/offerings/${key}`;
  const requests: Record<Step["what"], [method: string, path: string, body?: unknown]> = {
    create: ["POST", "/offerings", { lookup_key: key, display_name: "x" }],
    delete: ["DELETE", path],
    archive: ["POST", `${path}/actions/archive`],
    unarchive: ["POST", `${path}/actions/unarchive`],
    set_current: ["POST", path, { is_current: true }],
    unset_current: ["POST", path, { is_current: false }],
    rename: ["POST", path, { display_name: "y" }],
  };
  return (await api.send(...requests[what])).status;
}

/** Runs a step on the model. Returns the expected status. */
function expect(model: Model, { what, key }: Step): number {
  const { states } = model;
  if (what === "create") {
    if (states.has(key)) return 409;
    states.set(key, "active");
    model.current ??= key;
    return 201;
  }
  if (!states.has(key)) return 404;
  const isCurrent = model.current === key;
  switch (what) {
    case "delete": {
      const others = [...states].filter(([other, state]) => other !== key && state === "active");
      if (isCurrent && others.length > 0) return 422;
      states.delete(key);
      if (isCurrent) model.current = undefined;
      return 200;
    }
    case "archive":
      if (isCurrent) return 422;
      states.set(key, "inactive");
      return 200;
    case "unarchive":
      states.set(key, "active");
      model.current ??= key;
      return 200;
    case "set_current":
      if (states.get(key) === "inactive") return 422;
      model.current = key;
      return 200;
    case "unset_current":
      return isCurrent ? 422 : 200;
    case "rename":
      return 200;
  }
}

/** Exactly one offering is current while any is active, and it is an active one. */
function checkInvariant(items: { is_current: boolean; state: string }[]): void {
  const current = items.filter(({ is_current }) => is_current);
  const active = items.filter(({ state }) => state === "active");
  equal(current.length, active.length > 0 ? 1 : 0);
  ok(current.every(({ state }) => state === "active"));
}
