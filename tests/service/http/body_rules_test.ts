import { deepEqual, throws } from "node:assert/strict";
import { z } from "zod";
import { validate } from "../../../lib/service/http/body.ts";
import { Refusal } from "../../../lib/service/contract/errors.ts";
import { openDesk } from "../../support/harness.ts";

const form = z.strictObject({
  name: z.string().min(1).max(3).nullable().optional(),
  list: z.array(z.string().min(2)).min(1).max(2).optional(),
  count: z.int().min(1).max(9).nullable().optional(),
  share: z.number().gt(0).lt(1).optional(),
  either: z.union([z.string().min(2), z.int().min(1)]).optional(),
  site: z.url().optional(),
  odd: z.string().refine((text) => text !== "x").optional(),
  fields: z.record(z.string().max(2), z.int()).optional(),
  inner: z.strictObject({}).optional(),
  only: z.literal("yes").optional(),
  choice: z.enum(["red", "green"]).optional(),
  nothing: z.null().optional(),
  truth: z.boolean().optional(),
  amount: z.number().multipleOf(5).optional(),
  address: z.email().optional(),
  day: z.iso.date().optional(),
  time: z.iso.time().optional(),
  set: z.set(z.int()).min(1).optional(),
  pairs: z.record(z.string(), z.int()).refine((all) => Object.keys(all).length < 2, "must be short")
    .optional(),
  lengths: z.union([z.string().min(5), z.string().max(1)]).optional(),
  mixed: z.union([z.string().min(5), z.url()]).optional(),
  forms: z.union([z.strictObject({ to: z.int() }), z.strictObject({ by: z.int() })]).optional(),
  own: z.union([z.strictObject({ to: z.int() }), z.string()], "must be one of ours").optional(),
  firsts: z.union([
    z.string().min(3, "must be long").regex(/x/, "must be x"),
    z.string().min(2, "must be short"),
  ]).optional(),
  nested: z.strictObject({ list: z.array(z.union([z.int().min(3), z.null()])) }).optional(),
});

const RULES: [object, string, string][] = [
  [{ name: "" }, "name", "'name' must have 1 character or more"],
  [{ name: "long" }, "name", "'name' must have at most 3 characters"],
  [{ name: 1 }, "name", "'name' must be text"],
  [{ list: [] }, "list", "'list' must have 1 item or more"],
  [{ list: ["aa", "bb", "cc"] }, "list", "'list' must have at most 2 items"],
  [{ list: ["a"] }, "list.0", "'list.0' must have 2 characters or more"],
  [{ count: 0 }, "count", "'count' must be 1 or more"],
  [{ count: 10 }, "count", "'count' must be 9 or less"],
  [{ count: 1.5 }, "count", "'count' must be a whole number"],
  [{ share: 0 }, "share", "'share' must be more than 0"],
  [{ share: 1 }, "share", "'share' must be less than 1"],
  [{ either: "a" }, "either", "'either' must have 2 characters or more"],
  [{ either: 0 }, "either", "'either' must be 1 or more"],
  [{ either: true }, "either", "'either' must be text or a number"],
  [{ site: "x" }, "site", "'site' must be a URL"],
  [{ only: "no" }, "only", "'only' must be yes"],
  [{ choice: "blue" }, "choice", "'choice' must be one of red, green"],
  [{ odd: "x" }, "odd", "'odd' is invalid"],
  [{ list: "x" }, "list", "'list' must be a list"],
  [{ inner: [] }, "inner", "'inner' must be an object"],
  [{ fields: 1 }, "fields", "'fields' must be an object"],
  [{ share: "x" }, "share", "'share' must be a number"],
  [{ count: "x" }, "count", "'count' must be a number"],
  [{ nothing: 1 }, "nothing", "'nothing' must be null"],
  [{ truth: 1 }, "truth", "'truth' must be true or false"],
  [{ amount: 7 }, "amount", "'amount' must be a multiple of 5"],
  [{ address: "x" }, "address", "'address' must be an email address"],
  [{ day: "x" }, "day", "'day' must be a date such as 2026-11-23"],
  [{ time: "x" }, "time", "'time' has the wrong format"],
  [{ set: new Set() }, "set", "'set' must have 1 item or more"],
  [{ pairs: { a: 1, b: 2 } }, "pairs", "'pairs' must be short"],
  [{ lengths: "abc" }, "lengths", "'lengths' is invalid"],
  [{ mixed: "abc" }, "mixed", "'mixed' must be a URL"],
  [{ forms: {} }, "forms", "'forms' must have either 'to' or 'by'"],
  [{ forms: { to: "x" } }, "forms.to", "'forms.to' must be a number"],
  [{ own: { to: "x" } }, "own", "'own' must be one of ours"],
  [{ firsts: "a" }, "firsts", "'firsts' must be long or short"],
  [{ own: true }, "own", "'own' must be one of ours"],
  [{ nested: { list: [3, 2] } }, "nested.list.1", "'nested.list.1' must be 3 or more"],
  [{ nested: { list: [true] } }, "nested.list.0", "'nested.list.0' must be a number or null"],
  [{ more: 1 }, "more", "'more' is not a known field"],
  [{ inner: { more: 1 } }, "inner.more", "'inner.more' is not a known field"],
  [{ fields: { long: 1 } }, "fields.long", "'fields.long' must have at most 2 characters"],
];

Deno.test("the rule for a value is in the service's own words, at any depth", () => {
  for (const [body, param, message] of RULES) {
    throws(() => validate(form, body), (error) => {
      if (!(error instanceof Refusal)) throw error;
      deepEqual([error.details.param, error.message], [param, message]);
      return true;
    });
  }
});

Deno.test("an invalid advance of a clock is refused with the allowed forms", async () => {
  await using desk = await openDesk();
  const told = async (body: object) => {
    const path = `/_sim/projects/${desk.projectId}/clock/advance`;
    const headers = { Authorization: `Bearer ${desk.service.adminSecret}` };
    const { param, message } = await (await desk.send("POST", path, body, headers)).json();
    return [param, message];
  };
  deepEqual(await told({}), [undefined, "The body must have either 'to' or 'by'"]);
  deepEqual(await told({ by: 0 }), ["by", "'by' must be 1 or more"]);
  const [param, message] = await told({ by: "soon" });
  deepEqual([param, /^'by' must be an ISO 8601 duration/.test(message)], ["by", true]);
  deepEqual(await told({ to: "soon" }), ["to", "'to' must be a number"]);
  deepEqual(await told({ by: "P1D", on: 1 }), ["on", "'on' is not a known field"]);
});
