/** Keeps the sidecar's answers out of Go to Symbol where another extension offers the same symbol. */

import * as vscode from "vscode";
import type { WorkspaceSymbolMiddleware } from "vscode-languageclient/node";

type Provide = NonNullable<WorkspaceSymbolMiddleware["provideWorkspaceSymbols"]>;

/** Returns a function that asks the sidecar, and leaves out what the other extensions answer too. */
export function withoutOthersSymbols(): Provide {
  /** How often each query is about to come back, because the others are asked by the command that asks everyone. */
  const expected = new Map<string, number>();
  return async (query, token, next) => {
    const count = expected.get(query) ?? 0;
    if (count > 0) {
      expected.set(query, count - 1);
      return [];
    }
    const ours = await next(query, token);
    if (!ours || ours.length === 0 || token.isCancellationRequested) return ours;
    expected.set(query, 1);
    try {
      const command = "vscode.executeWorkspaceSymbolProvider";
      const theirs = (await vscode.commands.executeCommand<vscode.SymbolInformation[]>(command, query)) ?? [];
      return ours.filter((symbol) => !theirs.some((other) => isSame(symbol, other)));
    } finally {
      expected.delete(query);
    }
  };
}

function isSame(one: vscode.SymbolInformation, other: vscode.SymbolInformation): boolean {
  if (one.location.uri.toString() !== other.location.uri.toString()) return false;
  return lastName(one.name) === lastName(other.name) && !!one.location.range.intersection(other.location.range);
}

/** Returns a name without what encloses it and without parameters: `Cart.pay()` is `pay`. */
function lastName(name: string): string {
  return name.replace(/\(.*$/, "").split(/[.:#]/).at(-1) ?? name;
}
