/**
 * Who stands behind the access tokens in use, so that a request need not ask the database.
 *
 * @module
 */

import type { Actor } from "../contract/route.ts";

/** A live access token. */
export interface LiveToken {
  /** Who is calling. */
  actor: Actor;
  /** The grant it belongs to. */
  grant_id: string;
  /** When it ends, in milliseconds since 1970. */
  expires_at: number;
}

/** Remembers access tokens. */
export interface TokenCache {
  /** The token, unless it is unknown here or has ended. */
  get(token: string, now: number): LiveToken | undefined;
  /**
   * Looks a token up, and remembers it unless tokens were forgotten meanwhile: what was looked up may
   * be among them.
   */
  load(
    token: string,
    find: () => Promise<LiveToken | undefined>,
  ): Promise<LiveToken | undefined>;
  /** Forgets the tokens of a grant. */
  forget(grantId: string): void;
}

const MOST_TOKENS = 10_000;

/** Makes an empty cache. */
export function createTokenCache(): TokenCache {
  const tokens = new Map<string, LiveToken>();
  let forgettings = 0;
  return {
    get: (token, now) => {
      const live = tokens.get(token);
      if (!live || live.expires_at > now) return live;
      tokens.delete(token);
      return undefined;
    },
    load: async (token, find) => {
      const before = forgettings;
      const live = await find();
      if (!live || before !== forgettings) return live;
      if (tokens.size >= MOST_TOKENS) dropOldest(tokens);
      tokens.set(token, live);
      return live;
    },
    forget: (grantId) => {
      forgettings++;
      for (const [token, live] of tokens) if (live.grant_id === grantId) tokens.delete(token);
    },
  };
}

function dropOldest(tokens: Map<string, LiveToken>): void {
  for (const token of tokens.keys()) {
    tokens.delete(token);
    return;
  }
}
