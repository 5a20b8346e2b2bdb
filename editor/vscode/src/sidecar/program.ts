/** Finds programs on the PATH, and runs programs. No shell is involved. */

import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import * as path from "node:path";

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
  /** Called with each line of either stream. */
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Runs a program to its end. */
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
      for (const line of text.split("\n")) options.onLine?.(line.trim());
    });
    child.on("error", (error) => resolve({ status: null, stdout, stderr: `${stderr}${error.message}` }));
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}

/** Returns the full path of a program; undefined where there is none.
 *
 * Relative entries of the PATH are skipped: they depend on the working directory, and a workspace must not choose which
 * program runs. */
export async function which(name: string): Promise<string | undefined> {
  const suffixes = process.platform === "win32" ? [".exe"] : [""];
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    for (const suffix of suffixes) {
      const candidate = path.join(folder, name + suffix);
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
