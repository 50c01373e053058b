/**
 * The pages that the browser shows after it returns from the service. They contain no script, no
 * link and no secret.
 *
 * @module
 */

import { toBase64 } from "../bytes.ts";
import { html } from "../html.ts";
import { LOOK, wholePage } from "../page_look.ts";

/** The texts of a page. */
export interface CallbackText {
  /** HTTP status. */
  status: number;
  /** The heading. */
  title: string;
  /** The details. */
  message: string;
  /** The next step. */
  next: string;
}

/** The page of a successful sign-in. */
export const SIGNED_IN: CallbackText = {
  status: 200,
  title: "You are signed in",
  message: "The program has received your sign-in.",
  next: "You can close this page and return to the program.",
};

/** The page for an answer to no pending sign-in. */
export const NOT_WAITED_FOR: CallbackText = {
  status: 400,
  title: "This does not belong to your sign-in",
  message: "Another program started it, so it was not used.",
  next: "The program is still waiting. Open the address that it printed.",
};

/** The page for any other address. */
export const NOT_HERE: CallbackText = {
  status: 404,
  title: "There is nothing here",
  message: "A program waits here for the end of a sign-in.",
  next: "Open the address that it printed.",
};

/** The page of a failed sign-in. */
export function failedPage(reason: string): CallbackText {
  return {
    // The browser did nothing wrong.
    status: 200,
    title: "You are not signed in",
    message: reason.length > 300 ? `${reason.slice(0, 300)}…` : reason,
    next: "Nothing was stored. You can close this page; the program shows the next step.",
  };
}

/** Makes the page. */
export async function callbackPage(text: CallbackText): Promise<Response> {
  const mark = text === SIGNED_IN ? DONE : NOT_DONE;
  const { markup } = wholePage({
    title: text.title,
    style: STYLE,
    head: html`<link rel="icon" href="data:,">`,
    main: html`
      ${mark}
      <h1>${text.title}</h1>
      <p>${text.message}</p>
      <p class="soft">${text.next}</p>
    `,
  });
  return new Response(markup, {
    status: text.status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy":
        `default-src 'none'; style-src 'sha256-${await styleHash()}'; img-src data:; ` +
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
      // The listener closes right after sending the page.
      Connection: "close",
    },
  });
}

async function styleHash(): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(STYLE));
  return toBase64(new Uint8Array(hash));
}

const DONE = html`
  <svg width="44" height="44" viewBox="0 0 48 48" class="done" aria-hidden="true" fill="none">
    <circle cx="24" cy="24" r="22" fill="currentColor" />
    <path d="m15 24.5 6.3 6.3L33.5 18" stroke="var(--card)" stroke-width="4" stroke-linecap="round"
      stroke-linejoin="round" />
  </svg>
`;

const NOT_DONE = html`
  <svg width="44" height="44" viewBox="0 0 48 48" aria-hidden="true" fill="none">
    <circle cx="24" cy="24" r="22" fill="currentColor" />
    <path d="M24 13v13M24 34v.5" stroke="var(--card)" stroke-width="4" stroke-linecap="round" />
  </svg>
`;

/** The style of these pages. */
const STYLE = `${LOOK}
main svg { width: 2.75rem; height: 2.75rem; margin-bottom: 1rem; color: var(--soft); }
main svg.done { color: var(--accent); }
p.soft { margin: 0; }
`;
