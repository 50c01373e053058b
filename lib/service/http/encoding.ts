/**
 * Percent-encoding in the path of a request.
 *
 * @module
 */

/** Whether every percent sign of a path begins an escape, and the escapes are UTF-8. */
export function isEncoded(pathname: string): boolean {
  try {
    decodeURIComponent(pathname);
    return true;
  } catch {
    return false;
  }
}
