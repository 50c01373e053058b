import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type Desk, type DeskOptions, openDesk } from "../../../support/harness.ts";
import { openHome } from "../../../support/home_fixture.ts";
import { DAY, simulate } from "../../../support/simulation.ts";

const NOW = Date.UTC(2026, 0, 31, 12, 30, 15);

/** A desk whose command line has the administrator's secret, at a time that the test decides. */
function deskAt(options: DeskOptions = {}): Promise<Desk> {
  return openDesk({ clock: () => NOW, isAdmin: true, ...options });
}

/** The clock as JSON. */
async function clockOf(desk: Desk, ...words: string[]): Promise<Record<string, unknown>> {
  const { code, err, json } = await desk.run("clock", ...words, "--output", "json");
  deepEqual([code, err], [0, ""], words.join(" "));
  return json() as Record<string, unknown>;
}

Deno.test("clock show prints the project's time, and the service's own JSON", async () => {
  await using desk = await deskAt();
  const { code, out, err } = await desk.run("clock", "show");
  deepEqual([code, err], [0, ""]);
  deepEqual(out.trimEnd().split("\n"), [
    `project_id  ${desk.projectId}`,
    "now         2026-01-31 12:30:15Z",
    "frozen      no",
    "offset      none",
  ]);
  deepEqual(await clockOf(desk, "show"), {
    object: "clock",
    project_id: desk.projectId,
    now: NOW,
    frozen: false,
    offset_ms: 0,
  });
});

Deno.test("clock freeze stops the time, and run continues from there", async () => {
  let wall = NOW;
  await using desk = await deskAt({ clock: () => wall });
  const frozen = await desk.run("clock", "freeze");
  match(frozen.out, /^frozen +yes$/m);
  deepEqual(frozen.err.trimEnd().split("\n"), [
    "The clock is stopped at 2026-01-31 12:30:15Z",
    "Advance it: cli clock advance 30d",
  ]);
  wall += 25 * 3_600_000;
  const later = await desk.run("clock", "show");
  match(later.out, /^now +2026-01-31 12:30:15Z$/m);
  match(later.out, /^offset +1 d 1 h behind$/m);
  const running = await desk.run("clock", "run");
  match(
    running.err,
    /^The clock runs from 2026-01-31 12:30:15Z\nStop it: cli clock freeze\n$/,
  );
  wall += 60_000;
  match((await desk.run("clock", "show")).out, /^now +2026-01-31 12:31:15Z$/m);
});

Deno.test("clock advance moves the time and shows the events", async () => {
  await using desk = await deskAt();
  const sim = simulate(desk);
  await sim.subscribe({ customer_id: "zoe", product_id: "notes.pro.monthly", price: 9.99 });
  const failing = await sim.subscribe({
    customer_id: "zack",
    product_id: "notes.pro.monthly",
    price: 9.99,
  });
  await sim.act(failing.id, "fail", { when: "renewal" });
  await sim.newEvents();
  const { code, out, err } = await desk.run("clock", "advance", "P2M");
  equal(code, 0);
  match(out, /^now +2026-03-31 12:30:15Z$/m);
  const counts = new Map<string, number>();
  for (const { type } of await sim.newEvents()) {
    counts.set(String(type), (counts.get(String(type)) ?? 0) + 1);
  }
  const [count, rows] = [[...counts.values()].reduce((a, b) => a + b), [...counts].sort()];
  match(out, new RegExp(`^Events \\(${count}\\)\nEVENT +COUNT\n`, "m"));
  const shown = [...out.matchAll(/^([A-Z_]+) +(\d+)$/gm)].map(([, type, n]) => [type, Number(n)]);
  deepEqual(shown, rows);
  ok((counts.get("RENEWAL") ?? 0) >= 2 && counts.has("BILLING_ISSUE") && counts.has("EXPIRATION"));
  deepEqual(err.trimEnd().split("\n"), [
    "The clock moved from 2026-01-31 12:30:15Z to 2026-03-31 12:30:15Z",
    "See them: cli events list",
  ]);
});

Deno.test("clock advance without events shows none", async () => {
  await using desk = await deskAt();
  const { out, err } = await desk.run("clock", "advance", "PT1S");
  match(out, /^Events \(0\)\nnone$/m);
  ok(!err.includes("cli events list"));
  const moved = await clockOf(desk, "advance", "PT1S");
  deepEqual([moved["from"], moved["now"], moved["events"]], [NOW + 1000, NOW + 2000, {}]);
});

Deno.test("days, months of 30 days, and calendar months differ", async () => {
  const cases: [words: string[], days: number][] = [
    [["1m"], 30],
    [["P1M"], 28],
    [["30d"], 30],
    [["1y"], 365],
    [["P1Y"], 365],
    [["P2W"], 14],
    [["--to", "2026-03-01T12:30:15Z"], 29],
    [["--to", "2026-03-01 12:30:15Z"], 29],
  ];
  for (const [words, days] of cases) {
    await using desk = await deskAt();
    equal((await clockOf(desk, "advance", ...words))["now"], NOW + days * DAY, words.join(" "));
  }
  await using desk = await deskAt();
  equal((await clockOf(desk, "advance", "--to", "2026-02-01"))["now"], Date.UTC(2026, 1, 1));
});

Deno.test("after an advance a stopped clock stands, and a running one runs", async () => {
  let wall = NOW;
  await using desk = await deskAt({ clock: () => wall });
  equal((await clockOf(desk, "advance", "P1D"))["frozen"], false);
  wall += 1000;
  equal((await clockOf(desk, "show"))["now"], NOW + DAY + 1000);
  await desk.run("clock", "freeze");
  equal((await clockOf(desk, "advance", "P1D"))["frozen"], true);
  wall += 1000;
  equal((await clockOf(desk, "show"))["now"], NOW + 2 * DAY + 1000);
});

Deno.test("a clock with a refused move keeps its time", async () => {
  await using desk = await deskAt();
  const cases: [words: string[], code: number, why: RegExp][] = [
    [
      [],
      2,
      /^Cannot advance a project's clock: a period or --to is missing\nPass a period such as /,
    ],
    [["1d", "--to", "2027-01-01"], 2, /a period and --to exclude each other/],
    [
      ["0d"],
      2,
      /^Cannot use "0d" as a period: it is not a period such as 30d or P1M\nUse a number of days /,
    ],
    [["soon"], 2, /"soon"/],
    [["forever"], 2, /"forever"/],
    [["--to", "2026-02-30"], 2, /^Cannot use "2026-02-30" for --to: there is no such day$/m],
    [["--to", "2026-02-01T24:01:00Z"], 2, /there is no such time$/m],
    [
      ["--to", "2026-01-30"],
      7,
      /The clock is at 2026-01-31T12:30:15\.000Z and only moves forward$/m,
    ],
    [["P9999Y"], 7, /year 9999\nSee the current time of the project: cli clock show$/m],
  ];
  for (const [words, code, why] of cases) {
    const ran = await desk.run("clock", "advance", ...words);
    deepEqual([ran.code, ran.out], [code, ""], words.join(" "));
    match(ran.err, why);
  }
  equal((await clockOf(desk, "show"))["now"], NOW);
});

Deno.test("a named project is used, and the hints name it as well", async () => {
  await using desk = await deskAt();
  const made = await desk.run("projects", "create", "--name", "Two", "--output", "json");
  const { id } = made.json() as { id: string };
  const { out, err } = await desk.run("clock", "freeze", "--project-id", id);
  match(out, new RegExp(`^project_id +${id}$`, "m"));
  match(err, new RegExp(`^Advance it: cli clock advance 30d --project-id ${id}$`, "m"));
  equal((await clockOf(desk, "show"))["frozen"], false);
});

Deno.test("a stored sign-in of another service cannot reach the clock", async () => {
  await using at = await openHome();
  at.env.CLI_SERVICE_ADMIN_SECRET = at.service.adminSecret;
  at.env.CLI_PROJECT_ID = at.service.projectId ?? "";
  await Deno.mkdir(`${at.home}/.cli`, { mode: 0o700 });
  const hosted = {
    access_token: "atk_hosted",
    refresh_token: "rtk_hosted",
    expires_at_ms: NOW * 2,
    base_url: "https://api.example.com",
  };
  const text = JSON.stringify({ profiles: { hosted } });
  await Deno.writeTextFile(`${at.home}/.cli/config.json`, text, { mode: 0o600 });
  equal((await at.run("clock show")).code, 0);
  at.sent.length = 0;
  const { code, out, err } = await at.run("clock advance P1D --profile hosted");
  deepEqual([code, out, at.sent], [2, "", []]);
  match(
    err,
    /^Cannot run this command at "https:\/\/api\.example\.com": it needs the local service/,
  );
  match(err, /^Choose a sign-in of the local service with --profile, or set CLI_BASE_URL /m);
});

Deno.test("Ctrl-C stops the clock at the time it has reached, and shows it", async () => {
  await using at = await openHome({ buyers: true });
  at.env.CLI_SERVICE_ADMIN_SECRET = at.service.adminSecret;
  at.env.CLI_PROJECT_ID = at.service.projectId ?? "";
  const before = (await at.run("clock show --output json")).json()["now"];
  const controller = new AbortController();
  const paths: string[] = [];
  const { code, out, err } = await at.run("clock advance P300Y --yes", {
    signal: controller.signal,
    intercept: async (request) => {
      paths.push(new URL(request.url).pathname.replace(/.*\/clock/, ""));
      const response = await at.service.fetch(request);
      if (paths.at(-1) === "/progress") controller.abort();
      return response;
    },
  });
  deepEqual([code, out, paths.at(-1)], [130, "", "/cancel"]);
  match(
    err,
    /^Stopped\nThe (clock was stopped at \d{4}-.+\.|advance had already finished\. See: .+)\n$/,
  );
  const after = (await at.run("clock show --output json")).json();
  ok(Number(after["now"]) >= Number(before));
  const cancelled = await at.run("clock cancel");
  match(cancelled.err, /^No advance was running$/m);
});

Deno.test("an advance with many due steps asks first, and one with too many is refused", async () => {
  await using desk = await deskAt();
  const sim = simulate(desk);
  // Weekly renewals: about 52 a year each.
  for (let i = 0; i < 4; i++) {
    await sim.subscribe({ customer_id: `c${i}`, product_id: "notes_web_monthly", duration: "P1W" });
  }
  const asked = await desk.run("clock", "advance", "P200Y");
  deepEqual([asked.code, asked.out], [3, ""]);
  match(asked.err, /About \d{5} renewals and similar steps are due by 2226-/);
  match(asked.err, /-y/);
  const path = `/_sim/projects/${desk.projectId}/clock/advance`;
  const headers = { Authorization: `Bearer ${desk.service.adminSecret}` };
  for (const [body, param] of [[{ by: "P200Y" }, "confirmed"], [{ by: "P7000Y" }, "by"]] as const) {
    const response = await desk.service.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
    const answer = await response.json();
    deepEqual([response.status, answer.param], [422, param], answer.message);
    match(answer.message, /^About \d+ steps of subscriptions are due by /);
  }
  // Also without --yes: nobody is asked about what would be refused.
  for (const yes of [["--yes"], []]) {
    const refused = await desk.run("clock", "advance", "P7000Y", ...yes);
    deepEqual([refused.code, refused.out], [7, ""]);
    match(
      refused.err,
      /one advance runs at most 1000000\. Choose an earlier time\nSee the .*: cli clock show\n$/,
    );
  }
  equal((await clockOf(desk, "show"))["now"], NOW);
});

Deno.test("a service with its data elsewhere is named, with the way to reach it", async () => {
  await using at = await openHome();
  const answers = await at.run("clock advance 30d");
  equal(answers.code, 8);
  match(
    answers.err,
    /^Cannot reach the local service: no service is running with the data in .*service\nThe service at http:\/\/127\.0\.0\.1:4010 has other data: pass its folder with --data DIR, or set CLI_SERVICE_ADMIN_SECRET\n/,
  );
  const intercept = () => Promise.reject(new TypeError("connection refused"));
  const silent = await at.run("clock advance 30d", { intercept });
  match(silent.err, /\nStart it with: cli service start\n$/);
});
