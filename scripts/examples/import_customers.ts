/**
 * Creates customers from standard input with one JSON object per line:
 *
 * ```json
 * {"id":"ada","attributes":[{"name":"$email","value":"ada@example.com"}]}
 * ```
 *
 * Eight at a time, or as many as the argument says. A customer that is there already stays as it is,
 * so after an interruption the same file can simply be imported again. A line that the service
 * refuses is reported with its number, and the others go on.
 *
 * ```sh
 * deno run --allow-net=127.0.0.1 --allow-env="CLI_*" scripts/examples/import_customers.ts 8 < customers.ndjson
 * ```
 *
 * It needs `CLI_REFRESH_TOKEN` and `CLI_PROJECT_ID`; for a service elsewhere also `CLI_BASE_URL`,
 * and its host after `--allow-net=`.
 *
 * @module
 */

import {
  ApiError,
  type Client,
  connect,
  createCustomer,
  type NewCustomer,
  ToolkitError,
} from "../../mod.ts";

/** A line of the input, and its number from 1. */
type Line = [number: number, text: string];

/** The results of the lines. */
const counts = { created: 0, already_there: 0, failed: 0 };

/** Imports all lines, `atOnce` of them at a time. */
async function importCustomers(client: Client, lines: AsyncGenerator<Line>, atOnce: number) {
  const work = async () => {
    // All workers take from the same lines, so each line is taken once.
    for await (const [number, text] of lines) await importLine(client, number, text);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** Imports one line. Errors of this line are reported; all others are thrown. */
async function importLine(client: Client, number: number, text: string): Promise<void> {
  try {
    const customer = readCustomer(text);
    // The key makes it safe to ask again when an answer was lost on its way.
    await createCustomer(client, customer);
    counts.created++;
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return void counts.already_there++;
    const concernsLine = error instanceof SyntaxError ||
      error instanceof ApiError && [400, 413, 422].includes(error.status);
    if (!concernsLine) throw error;
    counts.failed++;
    console.error(`Line ${number}: ${error.message}`);
  }
}

/** The customer in a line. The service judges its fields. */
function readCustomer(text: string): NewCustomer {
  // The replacement character stands for invalid bytes.
  if (text.includes("\ufffd")) throw new SyntaxError("it is not UTF-8");
  const customer: unknown = JSON.parse(text);
  if (typeof customer === "object" && customer !== null && "id" in customer) {
    return customer as NewCustomer;
  }
  throw new SyntaxError("it is not an object with an id");
}

/** The lines of a stream that are not empty, read only as fast as they are taken. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  let rest = "";
  let number = 0;
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      number++;
      if (line.trim() !== "") yield [number, line];
    }
  }
  if (rest.trim() !== "") yield [number + 1, rest];
}

/** Reads the argument. */
function readAtOnce([argument = "8"]: readonly string[]): number {
  const atOnce = Number(argument);
  if (Number.isInteger(atOnce) && atOnce >= 1 && atOnce <= 100) return atOnce;
  throw new ToolkitError(`Cannot import ${JSON.stringify(argument)} at a time: pass 1 to 100`);
}

try {
  const atOnce = readAtOnce(Deno.args);
  await importCustomers(await connect(), linesOf(Deno.stdin.readable), atOnce);
  const { created, already_there, failed } = counts;
  if (created + already_there + failed === 0) {
    throw new ToolkitError("Cannot import: standard input has no lines");
  }
  if (failed > 0) Deno.exitCode = 1;
} catch (error) {
  if (!(error instanceof ToolkitError)) throw error;
  console.error(error.hint ? `${error.message}\n${error.hint}` : error.message);
  Deno.exitCode = 1;
} finally {
  // Also when it had to stop, so that it is known how far it came.
  console.log(Object.entries(counts).map(([what, count]) => `${what} ${count}`).join(", "));
}
