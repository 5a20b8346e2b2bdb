/** What this build of the extension carries: the sidecar's wheel and, if it is built for one platform, all dependencies. */

import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import * as path from "node:path";

/** Number of digits of the wheel's hash that name its environment. Each wheel has an environment of its own. */
const NAME_LENGTH = 12;

export interface Carried {
  /** The sidecar's wheel. */
  readonly wheel: string;
  /** The folder with the wheels of its dependencies; undefined in the universal build. */
  readonly wheels: string | undefined;
  /** The versions of Python that those wheels are for, such as 3.12. */
  readonly pythons: readonly string[];
}

/** Returns what is carried; undefined where the extension was built without a sidecar. */
export async function readCarried(extension: string): Promise<Carried | undefined> {
  const folder = path.join(extension, "server");
  const names: readonly string[] = await readdir(folder).catch(() => []);
  const wheel = names.find((name) => name.endsWith(".whl"));
  if (!wheel) return undefined;
  const wheels = path.join(folder, "wheels");
  const pythons = names.includes("wheels") ? await readPythons(wheels) : [];
  return { wheel: path.join(folder, wheel), wheels: pythons.length > 0 ? wheels : undefined, pythons };
}

async function readPythons(wheels: string): Promise<readonly string[]> {
  const text = await readFile(path.join(wheels, "pythons.json"), "utf8");
  return JSON.parse(text) as readonly string[];
}

/** Returns the name of the environment that a wheel is installed into. */
export async function environmentName({ wheel }: Carried): Promise<string> {
  const hash = createHash("sha256")
    .update(await readFile(wheel))
    .digest("hex");
  return hash.slice(0, NAME_LENGTH);
}
