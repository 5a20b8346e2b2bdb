/** Finds a program on the PATH. */

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import * as path from "node:path";

/** The program's full path; undefined where there is none. Relative entries of the PATH are never looked at: what they
 * mean depends on the folder, and a workspace must not choose what runs. */
export async function which(name: string): Promise<string | undefined> {
  const endings = process.platform === "win32" ? [".exe"] : [""];
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    for (const ending of endings) {
      const candidate = path.join(folder, name + ending);
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
