/**
 * Our lint plugin: the parts of CONTRIBUTING.md that a machine can check. `deno lint` runs it.
 *
 * @module
 */

import { documented, operationDocs } from "./docs.ts";
import { engines } from "./engines.ts";
import { formats } from "./formats.ts";
import { imports } from "./imports.ts";
import { openers } from "./openers.ts";
import { queries } from "./queries.ts";
import { runtimes } from "./runtimes.ts";
import {
  errorClasses,
  fileLines,
  functionDeclarations,
  functionLines,
  namedExports,
} from "./shape.ts";
import { tenancy } from "./tenancy.ts";
import { clock, environment, exit, platform, terminal } from "./world.ts";

const plugin: Deno.lint.Plugin = {
  name: "house",
  rules: {
    imports,
    tenancy,
    queries,
    terminal,
    exit,
    clock,
    environment,
    platform,
    runtimes,
    formats,
    engines,
    openers,
    "file-lines": fileLines,
    "function-lines": functionLines,
    "named-exports": namedExports,
    "function-declarations": functionDeclarations,
    "error-classes": errorClasses,
    documented,
    "operation-docs": operationDocs,
  },
};

// The plugin API takes a module's default export.
export default plugin;
