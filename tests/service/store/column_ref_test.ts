import { equal, throws } from "node:assert/strict";
import { loadBuilder } from "../../../lib/service/store/builder.ts";
import { columnRef } from "../../../lib/service/store/column_ref.ts";

Deno.test("no column has the name of a table whose rows belong to projects", async () => {
  await loadBuilder();
  for (const name of ["seq", "m.day", "customers.id", "s0"]) {
    equal(columnRef(name).toOperationNode().kind, "RawNode");
  }
  for (const name of ["customers", "deliveries", "main.customers", "Customers", " customers "]) {
    throws(() => columnRef(name), { message: `Cannot use "${name}" as a column: it is a table` });
  }
});
