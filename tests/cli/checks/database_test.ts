import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Finding } from "../../../lib/cli/checks/finding.ts";
import { openDatabase } from "../../../lib/service/store/mod.ts";
import { VERSION } from "../../../lib/version.ts";
import { ONLY_POSTGRES } from "../../support/engine.ts";
import { type Home, openHome } from "../../support/home_fixture.ts";
import { withNewDatabase } from "../../support/move_fixture.ts";

const NAMES = ["service data", "service processes", "service secret"];

/** A process of this program, as doctor shows it. The tests may not read the name of the machine. */
const nameOf = (role: string) => `${role} ${VERSION} on 127.0.0.1 (pid ${Deno.pid})`;

/** What doctor finds of a database, and all that it writes. */
async function look(at: Home): Promise<{ found: Finding[]; text: string }> {
  const { json, out, err } = await at.run("doctor --output json");
  const { checks } = json();
  ok(Array.isArray(checks));
  const all: Finding[] = checks;
  return { found: all.filter(({ check }) => NAMES.includes(check)), text: out + err };
}

Deno.test("doctor looks at the database of the environment, and not at the data folder", async () => {
  await using at = await openHome();
  at.env.CLI_SERVICE_DATABASE = "postgres://me:hidden@127.0.0.1:1/shop";
  const { found, text } = await look(at);
  deepEqual(found.map(({ check, status }) => [check, status]), [
    ["service data", "fail"],
    ["service processes", "skip"],
    ["service secret", "warn"],
  ]);
  const [data, , secret] = found;
  match(
    data?.detail ?? "",
    /^Cannot open the database "postgres:\/\/me@127\.0\.0\.1:1\/shop": .*cannot be reached/,
  );
  match(data?.fix ?? "", /Start the server or correct the address/);
  match(secret?.detail ?? "", /^CLI_SERVICE_ADMIN_SECRET is not set$/);
  equal(text.includes("hidden"), false);
  at.env.CLI_SERVICE_DATABASE = "host=db password=hidden";
  const other = await look(at);
  match(other.found[0]?.detail ?? "", /its address is not one like postgres:/);
  equal(other.text.includes("hidden"), false);
  // A folder that is named is meant.
  const { out } = await at.run(`doctor --data ${at.home}/none --output json`);
  match(out, /no local service has run in /);
});

Deno.test(
  "doctor shows the tables and the processes of a database",
  ONLY_POSTGRES,
  () =>
    withNewDatabase(async (address) => {
      await using at = await openHome();
      const url = new URL(address);
      url.password = "hidden";
      at.env.CLI_SERVICE_DATABASE = url.href;
      at.env.CLI_SERVICE_ADMIN_SECRET = "adm_secret";
      const texts: string[] = [];
      const details = async () => {
        const { found, text } = await look(at);
        texts.push(text);
        return found.map(({ status, detail }) => `${status}: ${detail}`);
      };
      const [empty, without, secret] = await details();
      match(
        empty ?? "",
        /^fail: Cannot read the database .*: there is no database of the service$/,
      );
      equal(without, "skip: the database cannot be read");
      equal(secret, "ok: from CLI_SERVICE_ADMIN_SECRET");
      const worker = await openDatabase({ file: address, role: "worker" });
      deepEqual((await details()).slice(0, 2), [
        `ok: schema 1 in ${address}`,
        `warn: 1 process: ${nameOf("worker")}; none answers requests`,
      ]);
      const api = await openDatabase({ file: address, role: "api" });
      const both = `${nameOf("worker")}, ${nameOf("api")}`;
      equal((await details())[1], `ok: 2 processes: ${both}`);
      await worker.close();
      const idle = `${nameOf("api")}; none delivers events, and 0 deliveries wait`;
      equal((await details())[1], `warn: 1 process: ${idle}`);
      await api.close();
      equal((await details())[1], "warn: none runs");
      for (const text of texts) {
        equal(text.includes("hidden"), false);
        equal(text.includes("adm_secret"), false);
      }
    }),
);
