/** The sidecar's process. Its standard error goes to the log, and its last lines explain why the process ended. */

import { type ChildProcess, spawn } from "node:child_process";
import * as vscode from "vscode";
import type { Launch } from "./discover";

/** Number of lines of standard error that are stored. */
const MAX_LINES = 20;

/** The sidecar's names of the editor's log levels, by their numbers. */
const LOG_LEVELS = ["error", "debug", "debug", "info", "warning", "error"];

export class SidecarProcess {
  readonly child: ChildProcess;
  private readonly startedAt = Date.now();
  private readonly lines: string[] = [];

  /** Starts the process.
   *
   * `cwd` is never in the workspace: Python imports modules from there, and a workspace may contain a module `scry`. */
  constructor(
    launch: Launch,
    cwd: string,
    environment: Readonly<Record<string, string>>,
    log: vscode.LogOutputChannel,
  ) {
    this.child = spawn(launch.command, launch.args, {
      cwd,
      env: {
        ...process.env,
        SCRY_LOG_LEVEL: LOG_LEVELS[log.logLevel] ?? "warning",
        ...environment,
      },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => this.addOutput(text, log));
  }

  /** Resolves when the process runs. Throws where it can't be started. */
  async whenSpawned(): Promise<ChildProcess> {
    await new Promise<void>((resolve, reject) => {
      this.child.once("spawn", resolve);
      this.child.once("error", reject);
    });
    return this.child;
  }

  /** Milliseconds since the start of the process. */
  get uptime(): number {
    return Date.now() - this.startedAt;
  }

  /** Whether the process has ended. */
  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves when the process has ended, or after `timeoutMs`. */
  async whenEnded(timeoutMs: number): Promise<void> {
    if (this.hasEnded) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.child.once("exit", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Describes how the process ended: the signal or status, and the last line that it wrote. */
  describeEnd(): string {
    const { signalCode, exitCode } = this.child;
    const end = signalCode
      ? vscode.l10n.t("it was ended by {0}", signalCode)
      : exitCode === null
        ? vscode.l10n.t("it no longer answers")
        : vscode.l10n.t("it ended with status {0}", exitCode);
    const last = this.lines.at(-1);
    return last ? `${end}: ${last}` : end;
  }

  private addOutput(text: string, log: vscode.LogOutputChannel): void {
    for (const line of text.split("\n").map((each) => each.trimEnd())) {
      if (!line) continue;
      log.info(`sidecar: ${line}`);
      this.lines.push(line);
    }
    this.lines.splice(0, this.lines.length - MAX_LINES);
  }
}
