/** Converts locations of the protocol to those of the editor. */

import * as vscode from "vscode";
import type { Location } from "./generated/protocol";
import { type Hit, pathOf } from "./hit";

export function toRange(location: Location): vscode.Range {
  const { start, end } = location.range;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

export function toUri(location: Location): vscode.Uri {
  return vscode.Uri.parse(location.uri, true);
}

/** Returns the file and line of a result, such as `src/app.py:12`; empty for a result without a location.
 *
 * Where the question named projects, the project comes first: `core: src/app.py:12`. */
export function shortLocation({ answer, result }: Hit): string {
  const isNamed = (answer.projects ?? []).length > 0;
  const path = result.location && (isNamed ? pathOf(result) : vscode.workspace.asRelativePath(toUri(result.location)));
  const location = result.location ? `${path}:${result.location.range.start.line + 1}` : "";
  return isNamed ? `${result.project}: ${location}`.replace(/: $/, "") : location;
}
