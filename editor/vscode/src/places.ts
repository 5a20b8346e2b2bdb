/** Converts locations of the protocol to the editor's. */

import * as vscode from "vscode";
import { type Found, pathOf } from "./found";
import type { Location } from "./generated/protocol";

export function toRange(location: Location): vscode.Range {
  const { start, end } = location.range;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

export function toUri(location: Location): vscode.Uri {
  return vscode.Uri.parse(location.uri, true);
}

/** `src/app.py:12`: the file as the editor names it, and the line; empty where a result has no place.
 *
 * Where the question named projects, each result says whose it is: `core: src/app.py:12`. */
export function shortPlace({ answer, result }: Found): string {
  const isNamed = (answer.projects ?? []).length > 0;
  const path = result.location && (isNamed ? pathOf(result) : vscode.workspace.asRelativePath(toUri(result.location)));
  const place = result.location ? `${path}:${result.location.range.start.line + 1}` : "";
  return isNamed ? `${result.project}: ${place}`.replace(/: $/, "") : place;
}
