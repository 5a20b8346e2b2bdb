/** The questions that were asked in this workspace, newest first. */

import type * as vscode from "vscode";

const KEY = "scry.queries";

/** Number of queries kept. */
const KEPT = 50;

export class QueryHistory {
  constructor(private readonly memory: vscode.Memento) {}

  get queries(): readonly string[] {
    return this.memory.get<readonly string[]>(KEY, []);
  }

  async add(query: string): Promise<void> {
    const words = query.trim();
    if (!words) return;
    await this.memory.update(KEY, [words, ...this.queries.filter((other) => other !== words)].slice(0, KEPT));
  }
}
