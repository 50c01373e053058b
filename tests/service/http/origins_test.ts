import { deepEqual, equal, throws } from "node:assert/strict";
import {
  answerPreflight,
  createOrigins,
  isForApps,
  openToPage,
} from "../../../lib/service/http/origins.ts";

const PAGE = "https://app.example.com";

/** The headers of a response, without those that every response has. */
function headersOf({ headers }: Response): Record<string, string> {
  const { "x-request-id": _, "cache-control": __, ...rest } = Object.fromEntries(headers);
  return rest;
}

/** Asks before a request, as a browser does. */
function preflight(headers: Record<string, string>, method = "OPTIONS"): Response | undefined {
  return answerPreflight(new Request("http://127.0.0.1/v1/x", { method, headers }));
}

Deno.test("the addresses for apps are those under /v1/ and /rcbilling/v1/", () => {
  for (const path of ["/v1/", "/v1/subscribers/ada", "/rcbilling/v1/x"]) {
    equal(isForApps(path), true);
  }
  for (const path of ["/", "/v1", "/v1x/", "/v2/v1/", "/rcbilling/v2/"]) {
    equal(isForApps(path), false);
  }
});

Deno.test("pages of this machine and of named origins are let in, with any scheme and port", () => {
  const isOpen = createOrigins([PAGE]);
  const local = [
    "http://localhost",
    "https://127.255.0.1:1",
    "http://[::1]:65535",
    "app+x.y-z://localhost",
  ];
  for (const origin of [...local, PAGE]) equal(isOpen(origin), true, origin);
  const foreign = [
    "http://128.0.0.1",
    "http://localhost.",
    "http://localhost:123456",
    "1app://localhost",
  ];
  for (const origin of [...foreign, "null", `${PAGE}:1`]) equal(isOpen(origin), false, origin);
  throws(() => createOrigins([PAGE, "a b"]), {
    name: "UsageError",
    message: 'Cannot allow the origin "a b": it must be a scheme and a host, such as ' +
      "https://app.example.com or http://192.168.1.5:5173",
  });
});

Deno.test("a browser learns what a page may send, for ten minutes", () => {
  const asked = { Origin: PAGE, "Access-Control-Request-Method": "POST" };
  const plain = preflight(asked);
  equal(plain?.status, 204);
  const always = {
    "access-control-allow-methods": "GET, POST, PATCH",
    "access-control-max-age": "600",
  };
  deepEqual(plain && headersOf(plain), always);
  const wanting = preflight({
    ...asked,
    "Access-Control-Request-Headers": "x-own",
    "Access-Control-Request-Private-Network": "true",
  });
  deepEqual(wanting && headersOf(wanting), {
    ...always,
    "access-control-allow-headers": "x-own",
    "access-control-allow-private-network": "true",
  });
});

Deno.test("a request that lacks a part of a preflight is none", () => {
  const asked = { Origin: PAGE, "Access-Control-Request-Method": "POST" };
  equal(preflight(asked, "GET"), undefined);
  equal(preflight({ Origin: PAGE }), undefined);
  equal(preflight({ "Access-Control-Request-Method": "POST" }), undefined);
});

Deno.test("a page may read the response and two of its headers", async () => {
  const response = new Response("text", {
    status: 404,
    statusText: "None",
    headers: { "X-A": "b" },
  });
  const to = (headers: Record<string, string>) =>
    openToPage(new Request("http://127.0.0.1/v1/x", { headers }), response);
  equal(to({}), response, "a program gets it as it is");
  const opened = to({ Origin: PAGE });
  deepEqual([opened.status, opened.statusText, await opened.text()], [404, "None", "text"]);
  deepEqual(headersOf(opened), {
    "access-control-allow-origin": PAGE,
    "access-control-expose-headers": "X-RevenueCat-ETag, X-Request-Id",
    "content-type": "text/plain;charset=UTF-8",
    vary: "Origin",
    "x-a": "b",
  });
});
