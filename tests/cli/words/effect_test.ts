import { deepEqual, ok } from "node:assert/strict";
import { isReading } from "../../../lib/cli/words/effect.ts";
import { requestsOfCommands } from "../../../scripts/docs/commands.ts";

Deno.test("a reading command sends only reads, and every other one a change", async () => {
  const requests = await requestsOfCommands();
  const changing = new Set<string>();
  const all = new Set<string>();
  for (const { command, method, pathname } of requests) {
    if (pathname.startsWith("/oauth2/")) continue;
    all.add(command);
    if (method !== "GET") changing.add(command);
  }
  ok(all.size > 80, `${all.size} commands`);
  const wrong = [...all].filter((command) =>
    isReading(command.split(" ")) === changing.has(command)
  );
  deepEqual(wrong, []);
});
