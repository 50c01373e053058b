import { deepEqual, match, ok } from "node:assert/strict";
import config from "../../deno.json" with { type: "json" };
import { findForgotten, type Holdings } from "../../scripts/check/forgotten.ts";

/** A repository with one operation and its command, complete. */
const complete: Holdings = {
  rows: [["payInvoice", "POST", "/invoices/{id}/actions/pay"]],
  added: ["payInvoice"],
  changesTouched: true,
  functions: new Set(["payInvoice"]),
  docs: new Map([["payInvoice", "* Pays an invoice. `POST /invoices/{invoice_id}/actions/pay` "]]),
  routes: new Set(["payInvoice"]),
  requests: new Set(["payInvoice"]),
  simulator: {
    rows: [["setPrice", "POST", "/_sim/projects/{project_id}/price"]],
    docs: new Map([["setPrice", "* Sets it. `POST /_sim/projects/{project_id}/price` "]]),
    routes: new Set(["setPrice"]),
    requests: new Set(["setPrice"]),
  },
  support:
    "| `POST /invoices/{id}/actions/pay` | Pays it. | `payInvoice` | `invoices pay` | `a:b:c` |",
  tests: ['await desk.run("invoices", "pay", "in1");'],
  commands: ["invoices pay"],
  folders: new Set(["charts"]),
  golden: [
    "POST /v2/invoices/{id}/actions/pay: payInvoice, 200",
    "$ cli invoices pay --help\nPay an invoice",
    "$ cli invoices pay in1\nPaid.",
  ].join("\n"),
};

const NEW_LINE =
  "add a line that runs its command to scripts/docs/lines.ts, then run `deno task docs`";

Deno.test("a complete operation lacks nothing", () => {
  deepEqual(findForgotten(complete), []);
  deepEqual(findForgotten({ ...complete, tests: ["await payInvoice(client)"] }), []);
  deepEqual(findForgotten({ ...complete, added: [], changesTouched: false }), []);
  deepEqual(findForgotten({ ...complete, golden: `${complete.golden}\n$ cli other` }), []);
});

Deno.test("a call or a command counts as a test, a comment or the name of a test does not", () => {
  const isTested = (tests: string) => findForgotten({ ...complete, tests: [tests] }).length === 0;
  for (
    const tests of [
      "await payInvoice(client, id)",
      'await desk.run("invoices", "pay", "in1")',
      'for (const line of ["invoices pay in1"]) await desk.run(...line.split(" "))',
      "const line = `cli invoices pay ${id}`; // the first one\nshown(line, await run(line))",
    ]
  ) ok(isTested(tests), tests);
  for (
    const tests of [
      "// payInvoice(client)",
      "/** Like payInvoice(). */",
      " * payInvoice(client)",
      "await pay(); // like payInvoice(client)",
      'Deno.test("invoices pay pays an invoice", () => {})',
      'Deno.test(\n  "payInvoice() pays", () => {})',
      'const unused = ["payInvoice"];',
      "await repayInvoice(client)",
      'await desk.run("invoices payment in1")',
      'equal(message, "invoices pay in1")',
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
    [{ tests: ['await desk.run("invoices", "payment", "in1");'] }, [
      "payInvoice: no test in tests/ calls the function or runs one of its commands",
    ]],
    [{ support: complete.support.replace("`invoices pay`", ""), tests: ["payInvoice(client)"] }, [
      `payInvoice: no command in its row of docs/support.md: ${NEW_LINE}`,
    ]],
    [{ requests: new Set() }, [
      "payInvoice: no request in tests/support/every_operation_*.ts",
    ]],
    [{ golden: complete.golden.replace("payInvoice, 200", "payInvoices, 200") }, [
      "payInvoice: no contract in tests/golden/operations.txt: run `UPDATE_GOLDEN=1 deno task test tests/service/routes/contracts_test.ts`",
    ]],
    [{ changesTouched: false }, ["payInvoice: no line in CHANGES.md"]],
  ];
  for (const [change, lines] of lacking) {
    deepEqual(findForgotten({ ...complete, ...change }), lines);
  }
  const without = findForgotten({ ...complete, support: "", tests: ["payInvoice(client)"] });
  deepEqual(without, [`payInvoice: no row in docs/support.md: ${NEW_LINE}`]);
  // Apps send it, with a public key.
  const support = "| `POST /v1/receipts` | Pays it. | `payInvoice` | | a public SDK key |";
  deepEqual(findForgotten({ ...complete, support, tests: ["payInvoice(client)"] }), []);
});

/** A repository without the operation, except for its golden text and its command. */
const WITHOUT_ROW: Partial<Holdings> = {
  rows: [],
  added: [],
  changesTouched: false,
  functions: new Set(),
  docs: new Map(),
  routes: new Set(),
  requests: new Set(),
  support: "",
  tests: [],
};

Deno.test("a function or a route without a row is named, with all that it lacks", () => {
  const row = "payInvoice: no row in tests/operations.json";
  const rest = [
    `payInvoice: no row in docs/support.md: ${NEW_LINE}`,
    "payInvoice: no test in tests/ calls the function or runs one of its commands",
    "payInvoice: no request in tests/support/every_operation_*.ts",
    "payInvoice: no line in CHANGES.md",
  ];
  const { functions, docs, routes } = complete;
  deepEqual(findForgotten({ ...complete, ...WITHOUT_ROW, functions, docs }), [
    row,
    "payInvoice: no route() in lib/service/routes/",
    ...rest,
  ]);
  deepEqual(findForgotten({ ...complete, ...WITHOUT_ROW, routes }), [
    row,
    "payInvoice: no function in lib/resources/ that mod.ts exports",
    ...rest,
  ]);
});

Deno.test("each missing step of an operation of the simulator is one line", () => {
  const nothing: Holdings["simulator"] = {
    rows: [],
    docs: new Map(),
    routes: new Set(),
    requests: new Set(),
  };
  const { rows, docs, routes } = complete.simulator;
  const lacking: [simulator: Partial<Holdings["simulator"]>, steps: string[]][] = [
    [nothing, []],
    [{ ...nothing, rows }, ["no function", "no route", "no request"]],
    [{ ...nothing, docs }, ["no row", "no route", "no request"]],
    [{ ...nothing, routes }, ["no row", "no function", "no request"]],
    [{ docs: new Map([["setPrice", "* Sets it. "]]) }, ["its doc does not end with POST"]],
  ];
  for (const [change, steps] of lacking) {
    const simulator = { ...complete.simulator, ...change };
    const lines = findForgotten({ ...complete, simulator });
    deepEqual(
      lines.map((line, i) => line.slice(0, `setPrice of the simulator: ${steps[i]}`.length)),
      steps.map((step) => `setPrice of the simulator: ${step}`),
    );
  }
});

Deno.test("what writes a command's golden text is named", () => {
  const commands = ["charts data", "invoices pay"];
  const output =
    "no output in tests/golden/: add it to a session of tests/cli/golden/ and run `UPDATE_GOLDEN=1 deno task test tests/cli/golden`, or add a reason to tests/cli/golden/coverage_test.ts";
  const golden = "POST /v2/invoices/{id}/actions/pay: payInvoice, 200\n$ cli invoices pay in1";
  deepEqual(findForgotten({ ...complete, commands, golden }), [
    "cli charts data: no help in tests/golden/help/: run `UPDATE_GOLDEN=1 deno task test tests/cli/commands/charts/help_test.ts`",
    `cli charts data: ${output}`,
    "cli invoices pay: no help in tests/golden/help/: run `UPDATE_GOLDEN=1 deno task test tests/cli/commands/help_test.ts`",
  ]);
  const withHelp = golden.replace("pay in1", "pay --help");
  deepEqual(findForgotten({ ...complete, golden: withHelp }), [`cli invoices pay: ${output}`]);
});

Deno.test("deno task check lists what is missing before it checks anything else", () => {
  match(config.tasks.check.command, /^deno run [^&|;]* scripts\/check\/main\.ts && /);
});
