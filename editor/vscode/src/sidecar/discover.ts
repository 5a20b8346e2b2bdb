/** Finds the sidecar: by the setting, on the PATH, in an interpreter, or installed by this extension, in this order. */

import * as vscode from "vscode";
import type { Settings } from "../settings";
import { Problem } from "./problem";
import { isProgram, run, which } from "./program";
import { chosenInterpreters, inspect } from "./python";

/** The command that starts the sidecar. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Where the sidecar was found, as text for the user. */
  readonly origin: string;
}

/** The sidecar that this extension has installed. */
export interface Installed {
  /** Returns its interpreter; undefined where nothing is installed. */
  interpreter(): Promise<string | undefined>;
}

/** Milliseconds that a program may take to print its version. */
const VERSION_TIMEOUT_MS = 20_000;

/** The output of `scry --version`. It tells the sidecar from other programs of that name. */
const VERSION_PATTERN = /^scry \d+\.\d+\.\d+/;

/** Returns the command that starts the sidecar; undefined where there is none. Throws Problem for a wrong setting. */
export async function discover(settings: Settings, installed: Installed, cwd: string): Promise<Launch | undefined> {
  if (settings.path) return fromSetting(settings.path, cwd);
  return (await fromPath(cwd)) ?? (await fromInterpreter(settings, cwd)) ?? (await fromInstalled(installed));
}

async function fromSetting(path: string, cwd: string): Promise<Launch> {
  if (!(await isProgram(path))) {
    throw new Problem(vscode.l10n.t("The setting scry.path names {0}, which is not a program.", path), "settings");
  }
  if (!(await isScry(path, cwd))) {
    throw new Problem(
      vscode.l10n.t("The setting scry.path names {0}, which is not Scry or does not start.", path),
      "settings",
    );
  }
  return { command: path, args: ["lsp"], origin: vscode.l10n.t("the setting scry.path") };
}

async function fromPath(cwd: string): Promise<Launch | undefined> {
  const command = await which("scry");
  if (!command || !(await isScry(command, cwd))) return undefined;
  return { command, args: ["lsp"], origin: vscode.l10n.t("the PATH") };
}

async function fromInterpreter(settings: Settings, cwd: string): Promise<Launch | undefined> {
  for (const command of await chosenInterpreters(settings.interpreter)) {
    const interpreter = await inspect(command, cwd);
    if (interpreter?.protocol !== undefined) {
      return { command, args: ["-m", "scry", "lsp"], origin: vscode.l10n.t("the Python interpreter") };
    }
    if (!interpreter && settings.interpreter) {
      throw new Problem(
        vscode.l10n.t("The setting scry.interpreter names {0}, which is not a Python.", command),
        "settings",
      );
    }
  }
  return undefined;
}

async function fromInstalled(installed: Installed): Promise<Launch | undefined> {
  const command = await installed.interpreter();
  return command ? installedLaunch(command) : undefined;
}

/** Returns the command that starts a sidecar that this extension has installed. */
export function installedLaunch(interpreter: string): Launch {
  return {
    command: interpreter,
    args: ["-m", "scry", "lsp"],
    origin: vscode.l10n.t("the extension's own installation"),
  };
}

async function isScry(command: string, cwd: string): Promise<boolean> {
  const { status, stdout } = await run(command, ["--version"], { cwd, timeoutMs: VERSION_TIMEOUT_MS });
  return status === 0 && VERSION_PATTERN.test(stdout);
}
