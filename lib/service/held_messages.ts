/**
 * Messages that wait until it is known whether the service opens.
 *
 * @module
 */

/**
 * Holds messages about outages back until the service is open. One that does not open fails with the
 * reason, and has no requests that a message could speak of.
 */
export function holdBack(
  report: (message: unknown) => void,
): { say(text: string): void; release(): void } {
  let held: string[] | undefined = [];
  return {
    say(text) {
      if (held) held.push(text);
      else report(text);
    },
    release() {
      const texts = held ?? [];
      held = undefined;
      texts.forEach(report);
    },
  };
}
