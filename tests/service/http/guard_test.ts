import { equal, throws } from "node:assert/strict";
import { createGuard } from "../../../lib/service/http/guard.ts";

const PAGE = "https://app.example.com";

/** What a guard makes of a request. */
function ask(url: string, headers: Record<string, string> = {}, publicUrl?: string): string {
  const guard = createGuard(["api"], (origin) => origin === PAGE, publicUrl);
  return guard(new Request(url, { headers }));
}

Deno.test("the refusal of a page shows what lets it in, where something can", () => {
  const refused = (url: string, Origin: string, hint: string) =>
    throws(() => ask(url, { Origin }), {
      name: "Refusal",
      status: 403,
      type: "authorization_error",
      message: `Web pages from ${Origin} cannot use this service${hint}`,
    });
  const allow = (origin: string) =>
    `; start it with --allow-origin ${origin} to let apps there use it`;
  refused("http://api/v1/x", "https://evil.example", allow("https://evil.example"));
  refused("http://api/v1/x", "null", allow("null"));
  const own = (origin: string) =>
    `; if that is its own address, start it with --public-url ${origin}`;
  refused("http://api/v2/x", PAGE, own(PAGE));
  refused("http://api/v2/x", "app://localhost", "");
});

Deno.test("pages of the service, and apps at their own addresses, are let in", () => {
  equal(ask("http://api/v1/x?y", { Origin: PAGE }), "/v1/x");
  equal(ask("http://api/v2/x", { Origin: "http://api" }), "/v2/x");
  equal(
    ask("http://api:1/v2/x", { Origin: "https://subs.example.com" }, "https://subs.example.com/"),
    "/v2/x",
  );
  equal(ask("http://api/v2/x"), "/v2/x");
});

Deno.test("a host is checked again for each address and each header", () => {
  const guard = createGuard(["api"], () => false);
  const pass = (url: string, headers: Record<string, string> = {}) =>
    guard(new Request(url, { headers }));
  const foreign = {
    status: 421,
    message: "This service does not accept the host evil; start it with --name evil to allow that",
  };
  // More addresses than are remembered.
  for (let port = 1; port <= 70; port++) equal(pass(`http://api:${port}/a`), "/a");
  throws(() => pass("http://evil/a"), foreign);
  equal(pass("http://api/a"), "/a");
  throws(() => pass("http://evil/a"), foreign);
});
