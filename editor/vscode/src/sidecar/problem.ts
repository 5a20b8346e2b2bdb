/** Errors with a remedy that the user can apply, and their messages. */

import * as vscode from "vscode";

/** install: install the sidecar. settings: open Scry's settings. restart: restart the sidecar. log: show the log.
 * trust: manage workspace trust. */
export type Remedy = "install" | "settings" | "restart" | "log" | "trust";

export class Problem extends Error {
  constructor(
    message: string,
    readonly remedy: Remedy,
  ) {
    super(message);
    this.name = "Problem";
  }
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export const REMEDIES: Readonly<Record<Remedy, { readonly title: string; readonly command: string }>> = {
  install: { title: vscode.l10n.t("Install"), command: "scry.install" },
  settings: { title: vscode.l10n.t("Open Settings"), command: "scry.settings" },
  restart: { title: vscode.l10n.t("Restart"), command: "scry.restart" },
  log: { title: vscode.l10n.t("Show Log"), command: "scry.log" },
  trust: { title: vscode.l10n.t("Manage Trust"), command: "workbench.trust.manage" },
};

/** Runs an action of the user. An error is shown as one message with a button for its remedy. */
export async function attempt(action: () => unknown): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof vscode.CancellationError)) void showError(error);
  }
}

async function showError(error: unknown): Promise<void> {
  const remedy = REMEDIES[error instanceof Problem ? error.remedy : "log"];
  const chosen = await vscode.window.showErrorMessage(`Scry: ${messageOf(error).replace(/^Scry: /, "")}`, remedy.title);
  if (chosen) await vscode.commands.executeCommand(remedy.command);
}
