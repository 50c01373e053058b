import { deepEqual, equal, match, ok } from "node:assert/strict";
import { at, type Counter, linesOf, openCounter } from "../support/cli_fixture.ts";
import { openDesk } from "../support/harness.ts";
import { simulate } from "../support/simulation.ts";

/** An error and the way out of it. */
interface Way {
  /** Lines that lead to the error. */
  before?: string[];
  /** The line that fails. */
  fails: string;
  /** The expected hint. Names such as `$app_store` stand for ids. */
  hint: string;
  /** The person's values for `<…>` and PATH in the hint. */
  fill?: Record<string, string>;
  /** Whether the line that failed works after the hint was followed. */
  again?: boolean;
}

/** Errors of commands on objects, and the way out of each. */
const WAYS: Way[] = [
  {
    fails: "products push-to-store $notes.pro.monthly",
    hint:
      `Add the key to the app first: echo '{"app_store": {"app_store_connect_api_key": "KEY"}}' ` +
      "| cli apps update $app_store --file -",
    again: true,
  },
  {
    fails: "products push-to-store $notes_pro:monthly",
    hint: "Create it in the store itself. See its app: cli apps view $play_store",
  },
  {
    fails: "packages attach $pkg_monthly $notes.pro.annual",
    hint:
      "See its products: cli packages products $pkg_monthly. Detach the conflicting product with: " +
      "cli packages detach $pkg_monthly <product-id>",
    fill: { "<product-id>": "$notes.pro.monthly" },
    again: true,
  },
  {
    fails: "subscriptions cancel $sub -y",
    hint: "The customer can cancel it in the store: cli subscriptions management-url $sub",
  },
  {
    fails: "subscriptions refund $sub -y",
    hint: "The customer can ask the store for a refund: cli subscriptions management-url $sub",
  },
  {
    fails: "subscribers refund $sub $payment -y",
    hint: "See the status of each payment: cli subscriptions transactions $sub. " +
      "If the store itself refunds, the customer asks there: cli subscriptions management-url $sub",
  },
  {
    fails: "subscriptions refund $google -y",
    hint: "Refund single payments with: cli subscribers refund $google <transaction-id>. " +
      "See them with: cli subscriptions transactions $google",
    fill: { "<transaction-id>": "$charge -y" },
  },
  {
    fails: "offerings delete default -y",
    before: ["offerings unarchive winter_sale"],
    hint: "Make another offering current first: cli offerings set-current winter_sale",
    again: true,
  },
  {
    fails: "offerings archive default",
    hint: "Make another offering current first: cli offerings set-current winter_sale",
    again: true,
  },
  {
    before: ["offerings archive winter_sale"],
    fails: "offerings set-current winter_sale",
    hint: "Unarchive it first: cli offerings unarchive winter_sale",
    again: true,
  },
  {
    before: ["offerings archive winter_sale", "products archive $notes.pro.annual"],
    fails: "offerings unarchive winter_sale",
    hint: "Unarchive its products first: cli products unarchive $notes.pro.annual",
    again: true,
  },
  {
    fails: "products delete $notes.pro.monthly -y",
    hint: "Archive it instead: cli products archive $notes.pro.monthly",
  },
  {
    fails: "apps delete $app_store -y",
    hint: "An app with purchases cannot be deleted. Archive its products instead: " +
      "cli products archive $notes.pro.monthly",
  },
  {
    fails: "apps delete $svc_billing -y",
    hint: "Delete its products first: cli products delete $notes_web_monthly",
    fill: { "$notes_web_monthly": "$notes_web_monthly -y" },
  },
  {
    fails: "offerings view nope",
    hint: "See the list: cli offerings list --project-id $project",
  },
  {
    fails: "subscribers refund $sub nope -y",
    hint: "See the list: cli subscriptions transactions $sub --project-id $project",
  },
  {
    fails: "offerings create --id default --display-name Again",
    hint: "Check --id (lookup_key); see: cli offerings create --help",
  },
  {
    fails: "subscribers transfer ada ada -y",
    hint: "Check <dst-user-id>; see: cli subscribers transfer --help",
  },
  {
    fails: "subscribers create a/b",
    hint: "Check <user-id>; see: cli subscribers create --help",
  },
  {
    fails: "subscriptions view nope",
    hint: "See the list: cli subscribers info <user-id> --project-id $project",
    fill: { "<user-id>": "ada" },
  },
];

/** A counter with subscriptions of ada's in two stores, `$sub` and `$google`, and their payments. */
async function openShop(): Promise<Counter> {
  const counter = await openCounter({
    stdin: '{"app_store": {"app_store_connect_api_key": "KEY"}}',
  });
  const shops = [["notes.pro.monthly", "$sub", "$payment"], [
    "notes_pro:annual",
    "$google",
    "$charge",
  ]];
  for (const [product_id = "", subscription = "", payment = ""] of shops) {
    const { id } = await simulate(counter.desk).subscribe({ product_id, price: 9.99 });
    counter.ids[subscription] = id;
    const { out } = await counter.run(`subscriptions transactions ${id} --output json`);
    counter.ids[payment] = String(at(JSON.parse(out), "items", 0, "id"));
  }
  return counter;
}

/** The command lines in a hint, as a person completes and runs them. */
function commandsIn(hint: string, fill: Record<string, string> = {}): string[] {
  return [...hint.matchAll(/\bcli ((?:(?!\. [A-Z]|; |&& ).)+)/g)].map(([, line = ""]) =>
    Object.entries(fill).reduce((text, [name, value]) => text.replace(name, value), line)
  );
}

Deno.test("every hint works: its commands run, and so does the failed one after them", async () => {
  for (const { before = [], fails, hint, fill, again } of WAYS) {
    await using counter = await openShop();
    for (const line of before) equal((await counter.run(line)).code, 0, line);
    const failed = await counter.run(fails);
    ok(failed.code !== 0, fails);
    const [, said = ""] = linesOf(failed.err);
    const short = counter.short(said);
    equal(short, hint, fails);
    const lines = commandsIn(short, fill);
    ok(lines.length > 0, `no command in: ${short}`);
    for (const line of lines) {
      const ran = await counter.run(line);
      equal(ran.code, 0, `${line}: ${ran.err}`);
    }
    if (again) {
      const ran = await counter.run(fails);
      equal(ran.code, 0, `${fails}: ${ran.err}`);
    }
  }
});

Deno.test("unknown words suggest the command that was meant", async () => {
  await using counter = await openCounter();
  const meant: [words: string, command: string][] = [
    ["login", "auth login"],
    ["whoami", "auth status"],
    ["auth switch", "auth use"],
    ["auth remove", "auth logout"],
    ["customer list", "subscribers"],
    ["subscribers view ada", "subscribers info"],
    ["customers get ada", "subscribers info"],
    ["invoices list", "subscribers invoices"],
    ["offerings get default", "offerings view"],
    ["products rm x", "products delete"],
    ["apps add", "apps create"],
    ["offerings publish", "publish offering"],
    ["clock stop", "clock freeze"],
    ["clock pause", "clock freeze"],
    ["clock start", "clock run"],
    ["clock resume", "clock run"],
    ["clock set", "clock advance"],
    ["clock view", "clock show"],
  ];
  for (const [words, command] of meant) {
    const { code, err } = await counter.run(words);
    const [first = "", second = ""] = linesOf(err);
    equal(code, 2, words);
    match(first, new RegExp(`; did you mean "${command}"\\?$`), words);
    equal(second, `Run: cli ${command} --help`, words);
    equal((await counter.run(second.replace("Run: cli ", ""))).code, 0, second);
  }
});

Deno.test("a few common letters never suggest a destructive command", async () => {
  await using counter = await openCounter();
  for (const words of ["offerings dele", "offerings helpp", "products relete", "subs tranfser"]) {
    const { err } = await counter.run(words);
    const [, meant] = /did you mean "([^"]+)"/.exec(err) ?? [];
    const [, verb = ""] = words.split(" ");
    ok(meant === undefined || meant.split(" ").at(-1)?.slice(0, 2) === verb.slice(0, 2), err);
  }
});

Deno.test("a word that is spelled like no command or flag gets no suggestion", async () => {
  await using counter = await openCounter();
  const words = ["foo", "xyzzy", "deploy", "push", "sync", "hello", "config", "env", "run", "up"];
  const flags = ["--verbose", "--force", "--dry", "--color", "--x", "--region", "--sort", "--page"];
  const lines = words.flatMap((word) => [word, `offerings ${word} x`, `service ${word}`]);
  const other = ["auth list --all", "version --all", "service start --all", "auth list --alow"];
  for (const line of [...lines, ...flags.map((flag) => `offerings list ${flag}`), ...other]) {
    const { code, err } = await counter.run(line);
    deepEqual([code, /did you mean.*/.exec(err)?.[0]], [2, undefined], line);
  }
});

Deno.test("a flag that lowers a protection is suggested for the beginning of its own name", async () => {
  await using counter = await openCounter();
  const { err } = await counter.run("auth list --allow-insecure");
  match(err, /did you mean --allow-insecure-host\?/);
});

Deno.test("help works in every usual place, and -v is the version", async () => {
  await using counter = await openCounter();
  const help = await counter.run("offerings --help");
  deepEqual(await counter.run("offerings help").then(({ out }) => out), help.out);
  deepEqual(await counter.run("help offerings").then(({ out }) => out), help.out);
  match((await counter.run("-v")).out, /^cli \d/);
});

Deno.test("a service without previews does not report the user as the project", async () => {
  await using counter = await openCounter({
    intercept: async (request, pass) =>
      new URL(request.url).pathname.startsWith("/v1/")
        ? Response.json({ code: 7259, message: "Nothing is here" }, { status: 404 })
        : await pass(request),
  });
  const { code, err } = await counter.run("offerings preview --as ada");
  equal(code, 5);
  deepEqual(linesOf(err), [
    "Cannot preview the offerings as an app receives them: Nothing is here",
    "See the list: cli offerings list",
  ]);
});

Deno.test("a missing permission is named in a field", async () => {
  await using desk = await openDesk({ scope: "project_configuration:apps:read" });
  const { code, err } = await desk.run("offerings", "list", "--output", "json");
  equal(code, 4);
  deepEqual(at(JSON.parse(err), "error", "missing_scopes"), [
    "project_configuration:offerings:read",
  ]);
});

Deno.test("auth list under CLI_REFRESH_TOKEN names the sign-in that applies", async () => {
  await using counter = await openCounter();
  const { code, err } = await counter.run("auth list");
  deepEqual([code, linesOf(err)], [
    0,
    ["No sign-in is stored. CLI_REFRESH_TOKEN applies; see: cli auth status"],
  ]);
  equal((await counter.run("auth status")).code, 0);
});
