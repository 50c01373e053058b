import { equal } from "node:assert/strict";
import { z } from "zod";
import { type RateClass, route } from "../../../lib/service/contract/route.ts";
import type { Scope } from "../../../lib/service/contract/scopes.ts";

Deno.test("the first permission of a route decides which rate limit counts", () => {
  const rateOf = (...scope: Scope[]): RateClass =>
    route(
      { name: "any", summary: "Any.", method: "GET", path: "/any", scope, response: z.null() },
      () => Promise.resolve(null),
    ).rate;
  equal(rateOf("project_configuration:apps:read"), "configuration");
  equal(rateOf("customer_information:customers:read"), "customers");
  equal(rateOf("charts_metrics:charts:read"), "charts");
  const both = ["customer_information:customers:read", "project_configuration:apps:read"] as const;
  equal(rateOf(...both), "customers");
  equal(rateOf(...both.toReversed()), "configuration");
});
