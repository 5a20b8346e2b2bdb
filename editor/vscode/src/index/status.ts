/** Shows the state of the index: as a language status item behind `{}` in the status bar, and as a list on demand. */

import * as vscode from "vscode";
import { projectNames } from "../folders";
import { type IndexState, methods } from "../generated/protocol";
import { escapeIcons } from "../results/hit";
import { messageOf, REMEDIES, type Remedy } from "../sidecar/problem";
import type { Sidecar, SidecarState } from "../sidecar/sidecar";

/** States of an index, worst first. The item shows the worst state of the open folders. */
const WORST_FIRST = ["failed", "starting", "indexing", "paused", "ready"];

interface StatusView {
  readonly text: string;
  readonly detail: string;
  readonly busy?: boolean;
  readonly severity?: vscode.LanguageStatusSeverity;
  readonly command?: vscode.Command;
}

const SHOW_STATUS: vscode.Command = { title: vscode.l10n.t("Show Status"), command: "scry.status" };

export class Status implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem("scry.status", { scheme: "file" });
  private readonly bar = vscode.window.createStatusBarItem("scry.status", vscode.StatusBarAlignment.Right, -10);
  private readonly states = new Map<string, IndexState>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly sidecar: Sidecar) {
    this.item.name = "Scry";
    this.bar.name = "Scry";
    this.bar.command = "scry.status";
    this.bar.show();
    this.subscriptions = [
      sidecar.onState(() => this.update()),
      sidecar.onStatus(({ folder, status }) => {
        this.states.set(folder, status);
        this.update();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.removeClosedFolders()),
    ];
    this.update();
  }

  /** The state of each open folder's index, by the folder's URI. */
  get folders(): ReadonlyMap<string, IndexState> {
    return this.states;
  }

  dispose(): void {
    for (const each of [...this.subscriptions, this.item, this.bar]) each.dispose();
  }

  private removeClosedFolders(): void {
    const open = new Set(vscode.workspace.workspaceFolders?.map((folder) => folder.uri.toString()));
    for (const uri of this.states.keys()) if (!open.has(uri)) this.states.delete(uri);
    this.update();
  }

  private update(): void {
    if (this.sidecar.state.kind !== "running") this.states.clear();
    const worst = this.worst();
    void vscode.commands.executeCommand("setContext", "scry.paused", worst?.state === "paused");
    const view =
      sidecarView(this.sidecar.state) ??
      (worst ? indexView(worst) : { text: vscode.l10n.t("starting"), detail: "", busy: true });
    this.item.text = `Scry: ${view.text}`;
    this.item.detail = view.detail;
    this.item.busy = view.busy ?? false;
    this.item.severity = view.severity ?? vscode.LanguageStatusSeverity.Information;
    this.item.command = view.command ?? SHOW_STATUS;
    this.showInBar(view, worst);
  }

  /** Shows the state in the status bar: in few words, without colour or motion, so that nobody's eye is drawn to it. */
  private showInBar({ text, detail, severity }: StatusView, worst: IndexState | undefined): void {
    const isFailed = severity === vscode.LanguageStatusSeverity.Error;
    const progress = worst?.state === "indexing" && worst.files_total > 0 ? ` ${percentOf(worst)} %` : "";
    this.bar.text = `${isFailed ? "$(warning)" : "$(search)"} Scry${worst?.state === "paused" ? " ⏸" : progress}`;
    this.bar.tooltip = [`Scry: ${text}`, detail].filter(Boolean).join("\n\n");
    this.bar.accessibilityInformation = { label: `Scry: ${text}`, role: "button" };
  }

  private worst(): IndexState | undefined {
    const order = ({ state }: IndexState) => WORST_FIRST.indexOf(state);
    return [...this.states.values()].sort((one, other) => order(one) - order(other))[0];
  }
}

/** Returns the progress that the summary names: in files, then in vectors. */
function percentOf({ files_indexed, files_total, vectors, vectors_total }: IndexState): number {
  const areFilesDone = files_indexed >= files_total && vectors < vectors_total;
  return Math.floor(100 * (areFilesDone ? vectors / vectors_total : files_indexed / files_total));
}

/** Returns the view of a sidecar that does not run; undefined while it runs. */
function sidecarView(state: SidecarState): StatusView | undefined {
  switch (state.kind) {
    case "running":
      return undefined;
    case "failed":
      return {
        text: state.problem.remedy === "trust" ? vscode.l10n.t("off in Restricted Mode") : vscode.l10n.t("not running"),
        detail: state.problem.message,
        severity: severityOf(state.problem.remedy),
        command: REMEDIES[state.problem.remedy],
      };
    case "waiting":
      return {
        text: vscode.l10n.t("restarting"),
        detail: state.reason,
        busy: true,
        severity: vscode.LanguageStatusSeverity.Warning,
        command: REMEDIES.restart,
      };
    default:
      return {
        text: state.kind === "starting" ? vscode.l10n.t("starting") : vscode.l10n.t("off"),
        detail: "",
        busy: state.kind === "starting",
      };
  }
}

function severityOf(remedy: Remedy): vscode.LanguageStatusSeverity {
  return remedy === "trust" ? vscode.LanguageStatusSeverity.Information : vscode.LanguageStatusSeverity.Error;
}

function indexView(state: IndexState): StatusView {
  const text = state.summary || state.state;
  const detail = state.message;
  if (state.state === "failed")
    return { text, detail, severity: vscode.LanguageStatusSeverity.Error, command: REMEDIES.log };
  if (state.state === "paused")
    return { text, detail, command: { title: vscode.l10n.t("Resume"), command: "scry.resume" } };
  if (state.state === "ready") return { text, detail };
  return { text, detail, busy: true, command: { title: vscode.l10n.t("Pause"), command: "scry.pause" } };
}

/** Shows a list of the state of every folder and of the commands that concern it. */
export async function showStatus(sidecar: Sidecar): Promise<void> {
  const names = await projectNames(sidecar);
  const lines = await Promise.all([...names].map(([folder, name]) => statusLine(sidecar, folder, name)));
  const commands = [
    { label: `$(sync) ${vscode.l10n.t("Re-index")}`, command: "scry.rebuild" },
    { label: `$(debug-pause) ${vscode.l10n.t("Pause Indexing")}`, command: "scry.pause" },
    { label: `$(debug-start) ${vscode.l10n.t("Resume Indexing")}`, command: "scry.resume" },
    { label: `$(output) ${vscode.l10n.t("Show Log")}`, command: "scry.log" },
    { label: `$(gear) ${vscode.l10n.t("Open Settings")}`, command: "scry.settings" },
    { label: `$(debug-restart) ${vscode.l10n.t("Restart")}`, command: "scry.restart" },
  ];
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator };
  const items: (vscode.QuickPickItem & { readonly command?: string })[] = [...lines, separator, ...commands];
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Scry: Status"),
    matchOnDescription: true,
  });
  if (chosen?.command) await vscode.commands.executeCommand(chosen.command);
}

async function statusLine(sidecar: Sidecar, folder: string, name: string): Promise<vscode.QuickPickItem> {
  const label = `$(root-folder) ${escapeIcons(name)}`;
  try {
    const state = await sidecar.request(methods.status, { folder });
    const detail = [state.message, state.replay].filter(Boolean).join(" ");
    return { label, description: state.summary || state.state, detail };
  } catch (error) {
    return { label, description: messageOf(error) };
  }
}
