import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type Desk, type DeskOptions, openDesk } from "../../support/harness.ts";

/** The items of a page. */
const PAGE = 100;

/** A desk whose service has so many projects. The field `first` is on the first page alone. */
function openCrowd(count: number, options: DeskOptions = {}): Promise<Desk> {
  return openDesk({
    ...options,
    intercept: (request, pass) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== "/v2/projects") return pass(request);
      const start = Number(searchParams.get("starting_after") ?? 0);
      const limit = Number(searchParams.get("limit") ?? PAGE);
      const length = Math.min(limit, count - start);
      const items = Array.from({ length }, (_, i) => {
        const id = String(start + i + 1);
        return `{"id":"${id}","name":"Number ${id}","created_at":0,"rate":0.10}`;
      });
      const end = start + length;
      const next = end < count ? `"/v2/projects?limit=${limit}&starting_after=${end}"` : "null";
      const more = start === 0 ? ',"first":1.0' : "";
      return Promise.resolve(
        new Response(
          `{"object":"list"${more},"next_page":${next},"items":[${items}],"url":"/v2/projects"}`,
        ),
      );
    },
  });
}

const LONG = 10_250;

Deno.test("a list too long for memory is still one JSON document", async () => {
  await using desk = await openCrowd(LONG);
  const { code, out, err, json } = await desk.run("projects", "list", "--output", "json");
  deepEqual([code, err], [0, ""]);
  const { items, ...rest } = json() as { items: { id: string }[] };
  deepEqual(rest, { object: "list", first: 1, next_page: null, url: "/v2/projects" });
  deepEqual(items.map(({ id }) => Number(id)), Array.from({ length: LONG }, (_, i) => i + 1));
  ok(
    out.startsWith('{\n  "object": "list",\n  "first": 1.0,\n  "items": [\n    {\n      "id": "1"'),
  );
  ok(out.endsWith('"rate": 0.10\n    }\n  ],\n  "next_page": null,\n  "url": "/v2/projects"\n}\n'));
});

Deno.test("a long list stops at --limit and shows how to continue", async () => {
  await using desk = await openCrowd(LONG + 500);
  const words = ["projects", "list", "--limit", `${LONG}`];
  const cut = await desk.run(...words, "--output", "json", "--fields", "id");
  const { items, next_page } = cut.json() as { items: object[]; next_page: string };
  deepEqual([items.length, items.at(-1), next_page], [LONG, { id: `${LONG}` }, `${LONG}`]);
  match(cut.err, new RegExp(`^More items follow: continue with --starting-after ${LONG}\n$`));
  for (const format of ["csv", "ndjson"]) {
    const { out, err } = await desk.run(...words, "--output", format, "--fields", "id");
    const lines = out.trimEnd().split("\n");
    equal(lines.length, format === "csv" ? LONG + 1 : LONG);
    match(err, new RegExp(`^More items follow: continue with --starting-after ${LONG}\n$`));
  }
});

Deno.test("a long table keeps the widths of its first page", async () => {
  await using desk = await openCrowd(LONG);
  const { out, err } = await desk.run("projects", "list");
  const lines = out.trimEnd().split("\n");
  deepEqual([lines.length, err], [LONG + 1, ""]);
  const at = lines[0]?.indexOf("NAME");
  equal(at, 7);
  for (const [i, line] of lines.slice(1).entries()) equal(line.indexOf("Number"), at, `row ${i}`);
});

Deno.test("--all counts items on standard error, in every format", async () => {
  await using desk = await openCrowd(LONG);
  for (const format of ["table", "json", "csv", "ndjson"]) {
    const { code, err } = await desk.run("projects", "list", "--all", "--output", format);
    deepEqual([code, err], [0, "Read 10,250 items\n"], format);
  }
  await using watched = await openCrowd(250, { errColumns: 60 });
  const { err } = await watched.run("projects", "list", "--all", "--output", "ndjson");
  const removed = `\r${" ".repeat(14)}\r`;
  const counts = [100, 200, 250].map((count) => `\rRead ${count} items${removed}`);
  equal(err, `${counts.join("")}Read 250 items\n`);
  await using short = await openCrowd(2);
  equal((await short.run("projects", "list", "--all")).err, "");
});
