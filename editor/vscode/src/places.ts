/** Between the wire's places and the editor's. */

import * as vscode from "vscode";
import type { Location, ResultItem } from "./generated/protocol";

export function toRange(location: Location): vscode.Range {
  const { start, end } = location.range;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

export function toUri(location: Location): vscode.Uri {
  return vscode.Uri.parse(location.uri, true);
}

/** `src/app.py:12`: the file as the editor names it, and the line; empty where a result has no place. */
export function shortPlace(result: ResultItem): string {
  if (!result.location) return "";
  const path = vscode.workspace.asRelativePath(toUri(result.location));
  return `${path}:${result.location.range.start.line + 1}`;
}
