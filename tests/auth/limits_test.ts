import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { revokeToken } from "../../lib/auth/revoke.ts";
import { refreshToken, requestToken, type TokenEndpoint } from "../../lib/auth/token.ts";
import { connect, signIn } from "../../lib/connect.ts";
import { Cancelled, NetworkError } from "../../lib/errors.ts";
import { withAlarmTime } from "../support/alarm_time.ts";
import { allow, openHome } from "../support/home_fixture.ts";
import { withTimersAt } from "../support/stubbed_timers.ts";
import { expired, NOW, profileNamed, tokenSent } from "../support/token_service.ts";

/** A service that gets forms, and what happened. */
interface Forms extends TokenEndpoint {
  /** The forms that were sent. */
  readonly sent: string[];
  /** The waits between them, in milliseconds. */
  readonly waits: number[];
}

/** Connects to a service that answers forms like this; the last answer repeats. */
function formsAt(...answers: (() => Response | Promise<Response>)[]): Forms {
  const [sent, waits]: [string[], number[]] = [[], []];
  const around = {
    env: () => undefined,
    cwd: undefined,
    home: undefined,
    now: () => NOW,
    warn: () => {},
    pause: (ms: number) => Promise.resolve(void waits.push(ms)),
    fetch: async (request: Request) => {
      sent.push(new URL(request.url).pathname);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      ok(answer);
      return await answer();
    },
  };
  return { baseUrl: "https://service.example", around, sent, waits };
}

/** An answer that is lost. */
const lost = () => Promise.reject(new TypeError("connection reset"));

/** An answer that asks for a wait of so many seconds. */
const busy = (seconds: number) => () =>
  Response.json({}, { status: 429, headers: { "Retry-After": `${seconds}` } });

/** A grant. */
const granted = (more: object = {}) => () =>
  Response.json({ access_token: "atk_1", refresh_token: "rtk_1", ...more });

Deno.test("only forms that may be repeated are sent again after a lost answer", async () => {
  const code = formsAt(lost);
  await rejects(requestToken(code, { grant_type: "authorization_code" }), NetworkError);
  equal(code.sent.length, 1);
  const refresh = formsAt(lost);
  await rejects(refreshToken(refresh, "rtk_1", undefined), NetworkError);
  equal(refresh.sent.length, 3);
  equal(refresh.waits.length, 2);
  const revoking = formsAt(lost);
  await rejects(revokeToken(revoking, profileNamed("p")), NetworkError);
  deepEqual(revoking.sent, ["/oauth2/revoke", "/oauth2/revoke"]);
});

Deno.test("a refresh waits as long as the service asks, up to two seconds", async () => {
  const short = formsAt(busy(1), busy(2), granted());
  ok((await refreshToken(short, "rtk_1", undefined)).granted);
  deepEqual(short.waits.map((ms) => Math.floor(ms / 1000)), [1, 2]);
  const long = formsAt(busy(3), granted());
  await rejects(refreshToken(long, "rtk_1", undefined), { status: 429, retryAfterMs: 3000 });
  deepEqual(long.waits, []);
});

Deno.test("a refresh gets three tries of eight seconds", async () => {
  await withAlarmTime(async (pass) => {
    const silent = formsAt(() => new Promise(() => {}));
    const { around } = silent;
    let stopped = 0;
    const fetch = (request: Request) => {
      silent.sent.push(request.url);
      return new Promise<Response>((_, reject) => {
        request.signal.addEventListener("abort", () => {
          stopped++;
          reject(request.signal.reason);
        });
      });
    };
    const refreshing = refreshToken({ ...silent, around: { ...around, fetch } }, "rtk_1", "c");
    const ended = rejects(refreshing, {
      name: "NetworkError",
      message: "Cannot reach https://service.example: it did not answer in time",
    });
    for (const tries of [1, 2, 3]) {
      await pass(7_999);
      deepEqual([silent.sent.length, stopped], [tries, tries - 1]);
      await pass(1);
    }
    await ended;
  });
});

Deno.test("a stopped form has two seconds to be answered", async () => {
  const [machine, service, before] = await expired();
  await using _ = machine;
  const controller = new AbortController();
  const fetch = (request: Request) =>
    new Promise<Response>((_, reject) => {
      service.requests.push(request);
      request.signal.addEventListener("abort", () => reject(request.signal.reason));
      controller.abort();
    });
  const silent = Object.assign(Object.create(machine), { fetch });
  const connected = await connect({ surroundings: silent, signal: controller.signal });
  const times = await withTimersAt(2_000, () => rejects(tokenSent(connected), Cancelled));
  ok(times.includes(2_000), times.join());
  equal(service.requests.length, 1);
  // Nothing is sent once stopped.
  const later = await connect({ surroundings: silent, signal: controller.signal });
  await rejects(tokenSent(later), Cancelled);
  equal(service.requests.length, 1);
  const text = await Deno.readTextFile(join(machine.home, ".cli", "config.json"));
  equal(JSON.parse(text).profiles.default.refresh_token, before);
});

Deno.test("a token without a usable lifetime lives an hour", async () => {
  const lifetime = async (expires_in: unknown) => {
    const { granted: token } = await refreshToken(
      formsAt(granted({ expires_in })),
      "rtk_1",
      undefined,
    );
    return (token?.expires_at_ms ?? NaN) - NOW;
  };
  for (const odd of [undefined, null, 0, -1, "", "soon", [60], true]) {
    equal(await lifetime(odd), 3_600_000, JSON.stringify(odd));
  }
  for (const usable of [1, "1"]) equal(await lifetime(usable), 1_000);
  equal(await lifetime(7_200), 7_200_000);
});

Deno.test("a sign-in waits five minutes for the browser", async () => {
  await using at = await openHome();
  await withTimersAt(
    300_000,
    () =>
      rejects(signIn({ surroundings: at.around(), onUrl: () => {} }), {
        message: "Cannot sign in: no answer arrived within 5 minutes",
      }),
  );
});

Deno.test("a person is not asked to open the address when a browser is, or after the end", async () => {
  await using at = await openHome();
  let told = 0;
  const onNoBrowser = () => void told++;
  let close = () => {};
  const late = new Promise<boolean>((resolve) => close = () => resolve(false));
  for (const opened of [Promise.resolve(true), late]) {
    const visiting: Promise<boolean>[] = [];
    const onUrl = (url: string) => void visiting.push(allow(url, at));
    await signIn({
      surroundings: at.around({ browser: () => opened }),
      onUrl,
      onNoBrowser,
    });
    await Promise.all(visiting);
  }
  close();
  await late;
  await Promise.resolve();
  equal(told, 0);
});
