import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { variables } from "../../../lib/cli/events/exec.ts";
import { verifyWebhook } from "../../../lib/webhook.ts";
import type { Desk } from "../../support/harness.ts";
import {
  buyAt,
  listenAll,
  type ListeningProcess,
  makeEvents,
  openListening,
  startListening,
  startListeningIn,
  TARGET,
} from "../../support/listening.ts";
import { simulate } from "../../support/simulation.ts";

/** Runs `events listen --exec` until nothing is left, in a folder of its own. */
async function withCommand(
  work: (folder: string, desk: Desk, arrived: string[]) => Promise<void>,
  answer: (count: number) => number = () => 200,
): Promise<void> {
  const { desk, arrived } = await openListening(answer);
  await using _ = desk;
  const folder = await Deno.makeTempDir();
  try {
    await desk.run("events", "listen", "--exec", "true", "--until-idle");
    await work(folder, desk, arrived);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("events listen --exec passes each event's bytes to the command, in order and signed", () =>
  withCommand(async (folder, desk) => {
    const made = await makeEvents(desk, 3);
    const names = ["X_WEBHOOK_SIGNATURE", "WEBHOOK_ID", "WEBHOOK_TIMESTAMP", "WEBHOOK_SIGNATURE"];
    const script = `cat > '${folder}'/$EVENT_ID.body; echo "$EVENT_TYPE $EVENT_CUSTOMER_ID"; ` +
      `for name in ${names.join(" ")}; do eval "echo \\"\\$$name\\""; done ` +
      `> '${folder}'/$EVENT_ID.head; echo $EVENT_ID >> '${folder}'/order; echo told >&2`;
    const words = ["events", "listen", "--exec", script, "--until-idle"];
    const { code, out, err } = await desk.run(...words);
    equal(code, 0, err);
    const read = (name: string) => Deno.readTextFile(join(folder, name));
    deepEqual((await read("order")).trimEnd().split("\n"), made);
    const listener = await simulate(desk).send("POST", "/listeners/default", {});
    const secret = (await listener.json()).signing_secret;
    const rows = await simulate(desk).rows("events");
    for (const { id, payload } of rows) {
      const body = await read(`${id}.body`);
      equal(body, payload);
      const head = (await read(`${id}.head`)).split("\n");
      const headers = names.map((name, i): [string, string] => [
        name.toLowerCase().replaceAll("_", "-"),
        head[i] ?? "",
      ]);
      const request = new Request(TARGET, { method: "POST", headers, body });
      equal((await verifyWebhook(request, secret)).id, id);
    }
    // Standard output is ours alone, whatever the command writes.
    const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line)).slice(1);
    deepEqual(lines.map(({ object, event_id, exit_code }) => [object, event_id, exit_code]), [
      ...made.map((id) => ["executed_event", id, 0]),
    ]);
    deepEqual(err.split("\n").slice(0, 2), ["INITIAL_PURCHASE ada", "told"]);
  }));

Deno.test("events listen --exec acknowledges an event only when the command exits with 0", () =>
  withCommand(async (folder, desk) => {
    const [first = "", second = ""] = await makeEvents(desk, 1);
    const script = `echo $EVENT_ID >> '${folder}'/runs; test $(wc -l < '${folder}'/runs) -ge 3`;
    const { code, out } = await desk.run("events", "listen", "--exec", script, "--until-idle");
    equal(code, 0);
    const runs = (await Deno.readTextFile(join(folder, "runs"))).trimEnd().split("\n");
    deepEqual(runs, [first, first, first, second]);
    const lines = out.trimEnd().split("\n").slice(1).map((line) => JSON.parse(line));
    deepEqual(lines.map(({ attempt, error }) => [attempt, error]), [
      ...[[1, "it exited with 1"], [2, "it exited with 1"], [3, null], [1, null]],
    ]);
    const product_id = "notes.pro.lifetime";
    await simulate(desk).purchase({ customer_id: "late", product_id });
    const failing = ["events", "listen", "--exec", "kill -9 $$", "--attempts", "2"];
    const refused = await desk.run(...failing);
    equal(refused.code, 1);
    match(
      refused.err,
      /^Cannot run the command of --exec for NON_RENEWING_PURCHASE \S+: SIGKILL ended it/,
    );
    // It was not acknowledged.
    const again = await desk.run("events", "listen", "--exec", "exit 0", "--until-idle");
    equal(again.out.trimEnd().split("\n").length, 2);
  }));

Deno.test("events listen forwards first, then runs the command, and neither twice", () =>
  withCommand(
    async (folder, desk, arrived) => {
      const made = await makeEvents(desk, 1);
      const script = `echo $EVENT_ID >> '${folder}'/runs; test $(wc -l < '${folder}'/runs) -ge 2`;
      const { code } = await listenAll(desk, "--exec", script);
      equal(code, 0);
      deepEqual(arrived, made);
      const runs = (await Deno.readTextFile(join(folder, "runs"))).trimEnd().split("\n");
      deepEqual(runs, [made[0], made[0], made[1]]);
    },
    (count) => count === 1 ? 500 : 200,
  ));

Deno.test("events listen --exec handles a command that reads nothing or leaves a child behind", () =>
  withCommand(async (folder, desk) => {
    const made = await makeEvents(desk, 0);
    const script = `exec <&-; (sleep 20; echo late) & echo $! > '${folder}'/pid`;
    const started = performance.now();
    const { code } = await desk.run("events", "listen", "--exec", script, "--until-idle");
    equal(code, 0);
    equal(made.length, 1);
    ok(performance.now() - started < 15_000);
    const pid = await Deno.readTextFile(join(folder, "pid"));
    await new Deno.Command("sh", { args: ["-c", `kill ${pid}`] }).output();
  }));

/** Makes one event, and returns the id of the process that the command of `--exec` prints. */
async function commandStarted({ server, child, lines }: ListeningProcess): Promise<string> {
  await lines.next();
  await buyAt(server, "ada");
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  const { value: pid = "" } = await errors.read();
  match(pid, /^\d+\n$/);
  await errors.cancel();
  return pid.trim();
}

/** Makes sure that a process has gone, or is about to. */
async function isGone(pid: string): Promise<void> {
  // One that has ended, but whom nobody has asked how, is a zombie.
  const gone = `! kill -0 ${pid} || grep -q 'State:.Z' /proc/${pid}/status`;
  const wait = `for i in $(seq 100); do { ${gone}; } && exit 0; sleep 0.1; done; exit 1`;
  ok((await new Deno.Command("sh", { args: ["-c", wait] }).output()).success);
}

for (
  const [what, shellCommand] of [
    ["the command of --exec and its child processes", "sleep 600 & echo $!; wait"],
    [
      "a program that ignores SIGTERM, also when its shell has ended before",
      `sh -c 'trap "" TERM; echo $$; while :; do sleep 1; done' & wait`,
    ],
  ] as const
) {
  Deno.test(`Ctrl-C ends ${what}`, async () => {
    const listening = await startListening("--exec", shellCommand);
    const { server, child, lines } = listening;
    const pid = await commandStarted(listening);
    child.kill("SIGINT");
    equal((await child.status).code, 0);
    await lines.return(undefined);
    await isGone(pid);
    await server.stop();
  });
}

Deno.test("closing the terminal ends the command of --exec", async () => {
  const listening = await startListening("--exec", "sleep 600 & echo $!; wait");
  const { server, child, lines } = listening;
  const pid = await commandStarted(listening);
  child.kill("SIGHUP");
  await child.status;
  await lines.return(undefined);
  await isGone(pid);
  await server.stop();
});

Deno.test("--exec works with LD_LIBRARY_PATH set, which Deno does not pass on", async () => {
  const env = { LD_LIBRARY_PATH: "/nowhere", LD_PRELOAD: "" };
  const listening = await startListeningIn(env, "--exec", "echo $$; sleep 600");
  const { server, child, lines } = listening;
  await commandStarted(listening);
  child.kill("SIGINT");
  equal((await child.status).code, 0);
  await lines.return(undefined);
  await server.stop();
});

Deno.test("text that cmd would run is kept out of its command line", () => {
  const of = (customer_id: string, windows: boolean) =>
    variables({ id: "evt1", type: "TEST", customer_id }, [["webhook-id", "evt1"]], windows);
  const fine = { EVENT_ID: "evt1", EVENT_TYPE: "TEST", WEBHOOK_ID: "evt1" };
  for (const id of ["a&calc", "a|b", '"', "%PATH%", "!x!", "a^b", "<x>", "(a)", "a\r\nb"]) {
    deepEqual(of(id, true), { env: fine, left: ["EVENT_CUSTOMER_ID"] }, id);
    equal(of(id, false).env.EVENT_CUSTOMER_ID, id);
  }
  equal(of("$anonymous:a b@c.d/e=+ü", true).env.EVENT_CUSTOMER_ID, "$anonymous:a b@c.d/e=+ü");
  deepEqual(of("a\0b", false).left, ["EVENT_CUSTOMER_ID"]);
});
