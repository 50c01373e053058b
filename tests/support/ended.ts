/**
 * The result of a process.
 *
 * @module
 */

/** The exit code and the outputs of a process. */
export interface Ended {
  /** The exit code. */
  code: number;
  /** Standard output. */
  out: string;
  /** Standard error. */
  err: string;
}

/** Waits for the end of a process, or of a command that starts one. Both outputs must be piped. */
export async function ended(process: Pick<Deno.ChildProcess, "output">): Promise<Ended> {
  const { code, stdout, stderr } = await process.output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}
