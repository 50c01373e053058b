/**
 * The log of requests for `CLI_DEBUG=http`. It hides everything that would allow its reader to act
 * as the caller.
 *
 * @module
 */

import type { Exchange } from "./client.ts";
import { isJson } from "./json_text.ts";

/** The replacement of a secret, whatever the secret's length. */
const HIDDEN = "[hidden]";

/** The number of characters of a body to show. */
const LONGEST_BODY = 4096;

/**
 * One attempt of a request as text: request, response and duration. Credentials in headers, addresses
 * and bodies are hidden, and control characters for the terminal are removed.
 *
 * @example
 * ```ts ignore
 * const client = createClient({ baseUrl, onExchange: (it) => console.error(formatExchange(it)) });
 * ```
 */
export function formatExchange(exchange: Exchange): string {
  const { attempt, request, requestBody, response, responseBody } = exchange;
  const retry = attempt > 1 ? ` (retry ${attempt - 1})` : "";
  const hideSent = hiderOf(credentialOf(request));
  // Currencies have a code. Everywhere else a code may be an authorization code.
  const codesAreNames = /\/virtual_currencies(?:[/?]|$)/.test(request.url);
  const bodyOf = (text = "") => cut(hideSent(hideInBody(text, codesAreNames)));
  const blocks = [
    mark(">", hideSent(`${request.method} ${hideInUrl(request.url)}${retry}`)),
    mark(">", hideSent(formatHeaders(request.headers))),
    mark(">", bodyOf(requestBody)),
    mark("<", hideSent(formatOutcome(exchange))),
    mark("<", response ? hideSent(formatHeaders(response.headers)) : ""),
    mark("<", response ? bodyOf(responseBody) : ""),
  ];
  return blocks.filter((block) => block !== "").join("\n");
}

/** A token made safe to show: only its ends, and nothing of a short one. */
export function redactToken(token: string): string {
  if (token.length < 16) return HIDDEN;
  return escapeControls(`${token.slice(0, 4)}…${token.slice(-4)}`);
}

/** The first line of the answer: its status and request id, or the reason for a missing answer. */
function formatOutcome({ response, error, durationMs }: Exchange): string {
  const time = `in ${Math.round(durationMs)} ms`;
  if (!response) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return `no answer ${time}: ${hideInText(text)}`;
  }
  const id = response.headers.get("X-Request-Id");
  const status = `${response.status} ${hideInText(response.statusText)}`.trim();
  return `${status} ${time}${id === null ? "" : `, request ${hideInText(id)}`}`;
}

/** Headers, one per line. */
function formatHeaders(headers: Headers): string {
  return [...headers].map(([name, value]) =>
    `${name}: ${isSecretHeader(name) || isSecretName(name) ? HIDDEN : hideInUrl(value)}`
  ).join("\n");
}

/**
 * The first part of a body. Secrets are hidden first: a cut could separate a secret from its name.
 */
function cut(body: string): string {
  if (body.length <= LONGEST_BODY) return body;
  const end = LONGEST_BODY - (/[\ud800-\udbff]/.test(body.charAt(LONGEST_BODY - 1)) ? 1 : 0);
  return `${body.slice(0, end)}\n… and ${body.length - end} more characters`;
}

/** Puts a mark before each line, so that a body cannot imitate the lines around it. */
function mark(sign: string, text: string): string {
  if (text === "") return "";
  return text.split(/\r\n|\n/).map((line) => `${sign} ${escapeControls(line)}`).join("\n");
}

/**
 * Control bytes, line separators, bidirectional controls and broken surrogates as `\uXXXX`. Tabs
 * stay.
 */
function escapeControls(text: string): string {
  return text.replace(
    /[^\P{Cc}\t]|[\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (unsafe) => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The credential that a request carries, without its scheme. */
function credentialOf(request: Request): string {
  return request.headers.get("Authorization")?.split(/\s+/).at(-1) ?? "";
}

/** Hides a credential wherever it is repeated. A very short one may be a word and is left alone. */
function hiderOf(credential: string): (text: string) => string {
  return credential.length < 8 ? (text) => text : (text) => text.replaceAll(credential, HIDDEN);
}

/** Whether a header of this name is a credential. */
function isSecretHeader(name: string): boolean {
  return /^x-auth|authorization|cookie|token|secret|api-?key|password|credential/i.test(name);
}

/** Secrets by the end of their names, read without separators and capitals. */
const SECRET_END =
  /(?:token|secret|password|passwd|passphrase|credential|cookie|apikey|privatekey|signature)s?$/;

/** Secrets by their whole names, read without separators and capitals. */
const SECRET_NAMES = new Set(
  ("code codeverifier authorizationcode devicecode usercode assertion clientassertion jwt pem key " +
    "authorization proxyauthorization authorizationheader sig").split(" "),
);

/** Whether the value under this name is a credential. */
function isSecretName(name: string): boolean {
  const plain = name.replace(/[^A-Za-z0-9]/g, "").toLowerCase();
  // A `lookup_key` names an object, an `idempotency_key` one request.
  if (/(?:lookup|idempotency)keys?$/.test(plain)) return false;
  return SECRET_NAMES.has(plain) || SECRET_END.test(plain) ||
    /[^A-Za-z0-9]keys?[^A-Za-z0-9]*$/i.test(name) || /[a-z0-9]Keys?$/.test(name);
}

/** Hides the secrets of a body: JSON, a form, or other text. */
function hideInBody(body: string, codesAreNames: boolean): string {
  if (/^\s*[{["]/.test(body)) {
    const hidden = hideInJson(body, codesAreNames);
    return isJson(body) ? hidden : hideInText(hidden);
  }
  return /^[^\s=&]+=\S*$/.test(body) ? hideInPairs(body) : hideInText(body);
}

/**
 * Hides the secrets of JSON token by token, so that the rest stays unchanged and truncated JSON is
 * covered as well.
 */
function hideInJson(text: string, codesAreNames: boolean): string {
  const shown: string[] = [];
  let name = "";
  let hiddenLevels = 0;
  for (let at = 0; at < text.length;) {
    const end = tokenEnd(text, at);
    const token = text.slice(at, end);
    at = end;
    if (hiddenLevels > 0) {
      hiddenLevels += levelsOf(token);
    } else if (/^[\s:,}\]]/.test(token)) {
      shown.push(token);
      if (/^[,}\]]/.test(token)) name = "";
    } else if (token.startsWith('"') && startsWithColon(text, end)) {
      name = unquote(token);
      shown.push(token.replace(TOKENS, HIDDEN));
    } else if (isSecretValue(name, token, codesAreNames)) {
      hiddenLevels = levelsOf(token);
      shown.push(JSON.stringify(HIDDEN));
    } else {
      shown.push(hideInToken(token, codesAreNames));
    }
  }
  return shown.join("");
}

/** Whether the value under this name is a secret. Null and an empty text are not. */
function isSecretValue(name: string, token: string, codesAreNames: boolean): boolean {
  if (token === "null" || token === '""' || !isSecretName(name)) return false;
  return name !== "code" || !(codesAreNames || /^-?\d/.test(token));
}

/** Hides secrets inside a string, which may contain an address or JSON. */
function hideInToken(token: string, codesAreNames: boolean): string {
  if (!token.startsWith('"')) return token.replace(TOKENS, HIDDEN);
  const text = unquote(token);
  const hidden = hideInBody(text, codesAreNames);
  return hidden === text ? token : JSON.stringify(hidden);
}

const COLON = /\s*:/y;

/**
 * The end of the JSON token that starts at `at`. It uses a loop, since long strings exhaust a
 * pattern.
 */
function tokenEnd(text: string, at: number): number {
  let end = at + 1;
  if (text.charAt(at) === '"') {
    while (end < text.length && text.charAt(end) !== '"') end += text.charAt(end) === "\\" ? 2 : 1;
    return Math.min(end + 1, text.length);
  }
  if (/[\s{}[\],:]/.test(text.charAt(at))) return end;
  while (end < text.length && !/[\s{}[\],:"]/.test(text.charAt(end))) end++;
  return end;
}

/** The number of levels that a token opens, less those it closes. */
function levelsOf(token: string): number {
  return token === "{" || token === "[" ? 1 : token === "}" || token === "]" ? -1 : 0;
}

/** Whether a colon follows: then the string before it is a name. */
function startsWithColon(text: string, at: number): boolean {
  COLON.lastIndex = at;
  return COLON.test(text);
}

/** The value of a JSON string. A truncated string gives its remaining part. */
function unquote(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token.slice(1).replace(
      /\\u([\dA-Fa-f]{4})|\\(.)/g,
      (_escape, code, character) =>
        code === undefined ? character : String.fromCharCode(parseInt(code, 16)),
    );
  }
}

/** Hides the secrets of a query or a form. */
function hideInPairs(text: string): string {
  return text.split("&").map((pair) => {
    const at = pair.indexOf("=");
    const value = decodePart(pair.slice(at + 1));
    const secret = at > 0 && value !== "" && isSecretName(decodePart(pair.slice(0, at)));
    return secret || hideInValue(value) !== value ? `${pair.slice(0, at + 1)}${HIDDEN}` : pair;
  }).join("&");
}

/** Hides the secrets of one value. It does not parse pairs again: `a=a=a=…` would never end. */
function hideInValue(value: string): string {
  return /^\s*[{["]/.test(value) ? hideInBody(value, false) : hideInText(value);
}

/** Decodes a part of a query or a form as far as possible. */
function decodePart(text: string): string {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** Hides the secrets of an address, with or without its origin. */
function hideInUrl(url: string): string {
  const [, place = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  const pairs = (part: string) => part.charAt(0) + hideInPairs(part.slice(1));
  return hideInText(place) + pairs(query) + pairs(fragment);
}

/** Credentials recognised by their prefix. `sk_` also ends words, such as `task_id`. */
const TOKENS =
  /(?:atk_|rtk_|adm_|plk_|whsec_|(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[a-z]))sk_)[\w.~+/=%-]+/g;

/** Private keys, including incomplete ones. */
const PRIVATE_KEYS = /-----BEGIN [A-Z ]*KEY-----[^]*?(?:-----END [A-Z ]*KEY-----|$)/g;

/** User names and passwords in addresses. */
const USER_INFO = /(\/\/)[^\s/?#"'<>]+@/g;

/** Lines that look like headers. */
const HEADER_LINES = /^([<>* \t]*([\w-]+)[ \t]*:[ \t]*)(\S.*)$/gm;

/**
 * `name=` or `"name":`. It starts at the start of a word; otherwise long words would be tried at
 * each position.
 */
const NAMES = /(?<![\w.%+[\]-])([\w.%+[\]-]+)=|(["'])([\w.-]+)\2\s*:\s*/g;

/** The value after a name. */
const VALUE = /"(?:[^"\\]|\\.)*"?|(?:'(?:[^'\\]|\\.)*'|[^\s&"<>])+/y;

/** Hides the secrets of a text without a known format. */
function hideInText(text: string): string {
  const hidden = text
    .replace(PRIVATE_KEYS, HIDDEN)
    .replace(USER_INFO, `$1${HIDDEN}@`)
    .replace(HEADER_LINES, (line, start, name) => isSecretHeader(name) ? start + HIDDEN : line);
  return hideNamed(hidden).replace(TOKENS, HIDDEN);
}

/** Hides the values after names. The text after any other name is searched for names again. */
function hideNamed(text: string): string {
  let shown = "";
  let at = 0;
  for (const match of text.matchAll(NAMES)) {
    const [whole, before, , quoted = ""] = match;
    const name = before === undefined ? quoted : decodePart(before);
    if (match.index < at || !isSecretName(name)) continue;
    VALUE.lastIndex = match.index + whole.length;
    const [value] = VALUE.exec(text) ?? [];
    if (value === undefined) continue;
    shown += text.slice(at, match.index + whole.length) + HIDDEN;
    at = match.index + whole.length + value.length;
  }
  return shown + text.slice(at);
}
