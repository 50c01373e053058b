/**
 * A receiver of webhooks that notes every event, and refuses some at random.
 *
 * @module
 */

/** An event as it arrived. */
export interface Arrival {
  /** Its id. */
  id: string;
  /** Its customer. */
  customer: string;
  /** When it was sent, by the sender's clock, rounded down to seconds: in milliseconds since 1970. */
  sent: number;
  /** When it was answered, in milliseconds since 1970. */
  at: number;
}

/** A receiver. */
export interface Receiver {
  /** Its address. */
  readonly url: string;
  /** The accepted events, in the order of their answers. */
  readonly accepted: Arrival[];
  /** The number of refused ones. */
  refused(): number;
  /** Ends it. */
  close(): Promise<void>;
}

/** The share of events that are refused, and the longest time for an answer. */
const REFUSED = 0.05;
const SLOWEST_MS = 40;

/** Opens a receiver. */
export function openReceiver(random: () => number): Receiver {
  const accepted: Arrival[] = [];
  let refused = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const text = await request.text();
      // The service checks an address before it sends events there.
      if (!text.includes('"event"')) return new Response();
      const { event } = JSON.parse(text);
      await new Promise((resolve) => setTimeout(resolve, random() * SLOWEST_MS));
      if (random() < REFUSED) {
        refused++;
        return new Response("not now", { status: 500 });
      }
      const sent = 1000 * Number(request.headers.get("webhook-timestamp"));
      const customer = String(event.app_user_id);
      accepted.push({ id: event.id, customer, sent, at: Date.now() });
      return new Response("thanks");
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/hooks`,
    accepted,
    refused: () => refused,
    close: () => server.shutdown(),
  };
}
