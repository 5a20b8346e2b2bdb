/** Installs the sidecar's wheel, a part of this extension, into a virtual environment in the extension's storage. */

import { access, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import { type Carried, environmentName, readCarried } from "./carried";
import type { Installed } from "./discover";
import { takeLock } from "./lock";
import { messageOf, Problem } from "./problem";
import { type RunOptions, run, which } from "./program";
import { allInterpreters, type Interpreter, inspect, OLDEST_PYTHON } from "./python";
import type { Sidecar } from "./sidecar";

/** Name of the file that is written last. An environment without it is incomplete, and is created anew. */
const COMPLETE = "complete";

/** Number of lines of an installer's errors that a message shows. The log has all of them. */
const MAX_ERROR_LINES = 3;

/** Megabytes that the environment takes, and that are fetched for it where they are not carried: measured on Linux. */
const INSTALLED_MB = 150;
const FETCHED_MB = 44;

export class Installer implements Installed {
  private installation: Promise<void> | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Returns the interpreter of the wheel's environment; undefined where it is not installed, or its Python is gone. */
  async interpreter(): Promise<string | undefined> {
    const carried = await this.carried();
    return carried && this.interpreterIn(await environmentName(carried));
  }

  /** Returns the interpreter of an earlier version's environment; undefined where there is none. */
  async earlierInterpreter(): Promise<string | undefined> {
    for (const name of await this.environments()) {
      const interpreter = await this.interpreterIn(name);
      if (interpreter) return interpreter;
    }
    return undefined;
  }

  /** Returns whether only another version's wheel is installed. The user has then agreed to an installation. */
  async isOutdated(): Promise<boolean> {
    return (await this.environments()).length > 0 && (await this.interpreter()) === undefined;
  }

  /** Installs the wheel and shows the progress. Calls at the same time share one installation. Throws Problem. */
  install(setting: string, location: vscode.ProgressLocation): Promise<void> {
    this.installation ??= this.withProgress(setting, location).finally(() => {
      this.installation = undefined;
    });
    return this.installation;
  }

  /** Returns the question whether to install the sidecar, with what that costs. */
  async offerText(): Promise<string> {
    const carried = await this.carried();
    return carried?.wheels
      ? vscode.l10n.t(
          "Scry needs its sidecar, a Python program that this extension carries. Install it now, for this extension alone? All that it needs comes with the extension: nothing is downloaded for Python {0}. It takes {1} MB.",
          listed(carried.pythons),
          INSTALLED_MB,
        )
      : vscode.l10n.t(
          "Scry needs its sidecar, a Python program that this extension carries. Install it now, for this extension alone? What it needs is fetched from PyPI: {0} MB, which take {1} MB here.",
          FETCHED_MB,
          INSTALLED_MB,
        );
  }

  private async withProgress(setting: string, location: vscode.ProgressLocation): Promise<void> {
    const title = vscode.l10n.t("Scry: installing the sidecar");
    await vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      const report = (message: string) => progress.report({ message });
      await mkdir(this.home(), { recursive: true });
      const lock = await takeLock(this.home(), () => {
        if (abort.signal.aborted) throw cancelled();
        report(vscode.l10n.t("another window installs it"));
      });
      try {
        if (!lock.hasWaited || (await this.interpreter()) === undefined)
          await this.installWith(setting, report, abort.signal);
      } finally {
        await lock.release();
      }
    });
  }

  private async installWith(setting: string, report: (message: string) => void, signal: AbortSignal): Promise<void> {
    const carried = await this.carried();
    if (!carried) throw new Problem(vscode.l10n.t("This build of the extension carries no sidecar."), "settings");
    const folder = path.join(this.home(), await environmentName(carried));
    report(vscode.l10n.t("looking for a Python"));
    const uv = await which("uv");
    const python = await choosePython(setting, this.home(), carried.pythons, uv !== undefined);
    await rm(folder, { recursive: true, force: true });
    const step = async (name: string, [command = "", ...args]: readonly string[]) => {
      report(name);
      const onLine = (line: string) => reportPackage(line, report);
      await this.run(name, command, args, { cwd: this.home(), signal, onLine });
    };
    try {
      const name = vscode.l10n.t("making an environment with Python {0}", python.version);
      await step(name, environmentCommand(uv, python, folder));
      const isCarried = carried.pythons.includes(python.minor);
      const what = isCarried ? vscode.l10n.t("unpacking") : vscode.l10n.t("fetching what the sidecar needs");
      await step(what, installCommand(uv, interpreterOf(folder), carried, isCarried)).catch((error: unknown) => {
        throw isCarried || !carried.wheels || signal.aborted ? error : notCarriedProblem(error, carried, python);
      });
      await trim(folder);
      await step(vscode.l10n.t("trying it"), [interpreterOf(folder), "-m", "scry", "--version"]);
      await writeFile(path.join(folder, COMPLETE), `${path.basename(carried.wheel)}\n`);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    await this.removeEnvironments(path.basename(folder));
  }

  private async run(name: string, command: string, args: string[], options: RunOptions): Promise<void> {
    this.log.info(`${name}: ${command} ${args.join(" ")}`);
    const { status, stdout, stderr } = await run(command, args, options);
    if (status === 0) return;
    this.log.error(`${stdout}\n${stderr}`);
    if (options.signal?.aborted) throw cancelled();
    const reason = stderr.trim().split("\n").slice(-MAX_ERROR_LINES).join(" ");
    throw new Problem(
      vscode.l10n.t("The sidecar could not be installed ({0}): {1}", name, reason || `status ${status}`),
      "log",
    );
  }

  private home(): string {
    return path.join(this.context.globalStorageUri.fsPath, "sidecar");
  }

  private carried(): Promise<Carried | undefined> {
    return readCarried(this.context.extensionPath);
  }

  private async interpreterIn(name: string): Promise<string | undefined> {
    const folder = path.join(this.home(), name);
    const interpreter = interpreterOf(folder);
    return (await exists(path.join(folder, COMPLETE))) && (await exists(interpreter)) ? interpreter : undefined;
  }

  /** Returns the names of all environments, incomplete ones included. */
  private async environments(): Promise<string[]> {
    const entries = await readdir(this.home(), { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }

  private async removeEnvironments(except: string): Promise<void> {
    for (const name of await this.environments()) {
      if (name === except) continue;
      const folder = path.join(this.home(), name);
      await rm(folder, { recursive: true, force: true }).catch((error: unknown) => this.log.warn(messageOf(error)));
    }
  }
}

function environmentCommand(uv: string | undefined, python: Interpreter, folder: string): readonly string[] {
  return uv ? [uv, "venv", "--python", python.command, folder] : [python.command, "-m", "venv", folder];
}

/** Returns the command that installs the sidecar: with carried wheels alone, or with those that the index offers.
 *
 * No bytecode is compiled: Python compiles what it imports, which is a small part of what is installed. */
function installCommand(
  uv: string | undefined,
  interpreter: string,
  { wheel, wheels }: Carried,
  isCarried: boolean,
): readonly string[] {
  const source = isCarried && wheels ? ["--no-index", "--find-links", wheels] : [];
  // Its environments have no pip, by which the user may add extras.
  if (uv) return [uv, "pip", "install", "--python", interpreter, ...source, wheel, "pip"];
  const quiet = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--no-compile"];
  return [interpreter, "-m", "pip", "install", ...quiet, ...source, wheel];
}

/** Removes what the sidecar never imports: NumPy's tests, types, headers and compilers of Fortran, setuptools, which
 * environments of Python 3.11 and older begin with, and the bytecode of pip, which it compiles again where it is used. */
async function trim(environment: string): Promise<void> {
  const packages = await packagesOf(environment);
  if (!packages) return;
  const isSpare = (name: string) =>
    /^(setuptools|pkg_resources|_distutils_hack)$|^setuptools-.*\.dist-info$|^distutils-precedence\.pth$/.test(name);
  const spare = (await readdir(packages)).filter(isSpare);
  const within = async (name: string, matches: (inside: string) => boolean) => {
    const inside = await readdir(path.join(packages, name), { recursive: true }).catch(() => []);
    spare.push(...inside.filter(matches).map((each) => path.join(name, each)));
  };
  await within("numpy", (name) => /(^|[\\/])tests$|^(distutils|f2py)$|\.(a|h|pyi)$/.test(name));
  await within("pip", (name) => path.basename(name) === "__pycache__");
  for (const name of spare) await rm(path.join(packages, name), { recursive: true, force: true });
}

/** Returns the folder of an environment's packages: lib/python3.N/site-packages, on Windows Lib/site-packages. */
async function packagesOf(environment: string): Promise<string | undefined> {
  if (process.platform === "win32") return path.join(environment, "Lib", "site-packages");
  const names = await readdir(path.join(environment, "lib")).catch(() => []);
  const python = names.find((name) => name.startsWith("python"));
  return python && path.join(environment, "lib", python, "site-packages");
}

/** Returns the first interpreter that can create environments, one that the carried wheels are for if there is one.
 *
 * Throws Problem with the reason why none can. hasUv: environments are created by uv, which needs no venv. */
async function choosePython(
  setting: string,
  cwd: string,
  carriedFor: readonly string[],
  hasUv: boolean,
): Promise<Interpreter> {
  const seen: Interpreter[] = [];
  for (const command of await allInterpreters(setting)) {
    const interpreter = await inspect(command, cwd);
    if (interpreter) seen.push(interpreter);
    if (
      interpreter &&
      isUsable(interpreter, hasUv) &&
      (carriedFor.length === 0 || carriedFor.includes(interpreter.minor))
    )
      return interpreter;
  }
  const usable = seen.find((each) => isUsable(each, hasUv));
  if (usable) return usable;
  throw new Problem(noPythonMessage(setting, seen), "settings");
}

function isUsable({ isNewEnough, hasVenv }: Interpreter, hasUv: boolean): boolean {
  return isNewEnough && (hasVenv || hasUv);
}

/** Returns the problem with a Python that no carried wheels are for, where nothing could be fetched either. */
function notCarriedProblem(error: unknown, { pythons }: Carried, python: Interpreter): Problem {
  return new Problem(
    vscode.l10n.t(
      "This extension carries what the sidecar needs for Python {0}. Here is Python {1}, for which it could not be fetched from PyPI. Install one of those, or name it in the setting scry.interpreter. {2}",
      listed(pythons),
      python.version,
      messageOf(error),
    ),
    "settings",
  );
}

function listed(versions: readonly string[]): string {
  return versions.join(", ");
}

function noPythonMessage(setting: string, seen: readonly Interpreter[]): string {
  const noVenv = seen.find((each) => each.isNewEnough);
  if (noVenv) {
    return vscode.l10n.t(
      "Python {0} ({1}) can't make environments: it has no venv. On Debian and Ubuntu: apt install python3-venv.",
      noVenv.version,
      noVenv.command,
    );
  }
  const [tooOld] = seen;
  if (tooOld) {
    return vscode.l10n.t(
      "Scry needs Python {0} or newer; {1} is {2}. Install a newer one, or name it in the setting scry.interpreter.",
      OLDEST_PYTHON,
      tooOld.command,
      tooOld.version,
    );
  }
  if (setting) return vscode.l10n.t("The setting scry.interpreter names {0}, which is not a Python.", setting);
  return vscode.l10n.t(
    "Scry needs Python {0} or newer, and none was found. Install it, or name it in the setting scry.interpreter.",
    OLDEST_PYTHON,
  );
}

/** Reports the name of the package that a line of pip's or uv's output is about. */
function reportPackage(line: string, report: (message: string) => void): void {
  const match = /^(Collecting|Downloading|Processing|Installing) (?:\S*[\\/])?([A-Za-z][\w.]*)/.exec(line.trim());
  if (match?.[1] === "Installing") report(vscode.l10n.t("unpacking"));
  else if (match?.[2]) report(match[2]);
}

function interpreterOf(environment: string): string {
  return process.platform === "win32"
    ? path.join(environment, "Scripts", "python.exe")
    : path.join(environment, "bin", "python");
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function cancelled(): Problem {
  return new Problem(vscode.l10n.t("The installation was cancelled."), "install");
}

/** Offers to install a missing sidecar, with one notification per session. */
export function offerInstallation(sidecar: Sidecar, installer: Installer): vscode.Disposable {
  let isOffered = false;
  return sidecar.onState((state) => {
    if (isOffered || state.kind !== "failed" || state.problem.remedy !== "install") return;
    isOffered = true;
    void offer(installer);
  });
}

async function offer(installer: Installer): Promise<void> {
  const install = vscode.l10n.t("Install");
  const settings = vscode.l10n.t("Open Settings");
  const chosen = await vscode.window.showInformationMessage(await installer.offerText(), install, settings);
  if (chosen === install) await vscode.commands.executeCommand("scry.install");
  if (chosen === settings) await vscode.commands.executeCommand("scry.settings");
}
