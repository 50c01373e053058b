import { deepEqual, equal } from "node:assert/strict";
import { createFigures } from "../../scripts/soak/figures.ts";
import { afterCut, stepsOf } from "../../scripts/soak/power.ts";

/** Text as strace prints it with `-xx`. */
function hex(text: string): string {
  return [...text].map((letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0")}`).join(
    "",
  );
}

const DB = `7<${hex("/data/service.db")}>`;
const ID = "soak-00000000-0000-4000-8000-000000000001";

/** A record of two writes, of which the second has not been synced, and an answer. */
const TRACE = [
  `12 pwrite64(${DB}, "${hex("ab")}", 2, 0) = 2`,
  `12 fdatasync(${DB} <unfinished ...>`,
  `13 sendto(9<${hex("TCP:[127.0.0.1]")}>, "${hex(`{"id":"${ID}"}`)}", 60, 0, NULL, 0) = 60`,
  "12 <... fdatasync resumed>)             = 0",
  `12 pwrite64(${DB}, "${hex("cd")}", 2, 1) = 2`,
  `12 pwrite64(8<${hex("/data/other")}>, "${hex("x")}", 1, 0) = 1`,
  `12 ftruncate(${DB}, 2) = 0`,
].join("\n");

Deno.test("a trace of system calls shows writes, syncs and answers", () => {
  const kinds = stepsOf(TRACE, "/data").map((step) =>
    step.kind === "acknowledge" ? step.ids : step.kind
  );
  deepEqual(kinds, ["write", "flush", [ID], "sync", "write", "size"]);
});

Deno.test("a power cut keeps synced data, and a random part of the rest", () => {
  const steps = stepsOf(TRACE, "/data");
  const left = (chance: number, count = steps.length) =>
    new TextDecoder().decode(
      afterCut(steps.slice(0, count), new Map(), () => chance).get("service.db"),
    );
  equal(left(0.9), "ab");
  equal(left(0.1), "ac", "the unsynced write and the new size reached the disk");
  equal(left(0.9, 3), "", "the answer came before the sync");
});

Deno.test("a sync does not keep what another thread writes after it began", () => {
  const trace = [
    `12 pwrite64(${DB}, "${hex("ab")}", 2, 0) = 2`,
    `13 fdatasync(${DB} <unfinished ...>`,
    `12 pwrite64(${DB}, "${hex("cd")}", 2, 0) = 2`,
    "13 <... fdatasync resumed>)             = 0",
  ].join("\n");
  const left = (text: string) =>
    new TextDecoder().decode(
      afterCut(stepsOf(text, "/data"), new Map(), () => 0.9).get("service.db"),
    );
  equal(left(trace), "ab");
  equal(left(`${trace}\n12 fdatasync(${DB}) = 0`), "cd");
  // A later sync that has begun, and not ended, keeps nothing.
  const both = trace.replace("13 <...", `14 fdatasync(${DB} <unfinished ...>\n13 <...`);
  equal(left(both), "ab");
  equal(left(`${both}\n14 <... fdatasync resumed>)             = 0`), "cd");
});

Deno.test("a soak fails when a write is lost, a limit is missing, or the service is slow or large", () => {
  const wrong = (say: (figures: ReturnType<typeof createFigures>) => void) => {
    const figures = createFigures();
    say(figures);
    return [figures.judge(), figures.table().split("\n").at(-1)];
  };
  deepEqual(wrong((figures) => figures.writes("kills", 9, 0))[0], true);
  deepEqual(wrong((figures) => figures.writes("kills", 9, 1)), [
    false,
    "WRONG kills: 1 acknowledged writes are lost",
  ]);
  deepEqual(wrong((figures) => figures.writes("kills", 0, 0)), [
    false,
    "WRONG kills: nothing was acknowledged",
  ]);
  deepEqual(wrong((figures) => figures.closed("head", 0)), [
    false,
    "WRONG the limit closed nothing: head",
  ]);
  deepEqual(wrong((figures) => figures.reads("x", [5000])), [false, "WRONG x: p99 of 5000 ms"]);
  deepEqual(wrong((figures) => figures.peak(5000)), [false, "WRONG the service took 5000 MB"]);
});
