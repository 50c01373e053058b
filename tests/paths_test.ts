import { equal } from "node:assert/strict";
import * as node from "node:path";
import { basename, dirname, join } from "../lib/config/paths.ts";

const windows = Deno.build.os === "windows";
const paths = windows
  ? [
    "C:\\",
    "C:\\a",
    "C:\\a\\b.json",
    "c:/a/b",
    "C:\\a\\",
    "\\\\host\\share\\a",
    "\\a",
    "a\\b",
    "a",
  ]
  : ["/", "/a", "/a/b.json", "/a/b/", "//a", "/a\\b/c d", "a/b", "./a", "a"];

Deno.test("paths are split by the system's own rules", () => {
  for (const path of paths) {
    equal(dirname(path), node.dirname(path), path);
    equal(basename(path), node.basename(path), path);
  }
});

Deno.test("paths are joined by the system's own rules", () => {
  for (const path of paths.map(node.normalize)) {
    equal(join(path, ".cli", "config.json"), node.join(path, ".cli", "config.json"), path);
  }
  equal(join(".cli", "config.json"), node.join(".cli", "config.json"));
});

Deno.test("the walk to parent folders ends at the root", () => {
  let path = windows ? "C:\\a\\b\\c" : "/a/b/c";
  for (let level = 0; level < 3; level++) path = dirname(path);
  equal(path, windows ? "C:\\" : "/");
  equal(dirname(path), path);
});
