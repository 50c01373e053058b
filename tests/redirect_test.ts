import { deepEqual, equal, rejects } from "node:assert/strict";
import { rawJson } from "../lib/client.ts";
import { ApiError, NetworkError } from "../lib/errors.ts";
import { path } from "../lib/path.ts";
import { NOWHERE, openWire } from "./support/wire.ts";

Deno.test("a caller that requests the target of a redirect gets its whole address", async () => {
  const at = (status: number, headers: HeadersInit = {}) =>
    openWire([new Response(null, { status, headers })], { retries: 0 }).client
      .get(path`/invoices/i/file`, { redirect: true });
  for (const status of [300, 302, 307, 399]) {
    deepEqual(await at(status, { Location: "/files/1.pdf?token=x" }), {
      url: `${NOWHERE}/files/1.pdf?token=x`,
    });
  }
  const elsewhere = await at(302, { Location: "https://files.example/1.pdf" });
  deepEqual(elsewhere, { url: "https://files.example/1.pdf" });
  equal(rawJson(elsewhere), '{"url":"https://files.example/1.pdf"}');
  await rejects(at(302), NetworkError);
  await rejects(at(299, { Location: "/files/1.pdf" }), NetworkError);
  await rejects(at(400, { Location: "/files/1.pdf" }), ApiError);
});
