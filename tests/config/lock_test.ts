import { ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { withLock } from "../../lib/config/lock.ts";
import { Cancelled } from "../../lib/errors.ts";
import { runPrograms, testMachine } from "../support/token_service.ts";

const LOCK = new URL("../../lib/config/lock.ts", import.meta.url).href;

Deno.test("waiting for a lock ends after a time, and the error names its file", async () => {
  await using machine = await testMachine();
  const path = join(machine.root, "a.lock");
  let waited = 0;
  const pauses: number[] = [];
  const pause = (ms: number) => {
    pauses.push(ms);
    return Promise.resolve(void (waited += ms));
  };
  const impatient = { ...machine, pause };
  await withLock(path, machine, undefined, async () => {
    await rejects(withLock(path, impatient, undefined, () => Promise.resolve()), {
      name: "ConfigError",
      message: `Cannot lock "${path}": another process has held it for 30 seconds`,
    });
  });
  ok(waited >= 30_000 && waited < 31_000, `${waited}`);
  ok(pauses.every((ms) => ms >= 5 && ms <= 50), "a random part of 10 ms, later of 50 ms");
  strictEqual(await withLock(path, machine, undefined, () => Promise.resolve(5)), 5);
});

Deno.test("waiting for a lock ends when the signal fires", async () => {
  await using machine = await testMachine();
  const path = join(machine.root, "a.lock");
  await withLock(path, machine, undefined, async () => {
    const controller = new AbortController();
    const waiting = withLock(path, machine, controller.signal, () => Promise.resolve());
    queueMicrotask(() => controller.abort());
    await rejects(waiting, Cancelled);
  });
});

Deno.test("a lock is free again when its holder failed or was killed", async () => {
  await using machine = await testMachine();
  const path = join(machine.root, "a.lock");
  const failing = withLock(path, machine, undefined, () => Promise.reject(new Error("no")));
  await rejects(failing, { message: "no" });
  const source = `
    import { withLock } from ${JSON.stringify(LOCK)};
    const around = { env: () => undefined, cwd: undefined, home: undefined, now: () => 0,
      warn: () => {} };
    await withLock(${JSON.stringify(path)}, around, undefined, async () => {
      Deno.kill(Deno.pid, "SIGKILL");
      await new Promise(() => {});
    });`;
  const args = ["--allow-read", "--allow-write", "--allow-run"];
  const [run] = await runPrograms(source, 1, { args });
  ok(run && run.code !== 0);
  const once = { ...machine, pause: () => Promise.reject(new Error("it is still held")) };
  await withLock(path, once, undefined, () => Promise.resolve());
});
