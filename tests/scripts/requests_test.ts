import { deepEqual } from "node:assert/strict";
import { requestsIn, sendsRequests } from "../../scripts/check/requests.ts";

Deno.test("calls of functions of the API and of the simulator are told apart", () => {
  const text = [
    'import * as api from "../../mod.ts";',
    'import * as purchases from "../../lib/simulator/purchases.ts";',
    'import * as stock from "./every_operation_stock.ts";',
    "await api.getInvoice(client);",
    "const paid = await purchases.payInvoice(simulator, ids.debt);",
    "// await api.getApp(client);",
    "await stock.api.listApps(client);",
    "await stock.choiceOf(api.listProducts);",
  ].join("\n");
  deepEqual(requestsIn(text), { api: ["getInvoice"], simulator: ["payInvoice"] });
});

Deno.test("what makes the stock for requests is none of them", () => {
  const files = ["every_operation_catalogue.ts", "every_operation_stock.ts", "every_operation.ts"];
  const sending = files.filter((file) => sendsRequests(`tests/support/${file}`));
  deepEqual(sending, ["every_operation_catalogue.ts"]);
});
