/** Beliefs of the team: listed, added with a selection as evidence, renamed, and those that reach a file. */

import * as vscode from "vscode";
import { currentFolder, fromEachFolder, type InFolder } from "../folders";
import { type Bearing, type Belief, type Link, methods } from "../generated/protocol";
import { escapeIcons } from "../results/hit";
import type { Sidecar } from "../sidecar/sidecar";
import { ask, choose, type Item, tell } from "./dialogs";

/** A file's path in the open folder that it is in, and the folder's URI. */
export interface ProjectPath {
  readonly path: string;
  readonly folder: string;
}

/** Returns where a file is in the open folders; undefined outside of them. */
export function pathInProject(uri: vscode.Uri): ProjectPath | undefined {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder && { path: vscode.workspace.asRelativePath(uri, false), folder: folder.uri.toString() };
}

/** Shows the beliefs of the open projects; the chosen one's file is opened. */
export async function showBeliefs(sidecar: Sidecar): Promise<void> {
  const chosen = await chooseBelief(vscode.l10n.t("Scry: Beliefs"), sidecar);
  if (chosen) await openBelief(chosen.entry);
}

async function chooseBelief(title: string, sidecar: Sidecar): Promise<InFolder<Belief> | undefined> {
  const beliefs = await fromEachFolder(
    sidecar,
    async (folder) => (await sidecar.request(methods.beliefs, { action: "list", folder })).beliefs,
  );
  const items = beliefs.map((belief) => ({ ...beliefItem(belief.entry, belief.project), value: belief }));
  return choose(title, items, vscode.l10n.t("There are no beliefs yet."));
}

/** Shows the beliefs that reach the file of the active editor, with the reason; the chosen one's file is opened. */
export async function showBeliefsHere(sidecar: Sidecar): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const place = uri && pathInProject(uri);
  if (!uri || !place) throw new Error(vscode.l10n.t("Open a file first: the beliefs that reach it are looked for."));
  const { beliefs: bearings } = await bearingsOn(uri, sidecar);
  const { beliefs } = await sidecar.request(methods.beliefs, { action: "list", folder: place.folder });
  const items = bearings.flatMap((bearing) => {
    const belief = beliefs.find(({ doc_id }) => doc_id === bearing.doc_id);
    return belief ? [{ ...beliefItem(belief), description: escapeIcons(bearing.reason) }] : [];
  });
  const title = vscode.l10n.t("Scry: Beliefs That Reach {0}", place.path);
  const chosen = await choose(title, items, vscode.l10n.t("No belief reaches {0}.", place.path));
  if (chosen) await openBelief(chosen);
}

/** The beliefs that reach a file, and the files that changed together with it. */
export interface Bearings {
  readonly beliefs: readonly Bearing[];
  readonly coChanges: readonly Link[];
}

export async function bearingsOn(
  uri: vscode.Uri,
  sidecar: Sidecar,
  token?: vscode.CancellationToken,
): Promise<Bearings> {
  const place = pathInProject(uri);
  if (!place) return { beliefs: [], coChanges: [] };
  const params = { doc_id: `./${place.path}`, folder: place.folder, brief: true, record: false };
  const { impact, lived } = await sidecar.request(methods.why, params, token);
  return { beliefs: impact?.beliefs ?? [], coChanges: lived?.co_changes ?? [] };
}

/** Gives the chosen belief another id, and opens its file. */
export async function renameBelief(sidecar: Sidecar): Promise<void> {
  const title = vscode.l10n.t("Scry: Rename Belief");
  const chosen = await chooseBelief(title, sidecar);
  if (!chosen) return;
  const id = await ask(title, vscode.l10n.t("What is its new id? Empty: one of its statement's words"));
  if (id === undefined) return;
  const renamed = await sidecar.request(methods.beliefs, {
    action: "rename",
    id: chosen.entry.doc_id,
    folder: chosen.folder,
    ...(id && { new_id: id }),
  });
  tell(renamed.note ?? "");
  if (renamed.beliefs[0]) await openBelief(renamed.beliefs[0]);
}

/** Writes a belief, with what is selected as its evidence, and opens its file, so that more can be added. */
export async function addBelief(sidecar: Sidecar): Promise<void> {
  const selected = selectedPlace();
  const folder = selected?.folder ?? (await currentFolder())?.uri.toString();
  if (folder === undefined) return;
  const prompt = vscode.l10n.t("What does the team believe, in a sentence?");
  const remark = selected ? ` ${vscode.l10n.t("Its evidence: {0}", selected.evidence)}` : "";
  const statement = await ask(vscode.l10n.t("Scry: New Belief"), prompt + remark);
  if (!statement) return;
  const evidence = selected ? [selected.evidence] : [];
  const { beliefs } = await sidecar.request(methods.believe, { statement, evidence, folder });
  if (beliefs[0]) await openBelief(beliefs[0]);
}

/** Returns the first line of the selection as a citation; undefined without a selection in a file of an open folder. */
function selectedPlace(): { readonly evidence: string; readonly folder: string } | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.selection.isEmpty) return undefined;
  const place = pathInProject(editor.document.uri);
  return place && { evidence: `${place.path}:${editor.selection.start.line + 1}`, folder: place.folder };
}

/** Returns the line of a belief. project: its project's name, where there are several. */
function beliefItem(belief: Belief, project = ""): Item<Belief> {
  const { status, statement, impact } = belief;
  const warnings = (impact.warnings ?? []).map((warning) => `$(warning) ${escapeIcons(warning)}`).join("  ");
  return {
    label: escapeIcons(statement),
    description: [status === "active" ? "" : status, escapeIcons(project)].filter(Boolean).join("  ·  "),
    detail: warnings,
    value: belief,
  };
}

export async function openBelief({ location }: Belief): Promise<void> {
  if (!location) return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(location.uri));
  const { line, character } = location.range.start;
  const start = new vscode.Position(line, character);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(start, start) });
}
