/** Runs subcommands of the program that the sidecar is one of: what is rarely asked, and works while no sidecar runs. */

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { currentFolder } from "../folders";
import { tell } from "../knowledge/dialogs";
import { readSettings } from "../settings";
import { discover } from "./discover";
import type { Installer } from "./install";
import { Problem } from "./problem";
import { run } from "./program";

/** Milliseconds that a subcommand may take. */
const TIMEOUT_MS = 120_000;

const SCHEME = "scry-report";

/** The reports that are open, by their URIs: read-only texts, which nobody is asked to save. */
const reports = new Map<string, string>();

export function registerReports(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: (uri) => reports.get(uri.toString()) ?? "",
  });
}

export class Subcommands {
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly installer: Installer,
  ) {}

  /** Shows what could keep Scry from working in each open folder, with what to do about it. */
  async doctor(): Promise<void> {
    const title = vscode.l10n.t("Scry: looking for what could keep it from working");
    const progress = { location: vscode.ProgressLocation.Window, title };
    const texts = await vscode.window.withProgress(progress, async () => {
      const found: string[] = [];
      for (const folder of folders())
        found.push(`${folder}\n\n${await this.output(["doctor", "--root", folder], true)}`);
      return found;
    });
    await showText("doctor", texts.join("\n\n"));
  }

  /** Offers what can be done with the log of questions and uses: switch it on or off, show it, export it. */
  async manageLog(): Promise<void> {
    const { t } = vscode.l10n;
    const folder = await currentFolder();
    if (!folder) return;
    const root = ["--root", folder.uri.fsPath];
    const { is_on } = JSON.parse(await this.output(["log", "--limit", "1", "--json", ...root])) as { is_on: boolean };
    const items = [
      { label: is_on ? t("Switch the Log Off") : t("Switch the Log On"), act: "switch" },
      { label: t("Show the Log"), act: "show" },
      { label: t("Export the Log…"), act: "export" },
    ];
    const placeHolder = is_on ? t("Questions and uses are logged, on this machine alone.") : t("Nothing is logged.");
    const chosen = await vscode.window.showQuickPick(items, { title: t("Scry: Log of Questions"), placeHolder });
    if (chosen?.act === "switch") tell(await this.output(["log", is_on ? "off" : "on"]));
    if (chosen?.act === "show") await showText("log", await this.output(["log", ...root]));
    if (chosen?.act === "export") await this.exportLog(root);
  }

  /** Shows how an open folder was searched: a page without scripts, made by the program. */
  async insights(): Promise<void> {
    const folder = await currentFolder();
    if (!folder) return;
    const file = join(this.context.globalStorageUri.fsPath, "insights.html");
    try {
      await this.output(["insights", "--html", file, "--root", folder.uri.fsPath]);
      const options = { enableScripts: false, localResourceRoots: [] };
      const title = vscode.l10n.t("Scry: Insights");
      const panel = vscode.window.createWebviewPanel("scry.insights", title, vscode.ViewColumn.Active, options);
      panel.webview.html = await readFile(file, "utf8");
    } finally {
      await rm(file, { force: true }); // it quotes questions, which scry log forget would not reach
    }
  }

  private async exportLog(root: readonly string[]): Promise<void> {
    const target = await vscode.window.showSaveDialog({
      title: vscode.l10n.t("Export the Log"),
      filters: { "JSON Lines": ["jsonl"] },
    });
    if (!target) return;
    await rm(target.fsPath, { force: true }); // the dialog has asked
    tell(await this.output(["log", "export", target.fsPath, ...root]));
  }

  /** Returns what a subcommand prints. Throws its message where it fails, unless a failure is a finding. */
  private async output(args: readonly string[], mayFail = false): Promise<string> {
    const cwd = this.context.globalStorageUri.fsPath;
    const launch = await discover(readSettings(), this.installer, cwd);
    if (!launch) throw new Problem(vscode.l10n.t("Scry's sidecar is not installed yet."), "install");
    const all = [...launch.args.slice(0, -1), ...args]; // the last one starts the sidecar
    const { status, stdout, stderr } = await run(launch.command, all, { cwd, timeoutMs: TIMEOUT_MS });
    if (status !== 0 && !(mayFail && stdout)) throw new Error(stderr.trim() || `status ${status}`);
    return stdout.trim();
  }
}

function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
}

async function showText(name: string, content: string): Promise<void> {
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/scry ${name}`, query: `${reports.size}` });
  reports.set(uri.toString(), content);
  await vscode.window.showTextDocument(uri);
}
