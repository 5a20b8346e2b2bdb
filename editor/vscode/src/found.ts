/** Results with the answer that they belong to. Pure. */

import type { Answer, Range, ResultItem } from "./generated/protocol";

/** A result in its answer: what a jump is logged for, and what can be explained, shown in full, rated and copied. */
export interface Found {
  readonly answer: Answer;
  readonly result: ResultItem;
}

export function allFound(answer: Answer): Found[] {
  return answer.results.map((result) => ({ answer, result }));
}

const ICONS: Readonly<Record<string, string>> = {
  class: "symbol-class",
  constant: "symbol-constant",
  enum: "symbol-enum",
  field: "symbol-field",
  file: "file",
  function: "symbol-function",
  interface: "symbol-interface",
  macro: "symbol-function",
  method: "symbol-method",
  module: "symbol-module",
  section: "symbol-string",
  struct: "symbol-structure",
  text: "symbol-file",
  trait: "symbol-interface",
  type: "symbol-type-parameter",
  variable: "symbol-variable",
};

const CONTENT_ICONS: Readonly<Record<string, string>> = {
  belief: "lightbulb",
  commit: "git-commit",
  memory: "archive",
  pattern: "extensions",
  persona: "person",
  session: "notebook",
};

/** The name of the editor's own icon for what a result is. A kind that is not known yet has the general one. */
export function iconOf(result: ResultItem): string {
  return CONTENT_ICONS[result.content_type] ?? ICONS[result.kind] ?? "symbol-misc";
}

/** The path, in its project, of the file that a result is in: what its doc_id says before a name or lines. */
export function pathOf({ doc_id, project }: ResultItem): string {
  const inside = doc_id.startsWith(`${project}:`) ? doc_id.slice(project.length + 1) : doc_id;
  const [path = ""] = inside.replace(/^\.\//, "").split(/::|#/);
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a name that is no text
  }
}

/** Whether a line is within a range, which ends before its end. */
export function holdsLine(range: Range, line: number): boolean {
  const last = range.end.character === 0 && range.end.line > range.start.line ? range.end.line - 1 : range.end.line;
  return range.start.line <= line && line <= last;
}
