/** Installs the sidecar's wheel, a part of this extension, into a virtual environment in the extension's storage. */

import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Installed } from "./discover";
import { messageOf, Problem } from "./problem";
import { type RunOptions, run } from "./program";
import { allInterpreters, type Interpreter, inspect, OLDEST_PYTHON } from "./python";
import type { Sidecar } from "./sidecar";

/** Name of the file that is written last. An environment without it is incomplete, and is created anew. */
const COMPLETE = "complete";

/** Number of digits of the wheel's hash that name its environment. Each wheel has an environment of its own. */
const NAME_LENGTH = 12;

/** Number of lines of pip's errors that a message shows. The log has all of them. */
const MAX_ERROR_LINES = 3;

export class Installer implements Installed {
  private installation: Promise<void> | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Returns the interpreter of the wheel's environment; undefined where it is not installed. */
  async interpreter(): Promise<string | undefined> {
    const folder = await this.environment();
    return folder && (await exists(path.join(folder, COMPLETE))) ? interpreterOf(folder) : undefined;
  }

  /** Returns whether only another version's wheel is installed. The user has then agreed to an installation. */
  async isOutdated(): Promise<boolean> {
    const names = await readdir(this.home()).catch(() => []);
    return names.length > 0 && (await this.interpreter()) === undefined;
  }

  /** Installs the wheel and shows the progress. Calls at the same time share one installation. Throws Problem. */
  install(setting: string, location: vscode.ProgressLocation): Promise<void> {
    this.installation ??= this.withProgress(setting, location).finally(() => {
      this.installation = undefined;
    });
    return this.installation;
  }

  private async withProgress(setting: string, location: vscode.ProgressLocation): Promise<void> {
    const title = vscode.l10n.t("Scry: installing the sidecar");
    await vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      await this.installWith(setting, (message) => progress.report({ message }), abort.signal);
    });
  }

  private async installWith(setting: string, report: (message: string) => void, signal: AbortSignal): Promise<void> {
    const folder = await this.environment();
    const wheel = await this.wheel();
    if (!folder || !wheel)
      throw new Problem(vscode.l10n.t("This build of the extension carries no sidecar."), "settings");
    await mkdir(this.home(), { recursive: true });
    report(vscode.l10n.t("looking for a Python"));
    const python = await choosePython(setting, this.home());
    await this.removeEnvironments();
    const step = async (name: string, command: string, args: string[]) => {
      report(name);
      await this.run(name, command, args, { cwd: this.home(), signal, onLine: (line) => reportPip(line, report) });
    };
    try {
      await step(vscode.l10n.t("making an environment with Python {0}", python.version), python.command, [
        "-m",
        "venv",
        folder,
      ]);
      const pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off", wheel];
      await step(vscode.l10n.t("fetching what the sidecar needs"), interpreterOf(folder), pip);
      await step(vscode.l10n.t("trying it"), interpreterOf(folder), ["-m", "scry", "--version"]);
      await writeFile(path.join(folder, COMPLETE), `${path.basename(wheel)}\n`);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  private async run(name: string, command: string, args: string[], options: RunOptions): Promise<void> {
    this.log.info(`${name}: ${command} ${args.join(" ")}`);
    const { status, stdout, stderr } = await run(command, args, options);
    if (status === 0) return;
    this.log.error(`${stdout}\n${stderr}`);
    if (options.signal?.aborted) throw new Problem(vscode.l10n.t("The installation was cancelled."), "install");
    const reason = stderr.trim().split("\n").slice(-MAX_ERROR_LINES).join(" ");
    throw new Problem(
      vscode.l10n.t("The sidecar could not be installed ({0}): {1}", name, reason || `status ${status}`),
      "log",
    );
  }

  private home(): string {
    return path.join(this.context.globalStorageUri.fsPath, "sidecar");
  }

  private async wheel(): Promise<string | undefined> {
    const folder = this.context.asAbsolutePath("server");
    const names = await readdir(folder).catch(() => []);
    const name = names.find((each) => each.endsWith(".whl"));
    return name && path.join(folder, name);
  }

  private async environment(): Promise<string | undefined> {
    const wheel = await this.wheel();
    if (!wheel) return undefined;
    const hash = createHash("sha256")
      .update(await readFile(wheel))
      .digest("hex");
    return path.join(this.home(), hash.slice(0, NAME_LENGTH));
  }

  private async removeEnvironments(): Promise<void> {
    for (const name of await readdir(this.home())) {
      const folder = path.join(this.home(), name);
      await rm(folder, { recursive: true, force: true }).catch((error: unknown) => this.log.warn(messageOf(error)));
    }
  }
}

/** Returns the first interpreter that can create environments. Throws Problem with the reason why none can. */
async function choosePython(setting: string, cwd: string): Promise<Interpreter> {
  const commands = await allInterpreters(setting);
  const seen: Interpreter[] = [];
  for (const command of commands) {
    const interpreter = await inspect(command, cwd);
    if (interpreter?.isNewEnough && interpreter.hasVenv) return interpreter;
    if (interpreter) seen.push(interpreter);
  }
  throw new Problem(noPythonMessage(setting, seen), "settings");
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

/** Reports the name of the package that a line of pip's output is about. */
function reportPip(line: string, report: (message: string) => void): void {
  const match = /^(Collecting|Downloading|Installing) ([\w.-]+)/.exec(line);
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

/** Offers to install a missing sidecar, with one notification per session. */
export function offerInstallation(sidecar: Sidecar): vscode.Disposable {
  let isOffered = false;
  return sidecar.onState((state) => {
    if (isOffered || state.kind !== "failed" || state.problem.remedy !== "install") return;
    isOffered = true;
    void offer();
  });
}

async function offer(): Promise<void> {
  const install = vscode.l10n.t("Install");
  const settings = vscode.l10n.t("Open Settings");
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t(
      "Scry needs its sidecar, a Python program that this extension carries. Install it now, for this extension alone? What it needs is fetched from PyPI (about 100 MB).",
    ),
    install,
    settings,
  );
  if (chosen === install) await vscode.commands.executeCommand("scry.install");
  if (chosen === settings) await vscode.commands.executeCommand("scry.settings");
}
