/**
 * A service on a port of this machine, for programs in processes of their own.
 *
 * @module
 */

import type { Service, ServiceOptions } from "../../lib/service/mod.ts";
import { openService } from "./engine.ts";

/** A service that listens. */
export interface OnPort extends AsyncDisposable {
  /** The service. */
  readonly service: Service;
  /** Its address, such as `http://127.0.0.1:4010`. */
  readonly baseUrl: string;
}

/** Opens a service on a free port. `intercept` stands between its clients and the service. */
export async function openOnPort(
  options: Partial<ServiceOptions> = {},
  intercept: (
    request: Request,
    pass: (request: Request) => Promise<Response>,
  ) => Promise<Response> = (request, pass) => pass(request),
): Promise<OnPort> {
  const service = await openService(options);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => intercept(request, service.fetch),
  );
  return {
    service,
    baseUrl: `http://127.0.0.1:${server.addr.port}`,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await service[Symbol.asyncDispose]();
    },
  };
}
