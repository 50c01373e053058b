/**
 * Who besides their owner can read or change the files of a data folder.
 *
 * @module
 */

import { modeText } from "../../file_mode.ts";
import { fileReason } from "../../file_reason.ts";
import { shellWord } from "../../config/shell_word.ts";
import { dirname, join } from "../../config/paths.ts";
import { ConfigError } from "../../errors.ts";
import { DATABASE_FILES, infoOf, SECRET } from "./data_folder.ts";

/** Something about a data folder that lets other users in. */
interface Exposure {
  /** The file or folder. */
  path: string;
  /** What others can do, such as "every user can write to it (mode 0777)". */
  why: string;
  /** What a start does: it refuses, closes the file, warns, or leaves it as it is. */
  atStart: "refuse" | "close" | "warn" | "leave";
  /** Whether the service cannot be used like this. */
  fatal: boolean;
  /** The command that ends it. */
  fix: string;
}

/**
 * What of a data folder other users can get at, the worst first. Windows has no modes of this kind.
 *
 * @param me The id of the user of this process, if known: files of others are reported then.
 * @throws {ConfigError} when a part of it cannot be looked at.
 */
export async function exposures(folder: string, me = ownId()): Promise<Exposure[]> {
  if (Deno.build.os === "windows") return [];
  const found: (Exposure | undefined)[] = [await parentExposure(folder)];
  for (const name of ["", ...DATABASE_FILES, SECRET]) {
    const path = join(folder, name);
    const info = await infoOf(path);
    if (!info) continue;
    found.push(ownerExposure(path, info, me, name === ""));
    const bits = (info.mode ?? 0) & 0o1777;
    if ((bits & 0o077) === 0) continue;
    found.push(name === "" ? folderExposure(path, bits) : fileExposure(path, bits, name));
  }
  return found.filter((one) => one !== undefined).sort((a, b) => Number(b.fatal) - Number(a.fatal));
}

/** The id of the user of this process, where the program may ask for it. */
function ownId(): number | undefined {
  const { state } = Deno.permissions.querySync({ name: "sys", kind: "uid" });
  return state === "granted" ? Deno.uid() ?? undefined : undefined;
}

/** What another owner means: he can change the mode at any time. Root can do everything anyway. */
function ownerExposure(
  path: string,
  { uid }: Deno.FileInfo,
  me: number | undefined,
  isFolder: boolean,
): Exposure | undefined {
  if (me === undefined || uid === null || uid === me || uid === 0) return undefined;
  return {
    path,
    why: `it belongs to another user (id ${uid})`,
    // In a container a mounted folder often belongs to somebody else.
    atStart: isFolder ? "warn" : "refuse",
    fatal: !isFolder,
    fix: `chown ${me} ${shellWord(path)}`,
  };
}

/** What the mode of the folder around a data folder lets others do: put another one in its place. */
async function parentExposure(folder: string): Promise<Exposure | undefined> {
  if (!await infoOf(folder)) return undefined;
  const parent = dirname(await Deno.realPath(folder));
  const bits = ((await infoOf(parent))?.mode ?? 0) & 0o1777;
  if (!isOpenToAll(bits)) return undefined;
  return {
    path: folder,
    why: `every user can replace it, since ${JSON.stringify(parent)} has the ${modeText(bits)}`,
    // The parent may be shared on purpose, by people who trust each other.
    atStart: "warn",
    fatal: false,
    fix: `chmod o-w ${shellWord(parent)}`,
  };
}

/** Whether everybody can move and delete what is in a folder: not where its sticky bit is set. */
function isOpenToAll(bits: number): boolean {
  return (bits & 0o002) !== 0 && (bits & 0o1000) === 0;
}

/** What the mode of a folder lets others do. */
function folderExposure(path: string, bits: number): Exposure {
  const fix = `chmod 700 ${shellWord(path)}`;
  const mode = modeText(bits);
  if (isOpenToAll(bits)) {
    const why = `every user can write to it (${mode})`;
    return { path, why, atStart: "refuse", fatal: true, fix };
  }
  if ((bits & 0o022) !== 0) {
    const why = (bits & 0o1000) !== 0
      ? `other users can create files in it (${mode})`
      : `its group can write to it (${mode})`;
    return { path, why, atStart: "warn", fatal: false, fix };
  }
  const why = `other users can list its files (${mode})`;
  return { path, why, atStart: "leave", fatal: false, fix };
}

/** What the mode of a file lets others do. */
function fileExposure(path: string, bits: number, name: string): Exposure {
  const can = (bits & 0o022) !== 0 ? "change" : "read";
  const why = `other users can ${can} it (${modeText(bits)})`;
  // Who reads the secret refuses it, since closing it now may be too late.
  return name === SECRET
    ? { path, why, atStart: "leave", fatal: true, fix: `rm ${shellWord(path)}` }
    : { path, why, atStart: "close", fatal: false, fix: `chmod 600 ${shellWord(path)}` };
}

/**
 * Closes the database's files to others, and says so. It refuses a folder in which anybody can
 * replace files, and files of other users; of a folder that is open in another way it warns.
 *
 * @throws {ConfigError} when something is refused, or a file cannot be closed.
 */
export async function closeToOthers(
  folder: string,
  report: (message: string) => void,
  me = ownId(),
): Promise<void> {
  for (const one of await exposures(folder, me)) {
    const { path, why, atStart, fix } = one;
    if (atStart === "refuse") throw refused(folder, one);
    if (atStart === "warn") {
      report(`The data folder ${JSON.stringify(folder)} is not safe: ${why}. Run: ${fix}`);
    }
    if (atStart !== "close") continue;
    try {
      await Deno.chmod(path, 0o600);
    } catch (error) {
      const reason = fileReason(error);
      const message = `Cannot use ${JSON.stringify(path)}: ${why}, ` +
        `and its mode cannot be changed: ${reason}`;
      throw new ConfigError(message, { hint: `Run: ${fix}`, cause: error });
    }
    const before = why.replace(" can ", " could ");
    report(`Closed ${JSON.stringify(path)} to others; until now, ${before}`);
  }
}

/** The error for a folder that everybody can write to, or a file of another user. */
function refused(folder: string, { path, why, fix }: Exposure): ConfigError {
  if (path !== folder) {
    const hint = `If its content is yours, run: ${fix}. Else use another folder: --data DIR`;
    return new ConfigError(`Cannot use ${JSON.stringify(path)}: ${why}`, { hint });
  }
  const inner = shellWord(join(folder, "service"));
  return new ConfigError(`Cannot use the data folder ${JSON.stringify(folder)}: ${why}`, {
    hint: `Run: ${fix}, or use a folder in it: cli service start --data ${inner}`,
  });
}
