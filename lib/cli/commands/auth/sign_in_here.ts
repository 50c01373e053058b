/**
 * Signing in from a command: the address and the wait for the browser, as lines on standard error.
 *
 * @module
 */

import type { StoredToken } from "../../../config/stored_token.ts";
import type { SignInOptions } from "../../../connect.ts";
import { UsageError } from "../../../errors.ts";
import type { Context } from "../../context.ts";

/** The options of a sign-in by a command. */
interface SignInChoices
  extends Pick<SignInOptions, "baseUrl" | "clientId" | "scopes" | "complete" | "callbackPort"> {
  /** Whether the person pastes the answer, because no browser can reach this machine. */
  paste?: boolean | undefined;
}

const WITHOUT_TERMINAL = "Sign in where there is a terminal, or set CLI_REFRESH_TOKEN.";

/** Signs in with the person's browser. */
export async function signInHere(
  context: Context,
  { paste = false, ...choices }: SignInChoices,
): Promise<StoredToken> {
  const { around, signal, out } = context;
  const { signIn } = await import("../../../connect.ts");
  if (paste) return await signIn({ ...choices, ...pasting(context), surroundings: around, signal });
  return await signIn({
    ...choices,
    surroundings: around,
    signal,
    onUrl: (url) => {
      out.note("To sign in, open this address in a browser on this machine:");
      // On its own line, whole: a terminal wraps it without a break in the text.
      out.note(url);
      out.note("Waiting up to 5 minutes for your answer there. Ctrl-C stops.");
    },
    onNoBrowser: () => out.note("Cannot start a browser here. Open the address yourself."),
  });
}

/** Instructions for a sign-in with a browser on another machine. */
function pasting({ ask, interactive, out }: Context): Pick<
  SignInOptions,
  "onUrl" | "browser" | "paste"
> {
  if (!interactive) {
    throw new UsageError("Cannot sign in with --paste: there is no interactive terminal", {
      hint: WITHOUT_TERMINAL,
    });
  }
  return {
    browser: false,
    onUrl: (url) => {
      out.note("To sign in, open this address in a browser on any machine:");
      out.note(url);
      out.note(
        "After you allow it, the browser goes to an address that begins with http://127.0.0.1. " +
          "The page may not load there. Copy its whole address from the browser within 5 minutes.",
      );
    },
    paste: async (problem, taken) => {
      if (problem !== undefined) out.error(problem, undefined);
      return await ask.text("Paste the address here:", { hint: WITHOUT_TERMINAL, signal: taken });
    },
  };
}

/**
 * The permissions in the values of `--scope`, each of which may hold several.
 *
 * @throws {UsageError} when one is not written as a permission.
 */
export function parseScopes(values: readonly string[]): string[] | undefined {
  const scopes = [...new Set(values.flatMap((value) => value.split(/[\s,]+/).filter(Boolean)))];
  const wrong = scopes.find((scope) =>
    !/^[a-z_]+:[a-z_]+:(read|read_write)$/.test(
      scope.replaceAll("*", "any"),
    )
  );
  if (wrong !== undefined || (values.length > 0 && scopes.length === 0)) {
    throw new UsageError(`Cannot request the permission ${JSON.stringify(wrong ?? "")}`, {
      hint: "Write permissions such as --scope project_configuration:apps:read_write.",
    });
  }
  return values.length === 0 ? undefined : scopes;
}
