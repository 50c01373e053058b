import { deepEqual } from "node:assert/strict";
import { basename, dirname, join } from "../../lib/config/paths.ts";

Deno.test("a path is a folder and names, without needless separators", {
  ignore: Deno.build.os === "windows",
}, () => {
  const joined = [
    join("/data/", "service.db"),
    join("/", "service.db"),
    join(".", "service.db"),
    join("", "service.db"),
    join("/data", ""),
    join("/data/", ""),
    join("/home/ada", ".cli", "service"),
  ];
  deepEqual(joined, [
    "/data/service.db",
    "/service.db",
    "./service.db",
    "service.db",
    "/data",
    "/data/",
    "/home/ada/.cli/service",
  ]);
  deepEqual(joined.map(dirname), ["/data", "/", ".", ".", "/", "/", "/home/ada/.cli"]);
  deepEqual(joined.map(basename).slice(0, 5), Array(4).fill("service.db").concat("data"));
});
