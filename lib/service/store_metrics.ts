/**
 * The store of this process as metrics.
 *
 * @module
 */

import { gauge, histogram, type Metric } from "./http/metrics.ts";
import { COMMIT_BOUNDS, type StoreFigures } from "./store/mod.ts";

/** The sizes of commits and, with a server, the connections to it. */
export function storeMetrics({ commits, connections }: StoreFigures): Metric[] {
  const sizes: Metric = {
    name: "svc_commit_units",
    help: "Units of work that shared a commit: requests, deliveries and steps of the clock",
    type: "histogram",
    samples: histogram({ bounds: COMMIT_BOUNDS, ...commits }),
  };
  if (!connections) return [sizes];
  const { open, idle, waiting } = connections;
  return [
    sizes,
    {
      name: "svc_database_connections",
      help: "Connections to the database, by state",
      type: "gauge",
      samples: [
        { labels: { state: "busy" }, value: open - idle },
        { labels: { state: "idle" }, value: idle },
      ],
    },
    gauge(
      "svc_database_connections_waiting",
      "Units of work that wait for a connection to the database",
      waiting,
    ),
  ];
}
