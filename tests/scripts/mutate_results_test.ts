import { deepEqual, equal, match } from "node:assert/strict";
import { fileOf, listedIn, listedOf } from "../../scripts/mutate/alive.ts";
import type { Fault } from "../../scripts/mutate/places.ts";
import { byRoom, renderReport, shareFound } from "../../scripts/mutate/report.ts";
import { renderAgain, renderResults } from "../../scripts/mutate/results.ts";
import type { Trial } from "../../scripts/mutate/trial.ts";
import { faultOf } from "../support/fault.ts";

Deno.test("the table counts the tried faults, and lists the survivors", () => {
  const trial = (found: Trial["found"], line: number, file?: string): Trial => ({
    fault: faultOf("edge", line, file),
    found,
    tests: line,
  });
  const results = byRoom([
    trial("tests", 1),
    trial("types", 2),
    trial("time", 3),
    trial("no", 4),
    trial("no", 0, "lib/cli/b.ts"),
    trial("types", 6, "lib/service/oauth/c.ts"),
  ]);
  deepEqual(results.map(shareFound).map(Math.round), [0, 67, 100]);
  equal(
    renderReport(results, 7),
    `ROOM   FOUND / COUNTED  (BY TIME)  BY TYPES  ALIVE  FOUND
cli              0 / 1          0         0      1    0 %
lib              2 / 3          1         1      1   67 %
oauth            0 / 0          0         1      0  100 %
Seed 7

Alive:
lib/cli/b.ts:0 edge: a → b
  no test runs it
lib/a.ts:4 edge: a → b
  4 test files run it`,
  );
});

Deno.test("the page of results keeps the rooms that were not measured", () => {
  const trial = (found: Trial["found"], file: string): Trial => ({
    fault: faultOf("edge", 3, file),
    found,
    tests: 1,
  });
  const run = { seed: 7, near: true, revision: "abc1234", date: "2026-01-02" };
  const first = byRoom([
    trial("no", "lib/cli/b.ts"),
    trial("time", "lib/service/oauth/c.ts"),
    trial("no", "lib/service/oauth/c.ts"),
    trial("types", "lib/service/oauth/c.ts"),
  ]);
  const page = renderResults(first, run, "");
  match(
    page,
    /^\| cli +\| 0 \/ 1 +\| 0.0 % +\| 0 \/ 1 +\| 0 +\| 0 +\| near +\| 7 +\| abc1234 +\|/m,
  );
  match(page, /^\| oauth +\| 1 \/ 2 +\| 50.0 % +\| 1 \/ 2 +\| 1 +\| 1 +\| near .*2026-01-02 \|$/m);
  match(page, /```text\ncli: lib\/cli\/b.ts:3 edge: a → b\noauth: .*c.ts:3 edge: a → b\n```/);
  const later = { seed: 8, near: false, revision: "def5678", date: "2026-02-03" };
  const next = renderResults(byRoom([trial("tests", "lib/cli/b.ts")]), later, page);
  equal(next.split("\n").filter((line) => line.startsWith("| ")).length, 4);
  match(next, /^\| cli +\| 1 \/ 1 +\| 100.0 % +.*\| all +\| 8 +\| def5678 +\| 2026-02-03 \|$/m);
  match(next, /^\| oauth +\| 1 \/ 2 .*\| near .*\| abc1234 +\| 2026-01-02 \|$/m);
  match(next, /```text\noauth: .*c.ts:3 edge: a → b\n```/);
});

Deno.test("faults that were alive are tried again, and those found by now are counted", () => {
  const at = (line: number, before = "a"): Fault => ({
    ...faultOf("edge", line, "lib/cli/b.ts"),
    before,
  });
  const trial = (found: Trial["found"], fault: Fault): Trial => ({ fault, found, tests: 1 });
  const run = { seed: 7, near: true, revision: "abc1234", date: "2026-01-02" };
  const page = renderResults(
    byRoom([
      trial("tests", at(1)),
      ...[at(10), at(20), at(30, "gone"), at(40)].map((fault) => trial("no", fault)),
      trial("no", faultOf("edge", 3, "lib/auth/c.ts")),
    ]),
    run,
    "",
  );
  const listed = listedIn(page).filter(({ room }) => room === "cli");
  deepEqual(listed.map(fileOf), Array(4).fill("lib/cli/b.ts"));
  // Three lines have moved by two, and the same change is possible in others.
  const now = [at(1), at(12), at(22), at(42), at(60)];
  const again = listedOf(listed, "lib/cli/b.ts", now);
  deepEqual(again.map(({ line }) => line), [12, 22, 42]);
  deepEqual(listedOf(listed, "lib/auth/c.ts", now), []);
  const [first = at(0), ...rest] = again;
  const results = byRoom([trial("no", first), ...rest.map((fault) => trial("tests", fault))]);
  const later = { ...run, revision: "def5678", date: "2026-02-03" };
  const next = renderAgain(listed, results, later, page);
  match(next, /^\| cli +\| 3 \/ 4 +\| 75.0 % +\| 1 \/ 5 .*\| abc1234, def5678 +\| 2026-02-03 \|$/m);
  match(next, /^\| auth +\| 0 \/ 1 .*\| abc1234 +\| 2026-01-02 \|$/m);
  match(next, /```text\nauth: .*c.ts:3 edge: a → b\ncli: .*b.ts:12 edge: a → b\n```/);
  // Once more: the first commit stays.
  const left = listedIn(next).filter(({ room }) => room === "cli");
  const last = { ...run, revision: "fed9876", date: "2026-03-04" };
  const end = renderAgain(
    left,
    results.map((one) => ({ ...one, tried: 0, byTests: 0, alive: [] })),
    last,
    next,
  );
  match(end, /^\| cli +\| 3 \/ 3 +\| 100.0 % +\| 1 \/ 5 .*\| abc1234, fed9876 +\| 2026-03-04 \|$/m);
});
