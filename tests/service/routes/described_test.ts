/** What only the API document says: rules of fields that no answer of the service shows. */

import { equal } from "node:assert/strict";
import { openApiDocument } from "../../../lib/service/contract/openapi.ts";
import { operations } from "../../../lib/service/routes/mod.ts";
import type { DocumentSchema, ServedDocument } from "../../support/document_requests.ts";

const document: ServedDocument = JSON.parse(openApiDocument(operations, "test"));

/** The only schema for a name anywhere inside of a part of the document. */
function fieldIn(part: unknown, name: string): DocumentSchema {
  const found: DocumentSchema[] = [];
  JSON.stringify(part, (key, value) => {
    if (key === name) found.push(value);
    return value;
  });
  const [field, ...others] = found;
  if (!field || others.length > 0) throw new Error(`${found.length} fields ${name}`);
  return field;
}

Deno.test("the document says which receivers webhooks may have", () => {
  const bodies = [
    document.paths["/v2/projects/{project_id}/integrations/webhooks"]?.["post"],
    document.paths["/v2/projects/{project_id}/integrations/webhooks/{id}"]?.["post"],
  ].map((operation) => operation?.requestBody);
  for (const body of bodies) {
    const { description } = fieldIn(body, "url");
    equal(
      description,
      "An https address that leads to the Internet; the local service may allow others.",
    );
  }
});

Deno.test("the document says that charts have no negative number of decimals", () => {
  const { type, minimum } = fieldIn(document.components.schemas["Chart"], "decimal_precision");
  equal(type, "integer");
  equal(minimum, 0);
});
