/**
 * The JSON schema of a scenario file, for editors.
 *
 * @module
 */

import { CATALOGUE_SCHEMA } from "./catalogue.ts";
import { DEEDS } from "../deeds/mod.ts";
import { EXPECTATIONS } from "./expectations.ts";
import { moment, period, schemaOf } from "../values/kinds.ts";
import { WEBHOOK } from "./parse.ts";

/** The JSON schema of a scenario file. */
export function scenarioSchema(): Record<string, unknown> {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Scenario",
    description: "The life of subscriptions as a test: what happens, and what is expected",
    type: "object",
    additionalProperties: false,
    required: ["start", "steps"],
    properties: {
      name: { description: "What the story is, in a few words", type: "string" },
      start: startSchema(),
      steps: { type: "array", minItems: 1, items: stepSchema() },
    },
  };
}

function startSchema(): Record<string, unknown> {
  return {
    description: "What the story begins with",
    type: "object",
    additionalProperties: false,
    properties: {
      at: { description: "The time (default: 2026-01-01)", ...moment.schema },
      from: {
        description:
          "A snapshot's name, or a backup below this folder, in place of at and catalogue",
        type: "string",
      },
      time_zone: { description: "The time zone of moments without one", type: "string" },
      catalogue: {
        description: "What is sold, or a file below this folder that says it",
        anyOf: [{ type: "string" }, CATALOGUE_SCHEMA],
      },
      webhook: { description: "Where events are delivered", ...schemaOf(WEBHOOK) },
    },
  };
}

function stepSchema(): Record<string, unknown> {
  const deeds = Object.entries(DEEDS).map(([name, { brief, short, fields }]) => {
    const map = schemaOf(fields);
    const field = short === undefined ? undefined : fields[short];
    const forms = field ? { anyOf: [field.kind.schema, map] } : map;
    return [
      name,
      Object.keys(fields).length === 0 ? { description: brief } : { description: brief, ...forms },
    ];
  });
  const expectations = Object.entries(EXPECTATIONS).map(([name, { brief, schema }]) => [
    name,
    { description: brief, ...schema },
  ]);
  return {
    type: "object",
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(deeds),
      advance: { description: "The clock moves ahead", ...period.schema },
      to: { description: "The clock moves to a moment", ...moment.schema },
      as: { description: "The name of what the step makes", type: "string" },
      expect: {
        description: "What is expected after the step",
        type: "object",
        additionalProperties: false,
        properties: {
          ...Object.fromEntries(expectations),
          refused: {
            description: "true: the service refuses the step; or fields of its error",
            type: ["boolean", "object"],
          },
        },
      },
    },
  };
}
