/** Code lenses, off by default: the files that change with a file, and the beliefs that bear on it. */

import * as vscode from "vscode";
import { type Belief, methods } from "../generated/protocol";
import { readSettings } from "../settings";
import type { Sidecar } from "../sidecar/sidecar";
import { bearingsOn, openBelief, pathInProject } from "./beliefs";

/** Number of files that a lens names. */
const MAX_NAMES = 3;

export function registerLenses(sidecar: Sidecar): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses: (document, token) => lensesOf(document, sidecar, token),
  };
  return vscode.Disposable.from(
    changed,
    vscode.languages.registerCodeLensProvider({ scheme: "file" }, provider),
    vscode.commands.registerCommand("scry.openBelief", (belief: Belief) => openBelief(belief)),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("scry.codeLens")) changed.fire();
    }),
    sidecar.onState(() => changed.fire()),
  );
}

async function lensesOf(
  document: vscode.TextDocument,
  sidecar: Sidecar,
  token: vscode.CancellationToken,
): Promise<vscode.CodeLens[]> {
  if (!readSettings().codeLens || sidecar.state.kind !== "running") return [];
  const place = pathInProject(document.uri);
  if (!place) return [];
  const found = await bearingsOn(document.uri, sidecar, token).catch(() => undefined);
  if (!found || token.isCancellationRequested) return [];
  const names = found.coChanges.slice(0, MAX_NAMES).map(({ doc_id }) => doc_id.split("/").at(-1) ?? doc_id);
  const rest = found.coChanges.length > names.length ? ", …" : "";
  const together: vscode.Command = {
    title: vscode.l10n.t("changes with {0}", names.join(", ") + rest),
    command: "scry.neighbors",
    arguments: [document.uri],
  };
  const lenses = names.length > 0 ? [new vscode.CodeLens(lineRange(0), together)] : [];
  const { beliefs } = await sidecar.request(methods.beliefs, { action: "list", folder: place.folder }, token);
  for (const { belief } of found.beliefs.map((bearing) => ({
    belief: beliefs.find((b) => b.doc_id === bearing.doc_id),
  }))) {
    if (!belief) continue;
    for (const line of await citedLines(belief, place.path, document)) {
      const title = `$(lightbulb) ${belief.statement.replaceAll("$(", "$\u200b(")}`;
      lenses.push(new vscode.CodeLens(lineRange(line), { title, command: "scry.openBelief", arguments: [belief] }));
    }
  }
  return lenses;
}

/** Returns the lines of a file that a belief cites, 0-based: a symbol's line for a symbol; the first where it cites none. */
async function citedLines({ evidence }: Belief, path: string, document: vscode.TextDocument): Promise<number[]> {
  const here = evidence.map((each) => each.replace(/^\.\//, "")).filter((each) => each.startsWith(path));
  const lines: number[] = [];
  for (const citation of here) {
    const rest = citation.slice(path.length);
    const number = /^:(\d+)/.exec(rest)?.[1];
    if (number !== undefined) lines.push(Math.min(Number(number), document.lineCount) - 1);
    else if (rest.startsWith("::")) lines.push((await symbolLine(document, rest.slice(2))) ?? 0);
  }
  return lines.length > 0 ? [...new Set(lines)] : [0];
}

async function symbolLine(document: vscode.TextDocument, name: string): Promise<number | undefined> {
  const last = name.split(".").at(-1) ?? name;
  const pattern = new RegExp(`\\b${last.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\b`);
  for (let line = 0; line < document.lineCount; line += 1) if (pattern.test(document.lineAt(line).text)) return line;
  return undefined;
}

function lineRange(line: number): vscode.Range {
  return new vscode.Range(line, 0, line, 0);
}
