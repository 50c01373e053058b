/**
 * The listener on this machine that receives the service's answer from the browser: RFC 8252.
 *
 * @module
 */

import { ConfigError } from "../errors.ts";
import { type LocalServer, platform } from "../platform/mod.ts";
import { callbackPage, type CallbackText, NOT_HERE, NOT_WAITED_FOR } from "./callback_page.ts";

/** A listener that waits for one answer. */
interface Loopback extends AsyncDisposable {
  /** The redirect address for the browser. */
  readonly redirectUri: string;
  /** The first answer with our state. */
  readonly answer: Promise<URLSearchParams>;
  /** Reports the result of the answer. The browser waits for it, even if it asks repeatedly. */
  finish(text: CallbackText): void;
}

const PATH = "/callback";

/** Connections that stay open after the result are closed after this many milliseconds. */
const CLOSE_AFTER_MS = 1_000;

/**
 * Listens on a port of 127.0.0.1, a free one unless one is given, for the answer with a given
 * state. Other answers get a page that explains it and do not end the wait; other addresses are not
 * found.
 *
 * @throws {ConfigError} when this program may not listen there.
 */
export async function openLoopback(state: string, port = 0): Promise<Loopback> {
  const answer = Promise.withResolvers<URLSearchParams>();
  const result = Promise.withResolvers<CallbackText>();
  const handle = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== PATH) return await callbackPage(NOT_HERE);
    if (request.method !== "GET") {
      return new Response(null, { status: 405, headers: { Allow: "GET" } });
    }
    const states = searchParams.getAll("state");
    if (states.length !== 1 || states[0] !== state) return await callbackPage(NOT_WAITED_FOR);
    answer.resolve(searchParams);
    return await callbackPage(await result.promise);
  };
  const server = await listen(handle, port);
  return {
    redirectUri: `http://127.0.0.1:${server.port}${PATH}`,
    answer: answer.promise,
    finish: result.resolve,
    // An idle connection does not delay the end.
    [Symbol.asyncDispose]: () => server.close(CLOSE_AFTER_MS),
  };
}

async function listen(
  handle: (request: Request) => Promise<Response>,
  port: number,
): Promise<LocalServer> {
  try {
    return await platform.serve(handle, port);
  } catch (error) {
    const where = port === 0 ? "127.0.0.1" : `127.0.0.1:${port}`;
    const why = error instanceof Error ? error.message : String(error);
    const taken = /address.*in use|EADDRINUSE/i.test(why);
    const reason = taken ? "another program uses the port" : why;
    throw new ConfigError(`Cannot listen on ${where} for the browser's answer: ${reason}`, {
      hint: taken
        ? "Stop that program, or choose another port."
        : "In a script allow it with: --allow-net=127.0.0.1",
      cause: error,
    });
  }
}
