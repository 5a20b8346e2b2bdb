/** Finds Python interpreters, and inspects what each of them can do. */

import * as vscode from "vscode";
import { run, which } from "./program";

export const OLDEST_PYTHON = "3.10";

/** Milliseconds that an interpreter may take to answer. */
const INSPECTION_TIMEOUT_MS = 20_000;

export interface Interpreter {
  readonly command: string;
  readonly version: string;
  /** Its version without the patch, such as 3.12. */
  readonly minor: string;
  readonly isNewEnough: boolean;
  /** Whether it can create virtual environments. Debian's can't without the package python3-venv. */
  readonly hasVenv: boolean;
  /** The protocol version of its scry-sidecar; undefined where that is not installed. */
  readonly protocol: number | undefined;
}

const PROBE = `
import importlib.util, json, sys
def has(name): return importlib.util.find_spec(name) is not None
protocol = None
if sys.version_info >= (3, 10) and has("scry") and has("scry_protocol"):
    from scry_protocol.version import PROTOCOL as protocol
print(json.dumps([sys.version.split()[0], sys.version_info >= (3, 10), has("venv") and has("ensurepip"), protocol]))
`;

/** Returns what an interpreter can do; undefined where the command is not a Python. `cwd`: never in the workspace. */
export async function inspect(command: string, cwd: string): Promise<Interpreter | undefined> {
  const { status, stdout } = await run(command, ["-c", PROBE], { cwd, timeoutMs: INSPECTION_TIMEOUT_MS });
  if (status !== 0) return undefined;
  const [version, isNewEnough, hasVenv, protocol] = JSON.parse(stdout) as [string, boolean, boolean, number | null];
  const minor = version.split(".").slice(0, 2).join(".");
  return { command, version, minor, isNewEnough, hasVenv, protocol: protocol ?? undefined };
}

/** Returns the interpreter that the user has chosen, by the setting or else in the Python extension, if any. */
export async function chosenInterpreters(setting: string): Promise<string[]> {
  if (setting) return [setting];
  const command = await pythonExtensionInterpreter();
  return command ? [command] : [];
}

/** Returns the chosen interpreter, followed by those on the PATH unless a setting made the choice. */
export async function allInterpreters(setting: string): Promise<string[]> {
  const chosen = await chosenInterpreters(setting);
  if (setting) return chosen;
  const names = ["python3", "python", ...["3.14", "3.13", "3.12", "3.11", "3.10"].map((minor) => `python${minor}`)];
  const onPath = await Promise.all(names.map(which));
  return [...new Set([...chosen, ...onPath.filter((command) => command !== undefined)])];
}

interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(path: unknown): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
  };
}

async function pythonExtensionInterpreter(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  if (!extension) return undefined;
  try {
    const environments = (extension.isActive ? extension.exports : await extension.activate()).environments;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const resolved = await environments?.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
    return resolved?.executable.uri?.fsPath;
  } catch {
    return undefined; // an extension that fails counts as not installed
  }
}
