/**
 * The service as `cli service start` serves it, on a free port in this process.
 *
 * @module
 */

import { serve, type ServeOptions, type Server } from "../../lib/service/serve.ts";

/** A service that listens. At the end of its scope it stops. */
export interface TestServer extends Server, AsyncDisposable {}

/**
 * Serves an empty service in memory, unless the options say otherwise. At the end of its scope an
 * internal error that it reported is thrown, unless the test passes a `report` of its own.
 */
export async function startServer(options: Partial<ServeOptions> = {}): Promise<TestServer> {
  const faults: unknown[] = [];
  const server = await serve({
    folder: undefined,
    port: 0,
    host: "127.0.0.1",
    empty: true,
    rateLimits: "local",
    report: (error) => faults.push(error),
    ...options,
  });
  let stopped: Promise<void> | undefined;
  const stop = () => stopped ??= server.stop();
  return {
    ...server,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      if (faults.length > 0) throw faults[0];
    },
  };
}
