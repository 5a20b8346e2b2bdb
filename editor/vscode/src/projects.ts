/** Lets the user select the projects to search, and registers projects that are not open. */

import * as vscode from "vscode";
import { type KnownProject, methods, type Projects } from "./generated/protocol";
import { escapeIcons } from "./hit";
import type { Sidecar } from "./sidecar/sidecar";

/** The projects to search, as params of a request. Without any field: the open folders. */
export interface Scope {
  readonly projects?: string[];
  readonly all_projects?: boolean;
}

export const OPEN_FOLDERS: Scope = {};
export const ALL_PROJECTS: Scope = { all_projects: true };

/** Returns a suffix for titles that names the scope, such as ` in core, app`; empty for the open folders. */
export function scopeLabel({ projects, all_projects }: Scope): string {
  if (all_projects) return " in all projects";
  return projects ? ` in ${projects.join(", ")}` : "";
}

/** Lets the user choose the projects to search; undefined where nothing is chosen. */
export async function chooseScope(sidecar: Sidecar): Promise<Scope | undefined> {
  let known = await sidecar.request(methods.projects, { action: "list" });
  if (known.note) known = await offerFirstProject(sidecar);
  if (known.note) return undefined;
  const options = { canPickMany: true, placeHolder: "Which projects?", matchOnDescription: true } as const;
  const chosen = await vscode.window.showQuickPick(known.projects.map(itemOf), { ...options, title: "Scry: Projects" });
  if (!chosen || chosen.length === 0) return undefined;
  return chosen.length === known.projects.length ? ALL_PROJECTS : { projects: chosen.map(({ name }) => name) };
}

/** Registers the project in a folder that the user chooses; false where none is chosen. */
export async function addProject(sidecar: Sidecar): Promise<boolean> {
  const [folder] =
    (await vscode.window.showOpenDialog({
      title: "Which project shall be searched from other ones?",
      openLabel: "Add Project",
      canSelectFiles: false,
      canSelectFolders: true,
    })) ?? [];
  if (!folder) return false;
  const { projects } = await sidecar.request(methods.projects, { action: "add", folder: folder.toString() });
  const added = projects.find(({ root }) => vscode.Uri.file(root).toString() === folder.toString());
  vscode.window.setStatusBarMessage(
    `Scry: ${escapeIcons(added?.name ?? folder.fsPath)} can be searched from other projects`,
    5000,
  );
  return true;
}

/** Offers to register a first project that is not open, and returns the projects that are registered afterwards. */
async function offerFirstProject(sidecar: Sidecar): Promise<Projects> {
  const add = "Add Project…";
  const message = "Scry: no other project is known yet. Add one, and it can be searched from here.";
  if ((await vscode.window.showInformationMessage(message, add)) === add) await addProject(sidecar);
  return sidecar.request(methods.projects, { action: "list" });
}

function itemOf({ name, root, is_there, is_open }: KnownProject): vscode.QuickPickItem & { readonly name: string } {
  const state = is_open ? "open here" : is_there ? "" : "its folder is gone";
  return {
    name,
    label: escapeIcons(name),
    description: escapeIcons([root, state].filter(Boolean).join("  ·  ")),
    picked: !is_open && is_there,
  };
}
