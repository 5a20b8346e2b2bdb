/** The sidecar's process: started, listened to, and remembered for what it said last. */

import { type ChildProcess, spawn } from "node:child_process";
import type * as vscode from "vscode";
import type { Launch } from "./discover";

/** Lines of standard error kept, to report why the process ended. */
const KEPT_LINES = 20;

/** The editor's log levels, by number, as the sidecar's. */
const LEVELS = ["error", "debug", "debug", "info", "warning", "error"];

export class SidecarProcess {
  readonly child: ChildProcess;
  private readonly started = Date.now();
  private readonly lines: string[] = [];

  /** `cwd` is a folder of ours: Python looks for modules where it is started, and a workspace may hold a `scry`. */
  constructor(launch: Launch, cwd: string, model: string, log: vscode.LogOutputChannel) {
    this.child = spawn(launch.command, launch.args, {
      cwd,
      env: {
        ...process.env,
        SCRY_LOG_LEVEL: LEVELS[log.logLevel] ?? "warning",
        ...(model ? { SCRY_MODEL: model } : {}),
      },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => this.hear(text, log));
  }

  /** Resolves when it runs. Throws when it can't be started. */
  async whenSpawned(): Promise<ChildProcess> {
    await new Promise<void>((resolve, reject) => {
      this.child.once("spawn", resolve);
      this.child.once("error", reject);
    });
    return this.child;
  }

  /** Milliseconds since its start. */
  get age(): number {
    return Date.now() - this.started;
  }

  /** How it ended, in words for a person: the signal or status, and the last line that it wrote. */
  ending(): string {
    const { signalCode, exitCode } = this.child;
    const how = signalCode
      ? `it was ended by ${signalCode}`
      : exitCode === null
        ? "it no longer answers"
        : `it ended with status ${exitCode}`;
    const last = this.lines.at(-1);
    return last ? `${how}: ${last}` : how;
  }

  private hear(text: string, log: vscode.LogOutputChannel): void {
    for (const line of text.split("\n").map((each) => each.trimEnd())) {
      if (!line) continue;
      log.info(`sidecar: ${line}`);
      this.lines.push(line);
    }
    this.lines.splice(0, this.lines.length - KEPT_LINES);
  }
}
