/** Lets the user select the projects to search, and registers projects that are not open. */

import * as vscode from "vscode";
import { type KnownProject, type Location, methods, type Projects } from "./generated/protocol";
import { escapeIcons } from "./results/hit";
import type { Sidecar } from "./sidecar/sidecar";

/** The searched projects, or a part of one. Without any field: the open folders. */
export interface Scope {
  readonly projects?: string[];
  readonly all_projects?: boolean;
  readonly within?: Within;
  /** Whether the index of the joined team is searched, too. */
  readonly team?: boolean;
}

/** Some files of one open folder. label: what they are called. filter: stands before the query. */
export interface Within {
  readonly label: string;
  readonly filter: string;
  readonly folder: string;
}

/** Returns a query and its scope as params of a request. */
export function scopedParams(query: string, { within, ...projects }: Scope) {
  if (!within) return { query, ...projects };
  return { query: [within.filter, query].filter(Boolean).join(" "), folder: within.folder };
}

export const OPEN_FOLDERS: Scope = {};
export const ALL_PROJECTS: Scope = { all_projects: true };
export const TEAM: Scope = { team: true };

/** Returns whether a scope is the open folders. A stored scope is another object than OPEN_FOLDERS. */
export function isOpenFolders(scope: Scope): boolean {
  return Object.keys(scope).length === 0;
}

/** The scheme of the URIs of results of the team. */
export const TEAM_SCHEME = "scry-team";

/** Returns a suffix for titles that names the scope, such as ` in core, app`; empty for the open folders. */
export function scopeLabel({ projects, all_projects, within, team }: Scope): string {
  if (team) return ` ${vscode.l10n.t("in the open folders and the team's index")}`;
  if (all_projects) return ` ${vscode.l10n.t("in all projects")}`;
  const names = within?.label ?? projects?.join(", ");
  return names ? ` ${vscode.l10n.t("in {0}", names)}` : "";
}

/** Returns whether a team is joined, whose index can be searched. */
export async function hasTeam(sidecar: Sidecar): Promise<boolean> {
  try {
    return (await sidecar.request(methods.projects, { action: "list" })).team === true;
  } catch {
    return false; // questions report what is wrong
  }
}

/** Returns where a location in a file of the team is opened: in a local clone if that has the same file. */
export async function locateTeamFile(location: Location, project: string, sidecar: Sidecar): Promise<Location> {
  const { clone, is_current } = await sidecar.request(methods.teamFile, { uri: location.uri });
  if (clone) return { ...location, uri: clone };
  if (!is_current) {
    const words = vscode.l10n.t("the team's index has a newer commit of {0} now; lines may have moved", project);
    vscode.window.setStatusBarMessage(`Scry: ${escapeIcons(words)}`, WARNING_MS);
  }
  return location;
}

/** Milliseconds that a warning stays in the status bar. */
const WARNING_MS = 8000;

/** Provides the texts of files of the team's index, which are on no disk here. */
export function registerTeamFiles(sidecar: Sidecar): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(TEAM_SCHEME, {
    provideTextDocumentContent: async (uri, token) =>
      (await sidecar.request(methods.teamFile, { uri: uri.toString() }, token)).text,
  });
}

/** Lets the user choose the projects to search; undefined where nothing is chosen. */
export async function chooseScope(sidecar: Sidecar): Promise<Scope | undefined> {
  let known = await sidecar.request(methods.projects, { action: "list" });
  if (known.note) known = await offerFirstProject(sidecar);
  if (known.note) return undefined;
  const options = {
    canPickMany: true,
    placeHolder: vscode.l10n.t("Which projects?"),
    matchOnDescription: true,
  } as const;
  const chosen = await vscode.window.showQuickPick(known.projects.map(itemOf), {
    ...options,
    title: vscode.l10n.t("Scry: Projects"),
  });
  if (!chosen || chosen.length === 0) return undefined;
  return chosen.length === known.projects.length ? ALL_PROJECTS : { projects: chosen.map(({ name }) => name) };
}

/** Registers the project in a folder that the user chooses; false where none is chosen. */
export async function addProject(sidecar: Sidecar): Promise<boolean> {
  const [folder] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Which project shall be searched from other ones?"),
      openLabel: vscode.l10n.t("Add Project"),
      canSelectFiles: false,
      canSelectFolders: true,
    })) ?? [];
  if (!folder) return false;
  const { projects } = await sidecar.request(methods.projects, { action: "add", folder: folder.toString() });
  const added = projects.find(({ root }) => vscode.Uri.file(root).toString() === folder.toString());
  vscode.window.setStatusBarMessage(
    `Scry: ${vscode.l10n.t("{0} can be searched from other projects", escapeIcons(added?.name ?? folder.fsPath))}`,
    5000,
  );
  return true;
}

/** Offers to register a first project that is not open, and returns the projects that are registered afterwards. */
async function offerFirstProject(sidecar: Sidecar): Promise<Projects> {
  const add = vscode.l10n.t("Add Project…");
  const message = vscode.l10n.t("Scry: no other project is known yet. Add one, and it can be searched from here.");
  if ((await vscode.window.showInformationMessage(message, add)) === add) await addProject(sidecar);
  return sidecar.request(methods.projects, { action: "list" });
}

function itemOf({ name, root, is_there, is_open }: KnownProject): vscode.QuickPickItem & { readonly name: string } {
  const state = is_open ? vscode.l10n.t("open here") : is_there ? "" : vscode.l10n.t("its folder is gone");
  return {
    name,
    label: escapeIcons(name),
    description: escapeIcons([root, state].filter(Boolean).join("  ·  ")),
    picked: !is_open && is_there,
  };
}
