/** Where the sidecar is: the setting, the PATH, an interpreter, or what this extension has installed; in this order. */

import type { Settings } from "../settings";
import { Problem } from "./problem";
import { chosenInterpreters, inspect } from "./python";
import { run } from "./run";
import { isProgram, which } from "./which";

/** How to start the sidecar. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Where it was found, in words for a person. */
  readonly origin: string;
}

/** What this extension has installed. */
export interface Installed {
  /** Its interpreter; undefined where nothing is installed. */
  interpreter(): Promise<string | undefined>;
}

/** Asking a program for its version must not hang. */
const PATIENCE_MS = 20_000;

/** Other programs are called `scry`, too. */
const OUR_VERSION = /^scry \d+\.\d+\.\d+/;

/** How to start the sidecar; undefined where there is none. Throws Problem when a setting names what is not there. */
export async function discover(settings: Settings, installed: Installed, cwd: string): Promise<Launch | undefined> {
  if (settings.path) return fromSetting(settings.path, cwd);
  return (await fromPath(cwd)) ?? (await fromInterpreter(settings, cwd)) ?? (await fromInstalled(installed));
}

async function fromSetting(path: string, cwd: string): Promise<Launch> {
  if (!(await isProgram(path))) {
    throw new Problem(`The setting scry.path names ${path}, which is not a program.`, "settings");
  }
  if (!(await isScry(path, cwd))) {
    throw new Problem(`The setting scry.path names ${path}, which is not Scry or does not start.`, "settings");
  }
  return { command: path, args: ["lsp"], origin: "the setting scry.path" };
}

async function fromPath(cwd: string): Promise<Launch | undefined> {
  const found = await which("scry");
  if (!found || !(await isScry(found, cwd))) return undefined;
  return { command: found, args: ["lsp"], origin: "the PATH" };
}

async function fromInterpreter(settings: Settings, cwd: string): Promise<Launch | undefined> {
  for (const command of await chosenInterpreters(settings.interpreter)) {
    const interpreter = await inspect(command, cwd);
    if (interpreter?.protocol !== undefined) {
      return { command, args: ["-m", "scry", "lsp"], origin: "the Python interpreter" };
    }
    if (!interpreter && settings.interpreter) {
      throw new Problem(`The setting scry.interpreter names ${command}, which is not a Python.`, "settings");
    }
  }
  return undefined;
}

async function fromInstalled(installed: Installed): Promise<Launch | undefined> {
  const command = await installed.interpreter();
  return command ? { command, args: ["-m", "scry", "lsp"], origin: "the extension's own installation" } : undefined;
}

async function isScry(command: string, cwd: string): Promise<boolean> {
  const { status, stdout } = await run(command, ["--version"], { cwd, timeoutMs: PATIENCE_MS });
  return status === 0 && OUR_VERSION.test(stdout);
}
