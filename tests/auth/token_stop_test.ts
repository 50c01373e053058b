import { ok, rejects, strictEqual } from "node:assert/strict";
import { connect } from "../../lib/connect.ts";
import { Cancelled } from "../../lib/errors.ts";
import { client, expired, onDisk, tokenSent } from "../support/token_service.ts";

Deno.test("the signal ends the wait for the lock and the delay between tries", async () => {
  const [machine, service] = await expired();
  await using _ = machine;
  const controller = new AbortController();
  service.instead = () => {
    controller.abort();
    return Response.json({}, { status: 503 });
  };
  const connected = await connect({ surroundings: machine, signal: controller.signal });
  await rejects(tokenSent(connected), Cancelled);
  strictEqual(service.forms.length, 1);
});

Deno.test("a stopped refresh that reached the service still stores the new pair", async () => {
  const [machine, service, before] = await expired();
  await using _ = machine;
  const controller = new AbortController();
  service.beforeAnswer = () => {
    controller.abort();
    return new Promise((resolve) => setTimeout(resolve, 50));
  };
  const connected = await connect({ surroundings: machine, signal: controller.signal });
  await rejects(tokenSent(connected), Cancelled);
  const { refresh_token } = await onDisk(machine);
  ok(refresh_token !== before, "the new pair is lost");
  strictEqual(service.requests.length, 0);
  // It is the newest one: a later run works with it.
  await tokenSent(await client(machine));
});
