/** Answers with their questions and scopes, which tell answers apart and are needed to ask again. */

import * as vscode from "vscode";
import { type Answer, methods } from "../generated/protocol";
import { type Scope, TEAM, TEAM_SCHEME } from "../projects";
import { readSettings } from "../settings";
import type { Sidecar } from "../sidecar/sidecar";

/** An answer with its question. */
export interface AskedAnswer extends Answer {
  /** The id of the answer's lines in the results view, which a newer answer in its place keeps. */
  readonly id: string;
  /** The query as it was typed, without the filter of the scope. */
  readonly words: string;
  /** The scope of the question. The path of a question about a file or folder is relative to the open folder in it. */
  readonly scope: Scope;
}

export function isAnswer(node: unknown): node is AskedAnswer {
  return typeof node === "object" && node !== null && "query_id" in node && "mode" in node;
}

/** Returns whether an answer is to a question in words, by which a document can be ranked. */
export function isInWords({ mode, query }: Answer): boolean {
  return (mode === "find" || mode === "recent") && query.trim() !== "";
}

export function withQuestion(answer: Answer, words: string, scope: Scope): AskedAnswer {
  return { ...answer, id: answer.query_id, words, scope };
}

/** Returns whether two answers answer the same question, asked in the same projects. */
export function isSameQuestion(one: AskedAnswer, other: AskedAnswer): boolean {
  return questionKey(one) === questionKey(other);
}

function questionKey({ mode, query, scope: { within, ...projects } }: AskedAnswer): string {
  return JSON.stringify([mode, query, within?.folder, projects]);
}

/** A question about a file or folder. path: its URI, or its path in the scope. line: of a question for similar code. */
export interface PlaceQuestion {
  readonly mode: "neighbors" | "orient" | "similar";
  readonly path: string;
  readonly line?: number;
  readonly scope: Scope;
}

/** Returns the scope of a question about a file or folder: the open folder that it is in. */
export function scopeOf(uri: vscode.Uri): Scope {
  if (uri.scheme === TEAM_SCHEME) return TEAM;
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder ? { within: { label: folder.name, filter: "", folder: folder.uri.toString() } } : {};
}

/** Asks about a file or folder. record: whether the question is logged; false where it was logged when it was asked
 * before. It is logged later if a result of the answer is used. */
export async function askAboutPlace(sidecar: Sidecar, question: PlaceQuestion, record = true): Promise<AskedAnswer> {
  const { mode, path, line, scope } = question;
  const { limit } = readSettings();
  const params = { limit, record, team: scope.team ?? false, folder: scope.within?.folder ?? null };
  const similar = mode === "similar" ? { by: "similar" as const, line: line ?? null } : {};
  const answer =
    mode === "orient"
      ? await sidecar.request(methods.orient, { path, ...params })
      : await sidecar.request(methods.neighbors, { file: path, ...similar, ...params });
  return withQuestion(answer, answer.query, scope);
}

/** Returns an answer's question about a file or folder; undefined for any other question. */
export function placeQuestion(answer: AskedAnswer): PlaceQuestion | undefined {
  const { mode, query, scope } = answer;
  if (mode !== "orient" && mode !== "neighbors") return undefined;
  return { mode: isAboutPlace(answer) ? "similar" : mode, path: query, scope };
}

/** Returns whether an answer is about what resembles a place in a file: only such a question names one. */
export function isAboutPlace({ mode, query }: Answer): boolean {
  return mode === "neighbors" && /::|#L\d/.test(query);
}
