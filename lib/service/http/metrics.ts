/**
 * Figures of a running service in the text format of Prometheus, version 0.0.4:
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 *
 * @module
 */

import type { Endpoint } from "./matcher.ts";

/** An answered request. */
export interface Observation {
  /** The method and path template of its route: the same object for all of a route's requests. */
  endpoint: Endpoint;
  /** The status of the response. */
  status: number;
  /** The duration in milliseconds. */
  ms: number;
}

/** Counts answered requests. */
export interface RequestMetrics {
  /** Counts a request. */
  observe(observation: Observation): void;
  /** The counts so far, as metrics. */
  metrics(): Metric[];
}

/** One metric with its samples. */
export interface Metric {
  /** Its name, in snake case with the unit at the end. */
  name: string;
  /** What it counts, for people. */
  help: string;
  /** The type of its numbers. */
  type: "counter" | "gauge" | "histogram";
  /** Its numbers. */
  samples: readonly Sample[];
}

/** A number of a metric. */
interface Sample {
  /** The suffix of the metric's name, such as `_sum`. Default: none. */
  suffix?: string;
  /** Its labels. Default: none. */
  labels?: Readonly<Record<string, string>>;
  /** The number. */
  value: number;
}

/** Upper bounds of the durations, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The requests to one route. */
interface Counts {
  /** Its labels. */
  labels: Readonly<Record<string, string>>;
  /** Requests by status. */
  statuses: Map<number, number>;
  /** Requests in each range of durations; the last range has no upper bound. */
  ranges: number[];
  /** The sum of all durations, in seconds. */
  sum: number;
}

/** Creates the counters. */
export function createRequestMetrics(): RequestMetrics {
  const routes = new Map<string, Counts>();
  // To build a text for each request, and to look it up, takes longer than to count.
  const known = new WeakMap<Endpoint, Counts>();
  const countsOf = (endpoint: Endpoint): Counts => {
    const { method, path } = endpoint;
    const key = `${method} ${path}`;
    const counts = routes.get(key) ?? {
      labels: { method, path },
      statuses: new Map(),
      ranges: new Array<number>(BOUNDS.length + 1).fill(0),
      sum: 0,
    };
    routes.set(key, counts);
    known.set(endpoint, counts);
    return counts;
  };
  return {
    observe({ endpoint, status, ms }) {
      const counts = known.get(endpoint) ?? countsOf(endpoint);
      const seconds = ms / 1000;
      let range = 0;
      while (range < BOUNDS.length && seconds > (BOUNDS[range] ?? 0)) range++;
      counts.ranges[range] = (counts.ranges[range] ?? 0) + 1;
      counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1);
      counts.sum += seconds;
    },
    metrics() {
      const all = [...routes.values()];
      return [
        {
          name: "svc_http_requests_total",
          help: "Answered requests",
          type: "counter",
          samples: all.flatMap(({ labels, statuses }) =>
            [...statuses].map(([status, value]) => ({
              labels: { ...labels, status: String(status) },
              value,
            }))
          ),
        },
        {
          name: "svc_http_request_duration_seconds",
          help: "Time from the arrival of a request to its response",
          type: "histogram",
          samples: all.flatMap(({ labels, ranges, sum }) =>
            histogram({ bounds: BOUNDS, ranges, sum, labels })
          ),
        },
      ];
    },
  };
}

/** The numbers behind a histogram. */
interface Ranges {
  /** The upper bounds of the ranges. */
  bounds: readonly number[];
  /** How many fell into each range; the last range has no upper bound. */
  ranges: readonly number[];
  /** The sum of all. */
  sum: number;
  /** The labels of each sample. Default: none. */
  labels?: Readonly<Record<string, string>>;
}

/** The samples of a histogram: each bucket counts what is up to its bound. */
export function histogram({ bounds, ranges, sum, labels = {} }: Ranges): Sample[] {
  let value = 0;
  const buckets = ranges.map((count, i): Sample => {
    value += count;
    const le = i < bounds.length ? String(bounds[i]) : "+Inf";
    return { suffix: "_bucket", labels: { ...labels, le }, value };
  });
  return [
    ...buckets,
    { suffix: "_sum", labels, value: sum },
    { suffix: "_count", labels, value },
  ];
}

/** A metric of one number that can go up and down. */
export function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: "gauge", samples: [{ value }] };
}

/** The media type of {@link metricsText}. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Metrics as text. */
export function metricsText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ suffix = "", labels = {}, value }) =>
      `${name}${suffix}${labelsText(labels)} ${value}`
    ),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

/** Labels in braces; an empty text without labels. */
function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) =>
    `${name}="${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
