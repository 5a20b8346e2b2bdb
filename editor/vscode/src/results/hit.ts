/** Results with the answer that they belong to, and how they are shown: icon and location. */

import * as vscode from "vscode";
import { openFolders } from "../folders";
import type { Location, ResultItem } from "../generated/protocol";
import type { AskedAnswer } from "./asked";

/** A result with its answer. Both are needed to record a use of the result, and to explain, rate or copy it. */
export interface Hit {
  readonly answer: AskedAnswer;
  readonly result: ResultItem;
  /** The result of whose file this is a further place; absent for a result of the answer. */
  readonly parent?: ResultItem;
}

export function hitsOf(answer: AskedAnswer): Hit[] {
  return answer.results.map((result) => ({ answer, result }));
}

/** Returns the further places of a result's file, in the form of results; none for a further place. */
export function furtherHitsOf({ answer, result, parent }: Hit): Hit[] {
  if (parent) return [];
  return (result.further ?? []).map(({ doc_id, title, kind, fused_score, location }) => ({
    answer,
    parent: result,
    result: {
      ...result,
      ...{ doc_id, title, kind, fused_score, location },
      ...{ contributions: {}, adjustments: [], snippet: "", sources: [], evidence: "", more_in_file: 0, further: [] },
    },
  }));
}

/** What names a result, or a further place of one, in requests about an earlier answer, and in links. */
export interface Reference {
  readonly query_id: string;
  readonly rank: number;
  readonly doc_id?: string;
}

export function referenceTo({ answer, result, parent }: Hit): Reference {
  return { query_id: answer.query_id, rank: result.rank, ...(parent ? { doc_id: result.doc_id } : {}) };
}

/** Returns the further places of a result's file in few words, such as `+4 more: evict, expire, …`; empty for none. */
export function furtherPlaces({ more_in_file = 0, further = [] }: ResultItem): string {
  if (more_in_file === 0) return "";
  const names = further.map(({ title }) => title);
  if (more_in_file > names.length) names.push("…");
  return vscode.l10n.t("+{0} more: {1}", more_in_file, names.join(", "));
}

/** Returns the result of an answer that a reference names; undefined for another answer's. */
export function hitNamed(answer: AskedAnswer, { query_id, rank, doc_id }: Reference): Hit | undefined {
  if (answer.query_id !== query_id) return undefined;
  const hit = hitsOf(answer).find(({ result }) => result.rank === rank);
  return hit && doc_id ? furtherHitsOf(hit).find(({ result }) => result.doc_id === doc_id) : hit;
}

export function isReference(argument: unknown): argument is Reference {
  return typeof argument === "object" && argument !== null && "query_id" in argument && "rank" in argument;
}

export function isHit(node: unknown): node is Hit {
  return typeof node === "object" && node !== null && "answer" in node && "result" in node;
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

export function toRange(location: Location): vscode.Range {
  const { start, end } = location.range;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** Returns where a jump lands: at the symbol's name, else at the start. */
export function jumpTarget(location: Location): vscode.Position {
  const { line, character } = location.name ?? location.range.start;
  return new vscode.Position(line, character);
}

/** Returns a text from the repository in a form in which `$(name)` does not become an icon. */
export function escapeIcons(text: string): string {
  return text.replaceAll("$(", "$\u200b(");
}

/** Returns the number of the line on which a jump lands, 1-based. */
export function lineOf(location: Location): number {
  return jumpTarget(location).line + 1;
}

export function toUri(location: Location): vscode.Uri {
  return vscode.Uri.parse(location.uri, true);
}

/** Returns the repository and commit of a result of the team, such as `core@4f2a91c`; empty for any other result. */
export function teamCommit({ commit, project }: ResultItem): string {
  return commit ? `${project}@${commit.slice(0, SHA_LENGTH)}` : "";
}

/** Number of digits by which a commit is shown. */
const SHA_LENGTH = 7;

/** Returns the file and line of a result, such as `src/app.py:12`; empty for a result without a location. */
export function shortLocation(hit: Hit): string {
  const { location } = hit.result;
  return location ? `${pathOf(hit)}:${lineOf(location)}` : "";
}

/** Returns the name of a result's project where several folders are open, or the question named projects; empty for a
 * result of the team, which is shown with its repository. */
export function projectOf({ answer, result }: Hit): string {
  const isNamed = (answer.projects ?? []).length > 0 || openFolders().length > 1;
  return isNamed && !result.commit ? result.project : "";
}

/** Returns the path of a result's file in its project, or as the editor shows it where the project is not named. */
export function pathOf(hit: Hit): string {
  const { doc_id, project, commit, location } = hit.result;
  const inside = doc_id.startsWith(`${project}:`) ? doc_id.slice(project.length + 1) : doc_id;
  if (inside.startsWith("./") && (commit || projectOf(hit))) return decoded(inside.slice(2).split(/::|#/)[0] ?? "");
  if (!location) return "";
  const uri = toUri(location);
  const isShort = !projectOf(hit) || vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  return isShort ? vscode.workspace.asRelativePath(uri, false) : (uri.path.split("/").at(-1) ?? "");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // not valid percent-encoding
  }
}
