/**
 * What happens once however many processes are asked at the same moment, and what all of them refuse at
 * once. Runs with `TEST_ENGINE=postgres`, and is skipped by name otherwise.
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import type { Service } from "../../../../lib/service/mod.ts";
import { ONLY_POSTGRES } from "../../../support/engine.ts";
import {
  authorizePath,
  codeForm,
  ORIGIN,
  OWNER,
  refreshForm,
} from "../../../support/oauth_fixture.ts";
import { openTogether } from "../../../support/together.ts";

/** Sends a form to a service. */
async function post(
  service: Service | undefined,
  path: string,
  form: Record<string, string>,
): Promise<{ status: number; json: Record<string, unknown> }> {
  const init = { method: "POST", body: new URLSearchParams(form) };
  const response = await service?.fetch(new Request(`${ORIGIN}${path}`, init));
  const text = await response?.text() ?? "";
  return { status: response?.status ?? 0, json: text === "" ? {} : JSON.parse(text) };
}

/** The status of a request with an access token. */
async function statusWith(service: Service | undefined, token: unknown): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await service?.fetch(new Request(`${ORIGIN}/v2/projects`, { headers }));
  await response?.body?.cancel();
  return response?.status ?? 0;
}

/** Sends a body with an idempotency key to one of the services. Returns status and body. */
function sender(
  services: readonly Service[],
  token: string | undefined,
): (place: number, path: string, key: string, body: unknown) => Promise<string> {
  return async (place, path, key, body) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "Idempotency-Key": key,
    };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const service = services[place % services.length];
    const response = await service?.fetch(new Request(`${ORIGIN}${path}`, init));
    return `${response?.status} ${await response?.text()}`;
  };
}

Deno.test("64 refreshes of one token on four processes give one pair", ONLY_POSTGRES, async () => {
  await using all = await openTogether(4, { role: "api" });
  const { services } = all;
  const { refresh_token = "" } = await services[0]?.oauth.issueToken({ rotates: true }) ?? {};
  const form = refreshForm(refresh_token);
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, i) => post(services[i % 4], "/oauth2/token", form)),
  );
  deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  equal(new Set(answers.map(({ json }) => json.access_token)).size, 1);
  equal(new Set(answers.map(({ json }) => json.refresh_token)).size, 1);
});

Deno.test(
  "an idempotency key that is sent to four processes at once has one effect",
  ONLY_POSTGRES,
  async () => {
    await using all = await openTogether(4, { role: "api" });
    const { services, projectId } = all;
    const token = (await services[0]?.oauth.issueToken({}))?.access_token;
    const send = sender(services, token);
    for (let round = 0; round < 10; round++) {
      const key = `key-${round}`;
      // The second path belongs to no project yet, so nothing but the key keeps the two apart.
      const [path, body] = round % 2 === 0
        ? [`/v2/projects/${projectId}/offerings`, { lookup_key: key, display_name: key }]
        : ["/v2/projects", { name: key }];
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => send(i, String(path), key, body)),
      );
      equal(new Set(answers).size, 1, [...new Set(answers)].join("\n"));
      ok(answers[0]?.startsWith("20"), answers[0]);
    }
    const { items } = await (await all.send(1, "GET", "/v2/projects?limit=100")).json();
    equal(items.filter(({ name }: { name: string }) => name.startsWith("key-")).length, 5);
  },
);

Deno.test(
  "an idempotency key that is sent for four projects at once belongs to one of them",
  ONLY_POSTGRES,
  async () => {
    await using all = await openTogether(2, { role: "api" });
    const { services } = all;
    const token = (await services[0]?.oauth.issueToken({}))?.access_token;
    const send = sender(services, token);
    const projects: string[] = [];
    for (const name of ["a", "b", "c", "d"]) {
      const created = await all.send(0, "POST", "/v2/projects", { name });
      projects.push((await created.json()).id);
    }
    const offerings = async (id: string): Promise<number> => {
      const path = `/v2/projects/${id}/offerings?limit=100`;
      return (await (await all.send(0, "GET", path)).json()).items.length;
    };
    const rounds = 10;
    // All rounds at once: the projects' transactions meet the keys in different orders.
    const sent = Array.from({ length: rounds }, (_, round) => `key-${round}`).map((key, round) =>
      Promise.all(projects.map((_, i) => {
        const id = projects[(i + round) % projects.length];
        const body = { lookup_key: key, display_name: key };
        return send(i, `/v2/projects/${id}/offerings`, key, body);
      }))
    );
    for (const answers of await Promise.all(sent)) {
      const made = answers.filter((answer) => answer.startsWith("201 "));
      const refused = answers.filter((answer) => /^409 .*"idempotency_error"/.test(answer));
      deepEqual([made.length, refused.length], [1, 3], answers.join("\n"));
    }
    const made = await Promise.all(projects.map(offerings));
    equal(made.reduce((sum, count) => sum + count), rounds);
  },
);

Deno.test("a sign-in code is used once, whichever process gets it", ONLY_POSTGRES, async () => {
  await using all = await openTogether(4, { role: "api", autoApprove: OWNER });
  const { services } = all;
  for (let round = 0; round < 4; round++) {
    const page = await services[round % 4]?.fetch(new Request(ORIGIN + authorizePath()));
    const code = new URL(page?.headers.get("Location") ?? "").searchParams.get("code") ?? "";
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => post(services[i % 4], "/oauth2/token", codeForm(code))),
    );
    const given = answers.filter(({ status }) => status === 200);
    equal(given.length, 1);
    equal(answers.filter(({ status }) => status === 400).length, 7);
    // A code that is used twice may have been stolen, so its tokens end, in all processes.
    for (const service of services) {
      equal(await statusWith(service, given[0]?.json.access_token), 401);
    }
  }
});

Deno.test("a revoked token is refused by all processes at once", ONLY_POSTGRES, async () => {
  await using all = await openTogether(4, { role: "api" });
  const { services } = all;
  for (let round = 0; round < 8; round++) {
    const from = services[round % 4];
    const { access_token, refresh_token } = await from?.oauth.issueToken({ rotates: true }) ?? {};
    const statuses = () => Promise.all(services.map((one) => statusWith(one, access_token)));
    deepEqual(await statuses(), [200, 200, 200, 200]);
    const form = { token: refresh_token ?? "", client_id: "svc-cli" };
    equal((await post(from, "/oauth2/revoke", form)).status, 200);
    deepEqual(await statuses(), [401, 401, 401, 401]);
  }
});

Deno.test(
  "an account that ends loses its access in all processes at once",
  ONLY_POSTGRES,
  async () => {
    await using all = await openTogether(4, { role: "api" });
    const { services, projectId } = all;
    for (let round = 0; round < 4; round++) {
      const email = `ada${round}@example.com`;
      const seat = { email, project_id: projectId, role: "developer" };
      const added = await all.send(round % 4, "POST", "/_sim/accounts", seat);
      ok(added.ok, await added.text());
      const issued = await services[0]?.oauth.issueToken({ accountEmail: email });
      const statuses = () =>
        Promise.all(services.map((one) => statusWith(one, issued?.access_token)));
      deepEqual(await statuses(), [200, 200, 200, 200]);
      const removed = await all.send(round % 4, "DELETE", `/_sim/accounts/${email}`);
      ok(removed.ok, await removed.text());
      deepEqual(await statuses(), [401, 401, 401, 401]);
    }
  },
);
