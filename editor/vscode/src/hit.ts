/** Results with the answer that they belong to. Pure. */

import type { Answer, Range, ResultItem } from "./generated/protocol";

/** A result with its answer. Both are needed to record a use of the result, and to explain, rate or copy it. */
export interface Hit {
  readonly answer: Answer;
  readonly result: ResultItem;
}

export function hitsOf(answer: Answer): Hit[] {
  return answer.results.map((result) => ({ answer, result }));
}

const KIND_ICONS: Readonly<Record<string, string>> = {
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

/** Returns the name of the editor's icon for a result. An unknown kind has the general icon. */
export function iconOf(result: ResultItem): string {
  return CONTENT_ICONS[result.content_type] ?? KIND_ICONS[result.kind] ?? "symbol-misc";
}

/** Returns the path of a result's file in its project: the part of the doc_id before a symbol or lines. */
export function pathOf({ doc_id, project }: ResultItem): string {
  const inside = doc_id.startsWith(`${project}:`) ? doc_id.slice(project.length + 1) : doc_id;
  const [path = ""] = inside.replace(/^\.\//, "").split(/::|#/);
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // not valid percent-encoding
  }
}

/** Returns whether a range, whose end is exclusive, contains a line. */
export function holdsLine(range: Range, line: number): boolean {
  const last = range.end.character === 0 && range.end.line > range.start.line ? range.end.line - 1 : range.end.line;
  return range.start.line <= line && line <= last;
}
