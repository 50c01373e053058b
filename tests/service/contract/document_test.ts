/**
 * The served document against the service: it explains every refusal of a request that it allows.
 *
 * `DOCUMENT_REQUESTS` is the number of requests to each operation, 3 without it.
 */

import { equal, ok } from "node:assert/strict";
import {
  type AllowedRequest,
  createRequestMaker,
  type DocumentOperation,
  type ServedDocument,
} from "../../support/document_requests.ts";
import type { Site } from "../../support/generated_requests.ts";
import { openDesk } from "../../support/harness.ts";
import { fc, roundSeed } from "../../support/properties.ts";
import { openRequestDesk } from "../../support/request_desk.ts";

const EACH = Number(Deno.env.get("DOCUMENT_REQUESTS") ?? 3);

/**
 * Statuses about the state of objects, which no schema can describe. The document explains them.
 */
const OF_STATE = [404, 409, 422];

/** The rules for all bodies, with their error messages. */
const OF_BODIES = /character NUL|NUL character|in magnitude/;

/** An operation with its place. */
interface Place {
  /** The path template. */
  path: string;
  /** The method, in upper case. */
  method: string;
  /** The operation. */
  operation: DocumentOperation;
}

/** The body of an error. */
interface ErrorBody {
  /** The invalid field or parameter. */
  param?: string;
  /** The message. */
  message: string;
}

/**
 * Every operation of the management API, deletions last, since other operations need the objects.
 * Errors of apps' operations name no field.
 */
function placesOf(document: ServedDocument): Place[] {
  const paths = Object.entries(document.paths).filter(([path]) => path.startsWith("/v2/"));
  const all = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Place => ({
      path,
      method: method.toUpperCase(),
      operation,
    }))
  );
  const isLast = ({ method }: Place) => Number(method === "DELETE");
  return all.toSorted((a, b) => isLast(a) - isLast(b));
}

/** The names of the fields and parameters with a rule in words, in a part of the document. */
function ruledNames(
  part: unknown,
  document: ServedDocument,
  found = new Set<string>(),
): Set<string> {
  if (typeof part !== "object" || part === null) return found;
  if ("name" in part && "schema" in part && "description" in Object(part.schema)) {
    found.add(String(part.name));
  }
  for (const [name, inner] of Object.entries(part)) {
    const named = name === "$ref" ? String(inner).split("/").at(-1) ?? "" : "";
    const known = document.components.schemas[named];
    if (known) ruledNames(known, document, found);
    if (typeof inner === "object" && inner !== null && "description" in inner) found.add(name);
    ruledNames(inner, document, found);
  }
  return found;
}

/** Whether the document explains the refusal of a request that it allows. */
function isExplained(
  { operation }: Place,
  document: ServedDocument,
  status: number,
  { param, message }: ErrorBody,
): boolean {
  const { parameters, requestBody, responses, description = "" } = operation;
  if (OF_STATE.includes(status)) return responses[status]?.description !== undefined;
  if (status !== 400) return false;
  if (OF_BODIES.test(message)) return OF_BODIES.test(requestBody?.description ?? "");
  const name = param?.split(".").findLast((part) => !/^\d+$/.test(part));
  if (name === undefined) return false;
  return ruledNames([parameters, requestBody], document).has(name) ||
    description.includes(`\`${name}\``);
}

/** Sends a request, and returns the status, with the error if any. */
async function send(
  { base_url, credentials, fetch, stock }: Site,
  { method }: Place,
  request: AllowedRequest,
): Promise<{ status: number; error?: ErrorBody }> {
  const headers = new Headers({ Authorization: `Bearer ${credentials.token}` });
  if (request.body !== undefined) headers.set("Content-Type", "application/json");
  const url = base_url + request.path;
  const response = await fetch(new Request(url, { method, headers, body: request.body ?? null }));
  const text = await response.text();
  stock.learn(method, new URL(url).pathname, response, text);
  const { status } = response;
  return status < 400 ? { status } : { status, error: JSON.parse(text) };
}

Deno.test("a request that the document allows is refused only for a reason in the document", async () => {
  await using opened = await openRequestDesk();
  const { desk, site } = opened;
  const document: ServedDocument = await (await desk.send("GET", "/openapi.json")).json();
  const maker = createRequestMaker(document, site.stock);
  const places = placesOf(document);
  const unexplained: string[] = [];
  const done = new Set<string>();
  let sent = 0;
  for (const place of places) {
    const { operationId } = place.operation;
    for (let i = 0; i < EACH; i++) {
      const one = maker.requests(place.path, place.operation);
      const [request] = fc.sample(one, { numRuns: 1, ...roundSeed(sent++) });
      if (!request) continue;
      const { status, error } = await send(site, place, request);
      const label = `${operationId} ${status} ${error?.param}: ${error?.message}`;
      ok(status < 500, label);
      if (!error) done.add(operationId);
      else if (!isExplained(place, document, status, error)) unexplained.push(label.slice(0, 200));
    }
  }
  equal(unexplained.length, 0, `${unexplained.length} of ${sent}: ${unexplained.join(" ; ")}`);
  equal(sent, places.length * EACH);
  // Most operations succeed: a test with refusals only would prove nothing.
  ok(done.size > places.length * 0.6, `${done.size} of ${places.length} got through`);
});

Deno.test("every page size is accepted, and sizes above 100 count as 100", async () => {
  await using desk = await openDesk();
  const path = `/v2/projects/${desk.projectId}/customers?limit=`;
  for (const limit of ["1", "100", "101", "0100", "9007199254740991"]) {
    equal((await desk.send("GET", path + limit)).status, 200, limit);
  }
  for (const limit of ["0", "-1", "1.5", "x", ""]) {
    equal((await desk.send("GET", path + limit)).status, 400, limit);
  }
});

Deno.test("the document has the rules of names, addresses and texts as patterns", async () => {
  await using desk = await openDesk();
  const document: ServedDocument = await (await desk.send("GET", "/openapi.json")).json();
  const bodyOf = (path: string) =>
    document.paths[`/v2/projects/{project_id}${path}`]?.post?.requestBody
      ?.content["application/json"].schema.properties ?? {};
  const { url, name } = bodyOf("/integrations/webhooks");
  equal(url?.format, "uri");
  const address = new RegExp(url?.pattern ?? "", "u");
  equal(address.test("https://a.example") && !address.test("ftp://a.example"), true);
  equal(new RegExp(name?.pattern ?? "", "u").test("a\0b"), false);
  const attribute = bodyOf("/customers").attributes?.items?.properties?.name;
  const names = new RegExp(attribute?.pattern ?? "", "u");
  for (const good of ["a-b_1", "$email"]) ok(names.test(good), good);
  for (const bad of ["$other", "1a", "a b", "$emails"]) ok(!names.test(bad), bad);
});
