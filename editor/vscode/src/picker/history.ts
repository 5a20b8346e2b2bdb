/** Stores the queries of this workspace, newest first. */

import type * as vscode from "vscode";

const KEY = "scry.queries";

/** Number of queries that are stored. */
const MAX_QUERIES = 50;

export class QueryHistory {
  constructor(private readonly storage: vscode.Memento) {}

  get queries(): readonly string[] {
    return this.storage.get<readonly string[]>(KEY, []);
  }

  async add(query: string): Promise<void> {
    const trimmed = query.trim();
    if (!trimmed) return;
    await this.storage.update(
      KEY,
      [trimmed, ...this.queries.filter((other) => other !== trimmed)].slice(0, MAX_QUERIES),
    );
  }
}
