import { deepEqual, equal, match, ok } from "node:assert/strict";
import stringWidth from "string-width";
import { CHART_NAMES } from "../../../lib/resources/charts.ts";
import { CHARTS } from "../../../lib/service/reports/all_charts.ts";
import { openCounter } from "../../support/cli_fixture.ts";
import { matchGolden, steadyIds } from "../../support/golden.ts";
import { openDesk } from "../../support/harness.ts";
import { simulateYear } from "../../support/simulated_year.ts";

const NOW = Date.UTC(2025, 0, 31, 12);

/** Command lines with reviewed output. */
const SCREENS = [
  "metrics overview",
  "metrics overview --currency EUR",
  "charts get revenue --period month",
  "charts get mrr --start 2025-01-01 --end 2025-12-31 --period week",
  "charts get mrr_movement --period month",
  "charts get subscription_status --period week",
  "charts get trial_conversion_rate --period quarter",
  "charts get subscription_retention --period month",
  "charts get revenue --period month --start 2025-10-01 --segment store",
  "charts get customers_new --period year --filter platform=iOS --no-plot",
  "charts options customers_new",
];

Deno.test("reports match the reviewed text at each width", async (t) => {
  // Only the width of the terminal changes, so the year is simulated once.
  const options = { columns: 0, clock: () => NOW, buyers: true };
  await using desk = await openDesk(options);
  await simulateYear(desk);
  for (const columns of [60, 80, 200]) {
    await t.step(`${columns} columns`, async () => {
      options.columns = columns;
      let text = "";
      for (const line of SCREENS) {
        const { code, out, err } = await desk.run(...line.split(" "));
        equal(code, 0, err);
        for (const row of out.split("\n")) ok(stringWidth(row) <= columns, row);
        text += `$ cli ${line}\n${out}${err.replace(/^(?=.)/gm, "! ")}\n`;
      }
      await matchGolden(`reports_${columns}`, steadyIds(text));
    });
  }
});

Deno.test("yen have no decimals in tables, notes and metrics", async () => {
  await using desk = await openDesk({ columns: 100, clock: () => NOW, buyers: true });
  for (const name of ["revenue", "mrr", "arr"]) {
    const { out } = await desk.run("charts", "get", name, "--currency", "JPY", "--period", "month");
    match(out, /average \d+ JPY/);
    ok(!/\d\.\d/.test(out), out);
  }
  match(
    (await desk.run("metrics", "overview", "--currency", "JPY")).out,
    /^MRR +\d+ JPY +28 days/m,
  );
  const dollars = await desk.run("metrics", "overview");
  match(dollars.out, /^MRR +\d+\.\d\d USD +28 days/m);
});

Deno.test("reports as JSON are the service's answers", async () => {
  await using desk = await openDesk({ clock: () => NOW, buyers: true });
  for (
    const [words, path] of [
      [["metrics", "overview"], "/metrics/overview"],
      [["charts", "get", "mrr", "--plot"], "/charts/mrr"],
      [["charts", "options", "mrr"], "/charts/mrr/options"],
    ] as const
  ) {
    const ran = await desk.run(...words, "--output", "json");
    const sent = await desk.send("GET", `/v2/projects/${desk.projectId}${path}`);
    deepEqual(ran.json(), await sent.json());
    equal(ran.err, "");
  }
});

Deno.test("a pipe gets only the table, unless a chart is requested", async () => {
  await using desk = await openDesk({ clock: () => NOW, buyers: true });
  const piped = await desk.run("charts", "get", "mrr");
  equal(piped.out.trimEnd().split("\n").length, 29);
  match(piped.out, /^DAY +MRR \(USD\) +COMPLETE\n2025-01-04 +\d+ +yes\n/);
  match(piped.out, /\n2025-01-31 +\d+ +no\n$/);
  const drawn = await desk.run("charts", "get", "mrr", "--plot");
  ok(drawn.out.startsWith(piped.out));
  match(drawn.out, /\n\nMonthly Recurring Revenue\n(.*\n)+.*┼─+╌*\n/);
});

Deno.test("flags become the service's parameters, filters and periods in both spellings", async () => {
  await using counter = await openCounter();
  const sends = async (line: string) => {
    const { code } = await counter.run(line);
    return [code, ...counter.arrived.map((one) => decodeURIComponent(one.line))];
  };
  deepEqual(
    await sends(
      "charts get revenue --filter store=app_store --filter country=DE --filter store=roku " +
        "--start 2026-01-01 --end 2026-01-31 --period week --segment app_id --currency EUR " +
        "--selector revenue_type=proceeds",
    ),
    [
      0,
      "GET /charts/revenue?store=app_store&store=roku&country=DE&" +
      'filters=[{"name":"store","values":["app_store","roku"]},{"name":"country","values":["DE"]}]&' +
      "start_date=2026-01-01&end_date=2026-01-31&period=week&resolution=week&segment=app_id&" +
      "currency=EUR&" +
      'selectors={"revenue_type":"proceeds"}',
    ],
  );
  // Absent flags are not sent, not even empty.
  deepEqual(await sends("charts get revenue"), [0, "GET /charts/revenue"]);
  deepEqual(await sends("metrics overview"), [0, "GET /metrics/overview"]);
  deepEqual(await sends("metrics overview --currency JPY"), [
    0,
    "GET /metrics/overview?currency=JPY",
  ]);
  deepEqual(await sends("charts options mrr"), [0, "GET /charts/mrr/options"]);
});

Deno.test("invalid days and reversed spans are refused before sending", async () => {
  await using counter = await openCounter();
  for (
    const [flags, message] of [
      ["--start 2026-02-30", /^Cannot use "2026-02-30" for --start: there is no such day\n/],
      ["--end 20260101", /^Cannot use "20260101" for --end: it must be written as YYYY-MM-DD\n/],
      [
        "--start 2026-01-02 --end 2026-01-01",
        /^Cannot use the days .* the end is before the start\n/,
      ],
      ["--period hour", /--period cannot be "hour"; it takes day, week, month, quarter, year\n/],
      ["--filter store", /^Cannot use "store" for --filter: it has no "="\n/],
      [
        "--filter period=week",
        /^Cannot filter by "period": it is not a filter\nPass it with --period/,
      ],
      ["--selector x", /^Cannot use "x" for --selector: it has no "="\n/],
    ] as const
  ) {
    const { code, out, err } = await counter.run(`charts get mrr ${flags}`);
    deepEqual([code, out, counter.arrived.length], [2, "", 0], flags);
    match(err, message);
  }
});

Deno.test("an unknown chart is refused with the names of all charts", async () => {
  await using desk = await openDesk();
  deepEqual([...CHART_NAMES], [...CHARTS.keys()]);
  for (const command of ["get", "options"]) {
    const { code, out, err } = await desk.run("charts", command, "revenu");
    deepEqual([code, out], [2, ""]);
    const [message, hint] = err.split("\n");
    equal(message, 'Cannot show the chart "revenu": there is no such chart');
    equal(hint, `The charts are: ${CHART_NAMES.join(", ")}.`);
  }
  const json = await desk.run("charts", "get", "revenu", "--output", "json");
  equal(JSON.parse(json.err).error.exit_code, 2);
});

Deno.test("answers of other shapes are shown as far as possible", async () => {
  const bodies: Record<string, unknown> = {
    overview: { active_subscribers: 12, mrr: 99.5 },
    revenue: {
      display_name: "Revenue",
      description: "",
      display_type: "default",
      resolution: "month",
      yaxis: "$",
      yaxis_currency: "USD",
      values: [[1767225600, 10.5], [1769904000, 20]],
      measures: null,
      segments: null,
      summary: null,
    },
  };
  await using desk = await openDesk({
    columns: 40,
    intercept(request, pass) {
      const name = new URL(request.url).pathname.split("/").at(-1) ?? "";
      const body = bodies[name];
      return body === undefined ? pass(request) : Promise.resolve(Response.json(body));
    },
  });
  const overview = await desk.run("metrics", "overview");
  equal(overview.out, "active_subscribers  12\nmrr                 99.5\n");
  const chart = await desk.run("charts", "get", "revenue");
  deepEqual(chart.out.split("\n").slice(0, 8), [
    "MONTH    REVENUE (USD)  COMPLETE",
    "2026-01          10.50  yes",
    "2026-02          20.00  yes",
    "",
    "Revenue",
    "2026-01 to 2026-02, by month, USD",
    "",
    "Revenue",
  ]);
});

Deno.test("unknown filters and segments of a chart are refused with the known ones", async () => {
  await using desk = await openDesk();
  for (const format of ["table", "json"]) {
    const words = ["charts", "get", "mrr", "--filter", "x=1", "--segment", "y", "--output", format];
    const { code, out, err } = await desk.run(...words);
    deepEqual([code, out], [2, ""]);
    const { error } = format === "json" ? JSON.parse(err) : { error: undefined };
    const [message, hint] = error ? [error.message, error.hint] : err.split("\n");
    equal(message, 'Cannot show the chart "mrr": it has no filter "x", no segment "y"');
    match(hint, /^It takes --filter: .*\bstore\b.*; --segment: .*\bcountry\b/);
    match(hint, /\. See: cli charts options mrr$/);
  }
  const selector = await desk.run("charts", "get", "revenue", "--selector", "colour=red");
  equal(selector.code, 2);
  match(selector.err, /it has no selector "colour"\nIt takes --selector: revenue_type\. /);
});

/** A desk whose service answers with the chart `revenue`, changed in one way. */
function chartDesk(change: (chart: Record<string, unknown>, query: URLSearchParams) => void) {
  return openDesk({
    async intercept(request, pass) {
      const { pathname, searchParams } = new URL(request.url);
      const response = await pass(request);
      if (!pathname.endsWith("/charts/revenue")) return response;
      const chart = await response.json();
      change(chart, searchParams);
      return Response.json(chart);
    },
  });
}

Deno.test("a chart without axis and measures has a column without a unit", async () => {
  await using desk = await chartDesk((chart) => {
    Object.assign(chart, { yaxis: null, measures: null, display_name: null });
  });
  const { code, out } = await desk.run("charts", "get", "revenue");
  equal(code, 0);
  match(out, /^DAY +VALUE +COMPLETE\n/);
});

Deno.test("a chart without unsupported parameters is shown", async () => {
  await using desk = await chartDesk((chart) => {
    chart["unsupported_params"] = { filters: [], segment: null, selectors: "" };
  });
  const { code, err } = await desk.run("charts", "get", "revenue", "--filter", "country=US");
  deepEqual([code, err], [0, ""]);
});

Deno.test("a chart whose answer ignores a requested filter is refused", async () => {
  const cases: [string, Record<string, unknown>, RegExp][] = [
    ["--period week", { resolution: "day" }, /: the answer ignores --period week\n/],
    ["--currency EUR", { yaxis_currency: "USD" }, /: the answer ignores --currency EUR\n/],
    ["--segment store", { segments: null }, /: the answer ignores --segment store\n/],
    ["--filter store=roku", { filtering_allowed: false }, /: the answer ignores --filter store\n/],
    [
      "--selector revenue_type=proceeds",
      { user_selectors: { revenue_type: "revenue" } },
      /: the answer ignores --selector revenue_type=proceeds\n/,
    ],
    ["--filter store=roku", { filters: [] }, /: the answer ignores --filter store\n/],
    ["--filter store=roku", { filters: [null] }, /: the answer ignores --filter store\n/],
    // If the answer does not account for filters, the options must know them.
    [
      "--filter colour=red",
      { unsupported_params: undefined, filters: undefined },
      /ignores --filter colour\nSee: /,
    ],
  ];
  for (const [flags, fields, message] of cases) {
    await using desk = await chartDesk((chart) => Object.assign(chart, fields));
    const { code, out, err } = await desk.run("charts", "get", "revenue", ...flags.split(" "));
    deepEqual([code, out], [2, ""], flags);
    match(err, message);
  }
  await using desk = await chartDesk((chart) => {
    delete chart["unsupported_params"];
    delete chart["filters"];
  });
  equal((await desk.run("charts", "get", "revenue", "--filter", "store=roku")).code, 0);
});

Deno.test("the refusal of a chart's dates names the flag", async () => {
  await using desk = await openDesk();
  const { err } = await desk.run("charts", "get", "mrr", "--start", "1990-01-01");
  match(err, /\nCheck --start \(start_date\); see: cli charts get --help$/m);
});

Deno.test("the refusal of a filter's value lists the values", async () => {
  await using desk = await openDesk();
  const refused = await desk.run("charts", "get", "mrr", "--filter", "store=appstore");
  equal(refused.code, 1);
  match(refused.err, /^Cannot show a chart: 'store' must be one of app_store, /);
});
