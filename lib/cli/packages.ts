/**
 * The packages that every command needs, named where a static import leads to them: only of those
 * does Deno keep the compiled code, which saves each command about 5 ms. They are deferred, so
 * nothing of them runs here.
 *
 * @module
 */

import defer * as parser from "@stricli/core";
import defer * as width from "get-east-asian-width";

void [parser, width];
