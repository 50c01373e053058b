import { deepEqual, ok } from "node:assert/strict";
import { findForgotten, type Holdings } from "../../scripts/check/forgotten.ts";

/** A repository with one operation and its command, complete. */
const complete: Holdings = {
  rows: [["payInvoice", "POST", "/invoices/{id}/actions/pay"]],
  added: ["payInvoice"],
  changesTouched: true,
  functions: new Set(["payInvoice"]),
  docs: new Map([["payInvoice", "* Pays an invoice. `POST /invoices/{invoice_id}/actions/pay` "]]),
  routes: new Set(["payInvoice"]),
  support:
    "| `POST /invoices/{id}/actions/pay` | Pays it. | `payInvoice` | `invoices pay` | `a:b:c` |",
  tests: 'await desk.run("invoices", "pay", "in1");',
  commands: ["invoices pay"],
  golden: "$ cli invoices pay --help\nPay an invoice\n$ cli invoices pay in1\nPaid.",
};

const NEW_LINE =
  "add a line that runs its command to scripts/docs/lines.ts, then run `deno task docs`";

Deno.test("a complete operation lacks nothing", () => {
  deepEqual(findForgotten(complete), []);
  deepEqual(findForgotten({ ...complete, tests: "await payInvoice(client)" }), []);
  deepEqual(findForgotten({ ...complete, added: [], changesTouched: false }), []);
  deepEqual(findForgotten({ ...complete, golden: `${complete.golden}\n$ cli other` }), []);
});

Deno.test("a call or a command counts as a test, a comment or the name of a test does not", () => {
  const isTested = (tests: string) => findForgotten({ ...complete, tests }).length === 0;
  for (
    const tests of [
      "await payInvoice(client, id)",
      'await desk.run("invoices", "pay", "in1")',
      'for (const line of ["invoices pay in1"]) await desk.run(...line.split(" "))',
      "await lines(`cli invoices pay ${id}`)",
    ]
  ) ok(isTested(tests), tests);
  for (
    const tests of [
      "// payInvoice(client)",
      "/** Like payInvoice(). */",
      " * payInvoice(client)",
      'Deno.test("invoices pay pays an invoice", () => {})',
      'Deno.test(\n  "payInvoice() pays", () => {})',
      'const unused = ["payInvoice"];',
      "await repayInvoice(client)",
      'await desk.run("invoices payment in1")',
    ]
  ) ok(!isTested(tests), tests);
});

Deno.test("each missing step of an operation is one line with its name and place", () => {
  const lacking: [change: Partial<Holdings>, lines: string[]][] = [
    [{ functions: new Set() }, [
      "payInvoice: no function in lib/resources/ that mod.ts exports",
    ]],
    [{ docs: new Map([["payInvoice", "* Pays an invoice. "]]) }, [
      "payInvoice: its doc does not end with POST /invoices/{id}/actions/pay",
    ]],
    [{ routes: new Set() }, ["payInvoice: no route() in lib/service/routes/"]],
    [{ tests: 'await desk.run("invoices", "payment", "in1");' }, [
      "payInvoice: no test in tests/ calls the function or runs one of its commands",
    ]],
    [{ support: complete.support.replace("`invoices pay`", ""), tests: "payInvoice(client)" }, [
      `payInvoice: no command in its row of docs/support.md: ${NEW_LINE}`,
    ]],
    [{ changesTouched: false }, ["payInvoice: no line in CHANGES.md"]],
    [{ golden: "$ cli invoices pay --help" }, [
      "cli invoices pay: no output in tests/golden/, and no reason in tests/cli/golden/coverage_test.ts",
    ]],
    [{ golden: "$ cli invoices pay in1" }, [
      "cli invoices pay: no help in tests/golden/help/: run the golden tests with UPDATE_GOLDEN=1",
    ]],
  ];
  for (const [change, lines] of lacking) {
    deepEqual(findForgotten({ ...complete, ...change }), lines);
  }
  const rowless = {
    ...complete,
    changesTouched: false,
    rows: [],
    support: "",
    tests: "",
    routes: new Set<string>(),
  };
  deepEqual(findForgotten(rowless), [
    "payInvoice: no row in tests/operations.json",
    "payInvoice: no route() in lib/service/routes/",
    `payInvoice: no row in docs/support.md: ${NEW_LINE}`,
    "payInvoice: no test in tests/ calls the function or runs one of its commands",
    "payInvoice: no line in CHANGES.md",
  ]);
  const without = findForgotten({ ...complete, support: "", tests: "payInvoice(client)" });
  deepEqual(without, [`payInvoice: no row in docs/support.md: ${NEW_LINE}`]);
  // Apps send it, with a public key.
  const support = "| `POST /v1/receipts` | Pays it. | `payInvoice` | | a public SDK key |";
  deepEqual(findForgotten({ ...complete, support, tests: "payInvoice(client)" }), []);
});
