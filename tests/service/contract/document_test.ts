import { equal, ok } from "node:assert/strict";
import { type Desk, openDesk } from "../../support/harness.ts";
import { fc } from "../../support/properties.ts";

/** What is looked at of a parameter's schema. */
interface Schema {
  /** The type. */
  type?: string;
  /** The values there are. */
  enum?: string[];
  /** What a list holds. */
  items?: { enum?: string[] };
  /** The least number. */
  minimum?: number;
  /** The least number of characters. */
  minLength?: number;
  /** The most characters. */
  maxLength?: number;
  /** Such as `date`. */
  format?: string;
  /** The rule in words. */
  description?: string;
}

/** A parameter. */
interface Parameter {
  /** Its name. */
  name: string;
  /** Where it stands. */
  in: string;
  /** Its values. */
  schema: Schema;
}

/** An operation. */
interface Operation {
  /** Its name. */
  operationId: string;
  /** Its parameters. */
  parameters: Parameter[];
  /** A rule in words. */
  description?: string;
}

/** The served document's reads that name nothing but the project, and charts; without those of apps. */
async function readsOf(desk: Desk): Promise<[string, Operation][]> {
  const document: { paths: Record<string, Record<string, Operation>>; servers: unknown[] } =
    await (await desk.send("GET", "/openapi.json")).json();
  equal(document.servers.length, 1);
  return Object.entries(document.paths).flatMap(([path, { get }]) => {
    const rest = path.replace("{project_id}", "").replace("/charts/{name}", "");
    return get && !rest.includes("{") && !/^\/(v1|rcbilling)\//.test(path)
      ? [[path, get] as [string, Operation]]
      : [];
  });
}

/** Values that a schema allows. */
function valuesFor({ type, items, enum: own, minimum, minLength, maxLength, format }: Schema) {
  const all = own ?? items?.enum;
  if (all) return fc.constantFrom(...all);
  if (format === "date") return fc.constantFrom("2025-01-01", "2025-06-30", "2026-01-31");
  if (type === "integer") return fc.integer({ min: minimum ?? 0 }).map(String);
  const most = Math.min(maxLength ?? 20, 20);
  return fc.string({ unit: "grapheme", minLength: minLength ?? 0, maxLength: most })
    .filter((text) => !text.includes("\0"));
}

Deno.test("a read that the document allows is refused only where it says so in words", async () => {
  await using desk = await openDesk();
  const reads = await readsOf(desk);
  ok(reads.length > 15, String(reads.length));
  const unexplained: string[] = [];
  let sent = 0;
  for (const [path, { operationId, parameters, description }] of reads) {
    const query = parameters.filter((one) => one.in === "query");
    const name = parameters.find((one) => one.name === "name")?.schema ?? {};
    const request = fc.record({
      name: valuesFor(name),
      query: fc.record(
        Object.fromEntries(query.map((one) => [one.name, valuesFor(one.schema)])),
        { requiredKeys: [] },
      ),
    });
    for (const one of fc.sample(request, 20)) {
      const url = new URLSearchParams(Object.entries(one.query).map(([k, v]) => [k, String(v)]));
      const address = path.replace("{project_id}", desk.projectId)
        .replace("{name}", encodeURIComponent(one.name));
      const response = await desk.send("GET", `${address}?${url}`);
      sent++;
      if (response.status < 400) continue;
      const { param, message } = await response.json();
      const rule = query.find((parameter) => parameter.name === param)?.schema.description;
      if (!rule && !description) unexplained.push(`${operationId} ${url}: ${message}`);
    }
  }
  equal(unexplained.length, 0, `${unexplained.length} of ${sent}: ${unexplained.join(" ; ")}`);
});

Deno.test("every size of a page is taken, and more than 100 count as 100", async () => {
  await using desk = await openDesk();
  const path = `/v2/projects/${desk.projectId}/customers?limit=`;
  for (const limit of ["1", "100", "101", "0100", "9007199254740991"]) {
    equal((await desk.send("GET", path + limit)).status, 200, limit);
  }
  for (const limit of ["0", "-1", "1.5", "x", ""]) {
    equal((await desk.send("GET", path + limit)).status, 400, limit);
  }
});
