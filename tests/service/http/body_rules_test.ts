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
