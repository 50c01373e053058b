import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { join } from "node:path";
import { parseMoment, parsePeriod, parsePrice } from "../../../lib/cli/local/simulator.ts";
import { UsageError } from "../../../lib/errors.ts";
import { lockFolder, writeAddress } from "../../../lib/service/store/lock.ts";
import { type Desk, type DeskOptions, openDesk } from "../../support/harness.ts";

const NOW = Date.UTC(2026, 0, 31, 12, 30, 15);

/** A desk whose clock stands still, and whose command line has the administrator's secret. */
function deskAt(options: DeskOptions = {}): Promise<Desk> {
  return openDesk({ clock: () => NOW, isAdmin: true, ...options });
}

const PURCHASE = "simulate purchase zoe notes.pro.monthly --price 9.99";

/** Records the address of each request. */
function recorded(addresses: string[]): NonNullable<DeskOptions["intercept"]> {
  return async (request, pass) => {
    addresses.push(request.url);
    return await pass(request);
  };
}

Deno.test("the simulator is used only at the address of the local service", async () => {
  const addresses: string[] = [];
  await using desk = await deskAt({ intercept: recorded(addresses) });
  const elsewhere = [
    "https://api.example.com",
    "http://192.168.1.10:4010",
    "http://127.0.0.1.example.com:4010",
    "http://localhost.example.com",
    "http://[2001:db8::1]:4010",
  ];
  for (const address of elsewhere) {
    desk.env.CLI_BASE_URL = address;
    for (const line of [PURCHASE, "clock show", "clock advance 1d"]) {
      const { code, out, err } = await desk.run(...line.split(" "));
      deepEqual([code, out], [2, ""], `${address} ${line}`);
      const shown = JSON.stringify(address).replace(/[.[\]]/g, "\\$&");
      const refusal = `^Cannot run this command at ${shown}: it needs the local service$`;
      match(err, new RegExp(refusal, "m"));
      match(err, /^Set CLI_BASE_URL to the address that this command shows: cli service status$/m);
    }
  }
  deepEqual(addresses, []);
  for (const address of ["http://localhost:4010", "http://127.0.0.1:4010/", "http://[::1]:4010"]) {
    desk.env.CLI_BASE_URL = address;
    equal((await desk.run("clock", "show")).code, 0, address);
  }
});

/** A data folder whose service is at an address, and the desk's own. */
async function noted(desk: Desk, base_url: string): Promise<AsyncDisposable & { folder: string }> {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(join(folder, "admin.secret"), `${desk.service.adminSecret}\n`, {
    mode: 0o600,
  });
  const lock = await lockFolder(folder);
  await writeAddress(lock, { pid: 1, base_url, started_at: NOW });
  return {
    folder,
    async [Symbol.asyncDispose]() {
      await lock.release();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

Deno.test("the data folder has the address of its service, and another one is refused", async () => {
  const addresses: string[] = [];
  await using desk = await openDesk({ clock: () => NOW, intercept: recorded(addresses) });
  await using data = await noted(desk, "http://127.0.0.1:5999");
  const words = ["clock", "show", "--data", data.folder];
  const wrong = await desk.run(...words);
  deepEqual([wrong.code, wrong.out, addresses], [2, "", []]);
  match(wrong.err, /"http:\/\/127\.0\.0\.1:4010": the service in \S+ is at http:\S+:5999$/m);
  match(wrong.err, /^Set CLI_BASE_URL=http:\/\/127\.0\.0\.1:5999, or pass another data folder/m);
  desk.env.CLI_BASE_URL = "http://localhost:5999";
  equal((await desk.run(...words)).code, 0);
  // Without a configured address, the data folder's is used.
  delete desk.env.CLI_BASE_URL;
  equal((await desk.run(...words)).code, 0);
  // A given folder overrides a secret in the environment.
  desk.env.CLI_SERVICE_ADMIN_SECRET = "adm_wrong";
  equal((await desk.run(...words)).code, 0);
  deepEqual(
    new Set(addresses.map((url) => new URL(url).origin)),
    new Set(["http://127.0.0.1:5999"]),
  );
});

Deno.test("a service at another address of this machine can be selected by its data folder", async () => {
  await using desk = await openDesk({ clock: () => NOW, hosts: ["192.168.1.10"] });
  await using data = await noted(desk, "http://192.168.1.10:4010");
  desk.env.CLI_BASE_URL = "http://192.168.1.10:4010";
  desk.env.CLI_ALLOW_INSECURE_HOST = "1";
  const bought = await desk.run(
    ...`${PURCHASE} --data`.split(" "),
    data.folder,
  );
  equal(bought.code, 0, bought.err);
  ok(bought.err.trimEnd().endsWith(` --data ${data.folder}`));
  equal((await desk.run("clock", "show")).code, 2);
});

Deno.test("the address of a stored sign-in counts too", async () => {
  await using desk = await deskAt();
  delete desk.env.CLI_BASE_URL;
  delete desk.env.CLI_REFRESH_TOKEN;
  // The simulator needs no sign-in.
  equal((await desk.run("clock", "show")).code, 0);
  const missing = await desk.run("clock", "show", "--profile", "hosted");
  ok(missing.code !== 0 && missing.out === "");
});

Deno.test("a wrong secret, no service and no project have different errors", async () => {
  await using desk = await deskAt();
  desk.env.CLI_SERVICE_ADMIN_SECRET = "adm_wrong";
  const wrong = await desk.run("clock", "show");
  equal(wrong.code, 4);
  match(wrong.err, /^Set CLI_SERVICE_ADMIN_SECRET to the secret of that service, or unset it /m);
  delete desk.env.CLI_SERVICE_ADMIN_SECRET;
  const folder = await Deno.makeTempDir();
  const none = await desk.run("clock", "show", "--data", folder);
  await Deno.remove(folder, { recursive: true });
  equal(none.code, 8);
  match(none.err, /^Start it with: cli service start --data \S+$/m);
  desk.env.CLI_SERVICE_ADMIN_SECRET = desk.service.adminSecret;
  equal((await desk.run("clock", "show", "--project-id", "projnope")).code, 5);
  delete desk.env.CLI_PROJECT_ID;
  match(
    (await desk.run("clock", "show")).err,
    /^Cannot choose a project: none is set$/m,
  );
});

Deno.test("a request to the simulator is sent only once", async () => {
  let tries = 0;
  await using desk = await deskAt({
    intercept: async (request, pass) => {
      if (!request.url.includes("/_sim/")) return await pass(request);
      tries++;
      await pass(request);
      throw new TypeError("error sending request: connection reset by peer");
    },
  });
  const { code } = await desk.run(..."simulate purchase zoe notes_lifetime --price 5".split(" "));
  deepEqual([code, tries], [8, 1]);
});

Deno.test("periods are days, months of 30 days, years of 365, or ISO 8601", () => {
  const good = { "30d": "P30D", "1m": "P30D", "2y": "P730D", P1M: "P1M", P1Y2M3W4D: "P1Y2M3W4D" };
  for (const [text, period] of Object.entries(good)) equal(parsePeriod(text), period);
  equal(parsePeriod("PT5M"), "PT5M");
  const bad = [
    "",
    "0d",
    "-1d",
    "1.5m",
    "1w",
    "1D",
    "P",
    "PT",
    "P1",
    "P1H",
    "p1m",
    "1e3d",
    "forever",
  ];
  for (const text of [...bad, "9999999d", "99999y", " 1d", "P1M "]) {
    throws(() => parsePeriod(text), UsageError, text);
  }
});

Deno.test("times are days, or days with a time, in UTC", () => {
  const day = Date.UTC(2027, 0, 31);
  equal(parseMoment("2027-01-31", "--to"), day);
  equal(parseMoment("2027-01-31T12:00:00Z", "--to"), day + 43_200_000);
  equal(parseMoment("2027-01-31T12:00Z", "--to"), day + 43_200_000);
  // The form in tables.
  equal(parseMoment("2027-01-31 12:00:00", "--to"), day + 43_200_000);
  equal(parseMoment("2027-01-31T00:00:00.526Z", "--to"), day + 526);
  const bad = ["", "2027-02-29", "2027-13-01", "2027-1-1", "2027-01-31T25:00:00Z", "1800000000000"];
  for (const text of [...bad, "2027-01-31T12:00:00+01:00", "tomorrow", "2027-01-31Z"]) {
    throws(() => parseMoment(text, "--to"), UsageError, text);
  }
});

Deno.test("prices are plain decimal numbers", () => {
  equal(parsePrice("9.99"), 9.99);
  equal(parsePrice("0"), 0);
  for (const text of ["", "-1", "1e3", "1,99", ".5", "1.", "0x1", "NaN", "1.1234567", "€5"]) {
    throws(() => parsePrice(text), UsageError, text);
  }
});
