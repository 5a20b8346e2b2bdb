/** The buttons beside the title of the picker. They are told apart by their tooltips. */

import * as vscode from "vscode";

const { t } = vscode.l10n;

export const BUTTONS = {
  status: { tooltip: t("Show Status"), iconPath: new vscode.ThemeIcon("info") },
  resume: { tooltip: t("Resume Indexing"), iconPath: new vscode.ThemeIcon("debug-start") },
  allProjects: { tooltip: t("Search All Projects"), iconPath: new vscode.ThemeIcon("folder-library") },
  addProject: { tooltip: t("Add Project…"), iconPath: new vscode.ThemeIcon("add") },
  openFolders: { tooltip: t("Search the Open Folders"), iconPath: new vscode.ThemeIcon("folder-opened") },
  team: { tooltip: t("Search the Team's Index"), iconPath: new vscode.ThemeIcon("organization") },
  filters: { tooltip: t("Filters and Scopes"), iconPath: new vscode.ThemeIcon("filter") },
  showAll: { tooltip: t("Show All in Results View"), iconPath: new vscode.ThemeIcon("list-tree") },
  absence: { tooltip: t("Why Was a File Not Found…"), iconPath: new vscode.ThemeIcon("search-stop") },
  legend: { tooltip: t("Legend (Ctrl+/)"), iconPath: new vscode.ThemeIcon("book") },
};
