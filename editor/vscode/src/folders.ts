/** The open folders: the one that a command is about, and the names of their projects. */

import * as vscode from "vscode";
import { methods } from "./generated/protocol";
import type { Sidecar } from "./sidecar/sidecar";

export function openFolders(): readonly vscode.WorkspaceFolder[] {
  return vscode.workspace.workspaceFolders ?? [];
}

/** Returns the only open folder, else the one that the user chooses; undefined where none is chosen. */
export async function chooseFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const [only, ...others] = openFolders();
  if (others.length === 0) return only;
  return vscode.window.showWorkspaceFolderPick({ placeHolder: vscode.l10n.t("Which folder?") });
}

/** Returns the open folder of the active editor's file, else the one that the user chooses. */
export async function currentFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return (uri && vscode.workspace.getWorkspaceFolder(uri)) ?? chooseFolder();
}

/** Returns the names of the open folders' projects, by the folders' URIs. Unlike the names of the folders they differ
 * from each other; the sidecar gives them, and a folder that the sidecar doesn't know has its own name. */
export async function projectNames(sidecar: Sidecar): Promise<ReadonlyMap<string, string>> {
  const folders = openFolders();
  const given = folders.length > 1 ? await namesByRoot(sidecar).catch(() => undefined) : undefined;
  return new Map(folders.map(({ name, uri }) => [uri.toString(), given?.get(uri.toString()) ?? name]));
}

async function namesByRoot(sidecar: Sidecar): Promise<ReadonlyMap<string, string>> {
  const { projects } = await sidecar.request(methods.projects, { action: "list" });
  return new Map(projects.map(({ name, root }) => [vscode.Uri.file(root).toString(), name]));
}

/** An entry of an open folder. project: the name of the folder's project; empty where no other folder is open. */
export interface InFolder<T> {
  readonly entry: T;
  readonly folder: string;
  readonly project: string;
}

/** Returns the entries of all open folders. A folder that can't be asked has none; throws where no folder can. */
export async function fromEachFolder<T>(
  sidecar: Sidecar,
  ask: (folder: string) => Promise<readonly T[]>,
): Promise<InFolder<T>[]> {
  const names = await projectNames(sidecar);
  const answers = await Promise.allSettled([...names.keys()].map(ask));
  const [failed] = answers.filter((each) => each.status === "rejected");
  if (failed && answers.every(({ status }) => status === "rejected")) throw failed.reason;
  return [...names].flatMap(([folder, name], index) => {
    const answer = answers[index];
    const project = names.size > 1 ? name : "";
    return answer?.status === "fulfilled" ? answer.value.map((entry) => ({ entry, folder, project })) : [];
  });
}
