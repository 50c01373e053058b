/**
 * The service's answer as pasted by a person, for machines that no browser can reach.
 *
 * @module
 */

import { AuthError } from "../errors.ts";

/** Asks for the text, with the problem of the previous one. */
type Paste = (problem: string | undefined, signal: AbortSignal) => Promise<string>;

/** An answer from one of two sources. */
interface FirstAnswer {
  /** The answer from the source that is first. */
  answer: Promise<URLSearchParams>;
  /** Ends the question to the person. */
  stop(): void;
}

/**
 * The answer from the browser or from the person, whichever comes first. If `read` refuses a text,
 * the person is asked again.
 */
export function firstAnswer(
  brought: Promise<URLSearchParams>,
  paste: Paste | undefined,
  read: (text: string) => URLSearchParams,
): FirstAnswer {
  const done = new AbortController();
  const pasted = async (ask: Paste): Promise<URLSearchParams> => {
    let problem: string | undefined;
    for (;;) {
      const text = await ask(problem, done.signal);
      try {
        return read(text);
      } catch (error) {
        if (!(error instanceof AuthError)) throw error;
        problem = error.message;
      }
    }
  };
  const answer = paste ? Promise.race([brought, pasted(paste)]) : brought;
  return { answer, stop: () => done.abort() };
}

const CANNOT = "Cannot use this as the answer";

/**
 * Reads the address where the browser ended, or its part after the question mark.
 *
 * A code alone is refused: only the state shows which sign-in it belongs to.
 *
 * @throws {AuthError} when it is not the answer to the sign-in with that state.
 */
export function answerIn(text: string, state: string): URLSearchParams {
  // A terminal or a chat program breaks long addresses, and adds quotes or brackets around them.
  const address = text.replace(/\s+/g, "").replace(/^["'<]+|["'>]+$/g, "");
  const answer = queryOf(address);
  if (address === "") throw new AuthError(`${CANNOT}: it is empty`);
  if (answer.has("response_type")) {
    throw new AuthError(
      `${CANNOT}: it is the address to open. Paste the address that the browser shows afterwards`,
    );
  }
  if (!answer.has("code") && !answer.has("error")) {
    throw new AuthError(
      `${CANNOT}: it contains no code. Paste the whole address, such as ` +
        "http://127.0.0.1:…/callback?code=…&state=…",
    );
  }
  const states = answer.getAll("state");
  if (states.length === 0) {
    throw new AuthError(`${CANNOT}: it contains no state. Paste the whole address to its end`);
  }
  if (states.length > 1 || states[0] !== state) {
    throw new AuthError(`${CANNOT}: it belongs to another sign-in. Open the address above again`);
  }
  return answer;
}

/** The parameters of an address or of the part after its question mark. */
function queryOf(address: string): URLSearchParams {
  const at = address.indexOf("?");
  const [query = ""] = address.slice(at + 1).split("#");
  return new URLSearchParams(query);
}
