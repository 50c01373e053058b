import { equal, ok } from "node:assert/strict";
import { nameOfLeftover, temporaryName } from "../lib/temporary_name.ts";

Deno.test("a leftover tells the name that it was to get", () => {
  const name = temporaryName("service.db");
  ok(name !== temporaryName("service.db"));
  for (const end of ["", "-journal", "-wal", "-shm"]) {
    equal(nameOfLeftover(name + end), "service.db", end);
  }
  for (const other of ["service.db", "service.db.tmp", `${name}-old`, name.replace("tmp", "db")]) {
    equal(nameOfLeftover(other), undefined, other);
  }
});
