/** The scopes and filters that the picker offers: projects, the folder or the neighbours of the file that is open. */

import * as vscode from "vscode";
import { projectNames } from "../folders";
import { methods } from "../generated/protocol";
import { ALL_PROJECTS, OPEN_FOLDERS, type Scope } from "../projects";
import { toUri } from "../results/hit";
import type { Sidecar } from "../sidecar/sidecar";
import type { Restriction } from "./pages";

/** Number of neighbours of a file that are searched with it, of each kind. */
const MAX_NEIGHBORS = 25;

/** An act of the picker upon a choice. */
export interface ScopeActs {
  setScope(scope: Scope): void;
  /** Puts a filter without its value at the end of the query. */
  beginFilter(field: string): void;
  chooseProjects(): unknown;
}

/** Returns the filters and scopes, for the file that was open when the picker was opened. */
export function restrictions(file: vscode.Uri | undefined, sidecar: Sidecar, acts: ScopeActs): Restriction[] {
  const { t } = vscode.l10n;
  const filters = { lang: t("only files of a language"), path: t("only files whose path holds this") };
  const others = { type: t("only code, doc, commit, belief …"), source: t("only the project, or your own notes") };
  const byFilter = Object.entries({ ...filters, ...others }).map(([field, description]) => ({
    icon: "filter",
    label: `${field}:`,
    description,
    run: () => acts.beginFilter(field),
  }));
  return [
    ...byFilter,
    { icon: "folder-opened", label: t("The Open Folders"), run: () => acts.setScope(OPEN_FOLDERS) },
    ...(file ? fileRestrictions(file, sidecar, acts) : []),
    { icon: "folder-library", label: t("All Projects"), run: () => acts.setScope(ALL_PROJECTS) },
    { icon: "list-selection", label: t("Other Projects…"), run: () => acts.chooseProjects() },
  ];
}

function fileRestrictions(file: vscode.Uri, sidecar: Sidecar, acts: ScopeActs): Restriction[] {
  const { t } = vscode.l10n;
  const folder = vscode.workspace.getWorkspaceFolder(file);
  if (!folder) return [];
  const path = pathIn(folder, file);
  const parent = path.slice(0, path.lastIndexOf("/") + 1);
  const here: Restriction = {
    icon: "folder",
    label: t("This Folder"),
    description: parent || folder.name,
    run: async () => {
      const filter = parent && filterOf(`${parent}*`);
      acts.setScope({
        within: { label: await labelOf(folder, parent, sidecar), filter, folder: folder.uri.toString() },
      });
    },
  };
  const near: Restriction = {
    icon: "references",
    label: t("This File’s Neighbours"),
    description: path,
    run: async () => {
      const paths = await neighborsOf(file, folder, sidecar);
      const filter = [path, ...paths].map(filterOf).join(" ");
      const label = t("the neighbours of {0}", await labelOf(folder, path, sidecar));
      acts.setScope({ within: { label, filter, folder: folder.uri.toString() } });
    },
  };
  return [here, near];
}

/** Returns a path with the project that it is in where several folders are open; the project alone for its root. */
async function labelOf(folder: vscode.WorkspaceFolder, path: string, sidecar: Sidecar): Promise<string> {
  const names = await projectNames(sidecar);
  const name = names.get(folder.uri.toString()) ?? folder.name;
  return names.size > 1 && path ? `${name}: ${path}` : path || name;
}

/** Returns the paths of the files that changed together with a file, or that it is related to by imports and calls. */
async function neighborsOf(file: vscode.Uri, folder: vscode.WorkspaceFolder, sidecar: Sidecar): Promise<string[]> {
  const request = (by: "cochange" | "dependency") =>
    sidecar.request(methods.neighbors, { file: file.toString(), by, limit: MAX_NEIGHBORS });
  const answers = await Promise.all([request("cochange"), request("dependency")]);
  const results = answers.flatMap((answer) => answer.results);
  const uris = results.flatMap(({ location }) => (location ? [toUri(location)] : []));
  return [...new Set(uris.map((uri) => pathIn(folder, uri)))];
}

function pathIn(folder: vscode.WorkspaceFolder, file: vscode.Uri): string {
  return file.path.slice(folder.uri.path.length).replace(/^\//, "");
}

function filterOf(path: string): string {
  return /\s/.test(path) ? `path:"${path}"` : `path:${path}`;
}
