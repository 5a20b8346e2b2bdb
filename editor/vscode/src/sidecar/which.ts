/** Finds a program on the PATH. */

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import * as path from "node:path";

/** Returns the full path of a program; undefined where there is none.
 *
 * Relative entries of the PATH are skipped: they depend on the working directory, and a workspace must not choose which
 * program runs. */
export async function which(name: string): Promise<string | undefined> {
  const suffixes = process.platform === "win32" ? [".exe"] : [""];
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    for (const suffix of suffixes) {
      const candidate = path.join(folder, name + suffix);
      if (await isProgram(candidate)) return candidate;
    }
  }
  return undefined;
}

export async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
