/** Runs a program to its end and returns its output. No shell is involved. */

import { spawn } from "node:child_process";

export interface Outcome {
  /** The exit status; null where the program did not start, was ended by a signal, or exceeded the timeout. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** A trusted folder: Python imports modules, and Windows finds programs, in the working directory. */
  readonly cwd: string;
  readonly timeoutMs?: number;
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
}

export function run(command: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    const timeout = options.timeoutMs ? AbortSignal.timeout(options.timeoutMs) : undefined;
    const signals = [timeout, options.signal].filter((signal) => signal !== undefined);
    const child = spawn(command, args, {
      cwd: options.cwd,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
      signal: AbortSignal.any(signals),
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      for (const line of text.split("\n")) options.onLine?.(line.trim());
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", (error) => resolve({ status: null, stdout, stderr: `${stderr}${error.message}` }));
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}
