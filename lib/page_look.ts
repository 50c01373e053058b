/**
 * The look that all pages share: those of the service, and the one after a sign-in.
 *
 * @module
 */

import { html, type Markup } from "./html.ts";

/** The name of the service, as pages show it. */
const SERVICE_NAME = "Subscription Management Service";

/** The service's mark. */
const MARK: Markup = html`
  <svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true" fill="none">
    <rect width="28" height="28" rx="8" fill="currentColor" />
    <path d="M8 11.5a6.4 6.4 0 0 1 11.6-1.6M20 16.5a6.4 6.4 0 0 1-11.6 1.6" stroke="var(--card)"
      stroke-width="2.4" stroke-linecap="round" />
    <path d="M20.6 6.4v4h-4M7.4 21.6v-4h4" stroke="var(--card)" stroke-width="2.4"
      stroke-linecap="round" stroke-linejoin="round" />
  </svg>
`;

/** The style that all pages share. */
export const LOOK = `
:root {
  color-scheme: light dark;
  --paper: #f4f5f8; --card: #ffffff; --ink: #1a2030; --soft: #576074; --line: #d8dce5;
  --edge: #7d8699; --accent: #3550c9; --accent-deep: #2a41a8; --on-accent: #ffffff; --tint: #f0f2fb;
  --wrong: #a3241c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #10131a; --card: #191e28; --ink: #e9ecf3; --soft: #a5aec0; --line: #323a4a;
    --edge: #7b859a; --accent: #93a7ff; --accent-deep: #b0beff; --on-accent: #0f1530;
    --tint: #20273a; --wrong: #ff9d94;
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
h1 { margin: 0 0 .6rem; font-size: 1.4rem; line-height: 1.25; text-wrap: balance; }
p { margin: 0 0 1rem; text-wrap: pretty; }
p.soft { color: var(--soft); font-size: .9rem; }
@media (max-width: 26rem) {
  body { padding: 1.25rem .75rem; justify-content: flex-start; }
  main { padding: 1.35rem 1.1rem; }
}
`;

/** The parts of a page. */
interface PageParts {
  /** The title, without the service's name. */
  title: string;
  /** The style sheet. */
  style: string;
  /** More of the head. */
  head?: Markup;
  /** The content. */
  main: Markup;
  /** What comes after the content. */
  end?: Markup;
}

/** A whole page. */
export function wholePage({ title, style, head, main, end }: PageParts): Markup {
  return html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        ${head ?? ""}
        <title>${title} · ${SERVICE_NAME}</title>
        <style>${{ markup: style }}</style>
      </head>
      <body>
        <header>${MARK}${SERVICE_NAME}</header>
        <main>${main}</main>
        ${end ?? ""}
      </body>
    </html>
  `;
}
