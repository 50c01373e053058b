/**
 * The document of the routes under `/_sim`.
 *
 * @module
 */

import { z } from "zod";
import { adminRoute } from "./route.ts";

const getSimulatorDocument = adminRoute({
  name: "getSimulatorDocument",
  summary: "Reads the OpenAPI document of the routes under /_sim.",
  method: "GET",
  path: "/_sim/openapi.json",
  response: z.record(z.string(), z.unknown()),
}, async ({ describe }) => describe());

/** The route of the document. */
export const documentRoutes = [getSimulatorDocument];
