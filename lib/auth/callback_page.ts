/**
 * The pages that the browser shows after it returns from the service. They contain no script, no
 * link and no secret.
 *
 * @module
 */

import { toBase64 } from "../bytes.ts";

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
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escaped(text.title)} · Subscription Management Service</title>
<style>${STYLE}</style>
</head>
<body>
<header>${MARK}Subscription Management Service</header>
<main>
${mark}
<h1>${escaped(text.title)}</h1>
<p>${escaped(text.message)}</p>
<p class="soft">${escaped(text.next)}</p>
</main>
</body>
</html>
`;
  return new Response(body, {
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

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for a page. Invisible characters, such as marks for the writing direction, are shown. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\ufffd");
}

/** The service's own mark, as on the page where the sign-in began. */
const MARK = `<svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true" fill="none">
<rect width="28" height="28" rx="8" fill="currentColor" />
<path d="M8 11.5a6.4 6.4 0 0 1 11.6-1.6M20 16.5a6.4 6.4 0 0 1-11.6 1.6M20.6 6.4v4h-4M7.4 21.6v-4h4"
stroke="var(--card)" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round" /></svg>`;

const DONE =
  `<svg width="44" height="44" viewBox="0 0 48 48" class="done" aria-hidden="true" fill="none">
<circle cx="24" cy="24" r="22" fill="currentColor" />
<path d="m15 24.5 6.3 6.3L33.5 18" stroke="var(--card)" stroke-width="4" stroke-linecap="round"
stroke-linejoin="round" /></svg>`;

const NOT_DONE = `<svg width="44" height="44" viewBox="0 0 48 48" aria-hidden="true" fill="none">
<circle cx="24" cy="24" r="22" fill="currentColor" />
<path d="M24 13v13M24 34v.5" stroke="var(--card)" stroke-width="4" stroke-linecap="round" /></svg>`;

/** The style of the service's own pages. */
const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f4f5f8; --card: #ffffff; --ink: #1a2030; --soft: #576074; --line: #d8dce5;
  --accent: #3550c9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #10131a; --card: #191e28; --ink: #e9ecf3; --soft: #a5aec0; --line: #323a4a;
    --accent: #93a7ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; padding: 2rem 1rem;
  display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 1.25rem;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  overflow-wrap: anywhere;
}
header { display: flex; align-items: center; gap: .6rem; font-weight: 600; font-size: .95rem; }
header svg { width: 1.75rem; height: 1.75rem; flex: none; color: var(--accent); }
main {
  width: 100%; max-width: 29rem; padding: 2rem;
  background: var(--card); border: 1px solid var(--line); border-radius: .9rem;
  box-shadow: 0 1px 2px rgb(10 15 30 / .05), 0 8px 30px rgb(10 15 30 / .07);
}
main svg { width: 2.75rem; height: 2.75rem; margin-bottom: 1rem; color: var(--soft); }
main svg.done { color: var(--accent); }
h1 { margin: 0 0 .6rem; font-size: 1.4rem; line-height: 1.25; text-wrap: balance; }
p { margin: 0 0 1rem; text-wrap: pretty; }
p.soft { margin: 0; color: var(--soft); font-size: .9rem; }
@media (max-width: 26rem) {
  body { padding: 1.25rem .75rem; justify-content: flex-start; }
  main { padding: 1.35rem 1.1rem; }
}
`;
